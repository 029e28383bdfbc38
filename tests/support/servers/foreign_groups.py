"""What members of foreign consumer groups carry, as bytes: Kafka Connect, Schema Registry, and no UTF-8."""

import struct

URL = b"http://10.0.0.1:8083/"
CONNECT = struct.pack(">hh", 0, len(URL)) + URL + struct.pack(">q", 12)  # a worker's metadata, version 0
REGISTRY = b'{"version":1,"host":"10.0.0.2","port":8081,"master_eligibility":true}'


NO_UTF8 = struct.pack(">hih", 0, 1, 1) + b"\xff" + struct.pack(">ii", 0, 0)
