"""`python -m benchmarks.answer_memory`: what hostile answers take in memory that are as large as they may be.

Each answer of 64 MiB is taken apart in a process of its own. Printed is what the process takes at its peak beyond what
it had before, the answer's own bytes among that: the answer is then in memory. What is refused says so.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks.measure import machine
from kafka_fleet.collect.connections import prometheus
from kafka_fleet.collect.connections.http import Failure, Limits
from kafka_fleet.collect.jolokia import responses
from kafka_fleet.collect.jolokia.client import _take
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.schema import mbeans

SIZE, MOST = Limits().max_bytes, responses.ONE_BY_ONE - 100
BEANS = mbeans.beans(mbeans.PARTITIONS)


def _bulk(*values: bytes) -> bytearray:
    """An answer with these values, `{}` where there are fewer than reads."""
    found = [*values, *[b"{}"] * (len(BEANS) - len(values))]
    return bytearray(b"[" + b",".join(b'{"value":' + one + b',"timestamp":1,"status":200}' for one in found) + b"]")


def _filled(parts: bytes, last: bytes = b"a") -> bytes:
    """A list of parts, each with its comma, and one text that makes it as large as it may be."""
    return b"[" + parts + b'"' + b"a" * (SIZE - len(parts) - 400) + last + b'"]'


def _nested(objects: int, depth: int = 400) -> bytes:
    """Objects in objects, each with one name that no other has: the most bytes of memory for a comma or a brace."""
    number = count()
    whole = (b"".join(b'{"%07x":' % next(number) for _ in range(depth)) + b"1" + b"}" * depth for _ in range(objects))
    return b"".join(one + b"," for one in whole)


def _replicas(each: int, blank: bytes, patterns: int) -> bytearray:
    """Partition gauges of so many replicas; a blank behind each colon, and they are not read as columns."""
    values = []
    for bean in BEANS[:patterns]:
        domain, _colon, rest = bean.mbean.partition(":")
        name = f'"{domain}:{rest.replace("topic=*", "topic=orders-%d").replace("partition=*", "partition=%d")}"'
        form = name.encode() + b":" + blank + b'{"' + bean.columns[0].attribute.encode() + b'":' + blank + b"7}"
        values.append(b"{" + b",".join(form % divmod(number, 1000) for number in range(each)) + b"}")
    return _bulk(*values)


ANSWERS: dict[str, Callable[[], bytearray]] = {
    "one text": lambda: _bulk(_filled(b"")),
    "one text, a face in it": lambda: _bulk(_filled(b"", "\U0001f600".encode())),
    "empty objects": lambda: _bulk(_filled(b"{}," * (MOST // 2))),
    "objects of one": lambda: _bulk(_filled(b'{"a":1},' * (MOST // 2))),
    "nested objects of one": lambda: _bulk(_filled(_nested(MOST // 401))),
    "texts": lambda: _bulk(_filled(b"".join(b'"%07x",' % number for number in range(MOST)))),
    "entries": lambda: bytearray(b"[" + b'{"value":1},' * (SIZE // 16) + b"0]"),
    "replicas as columns": lambda: _replicas(140_000, b"", 5),
    "replicas one by one": lambda: _replicas(39_000, b" ", 5),
    "Prometheus, labels": lambda: bytearray(_filled(b"".join(b'{"%07x":"%07x"},' % (n, n) for n in range(990_000)))),
    "Prometheus, a face": lambda: bytearray(_filled(b"", "\U0001f600".encode())),
}


def _memory(name: str) -> float:
    """MiB of this process, by a name of /proc/self/status."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024


def _one(name: str) -> None:
    before, body = _memory("VmRSS"), ANSWERS[name]()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak from here on
    started, said = time.perf_counter(), "read"
    try:
        if name.startswith("Prometheus"):
            body[-1:] = b"]" if "face" in name else b",{}]"
            prometheus._decoded(body, list[str] if "face" in name else list[dict[str, str] | str])
        else:
            _take(BEANS, responses.decode(body, BEANS), Rows(), [], [])
    except Failure as failure:
        said = str(failure)
    seconds = time.perf_counter() - started
    print(f"{name:24} {len(body) / 2**20:5.0f} MiB {_memory('VmHWM') - before:6.0f} MiB {seconds:5.1f} s  {said}")


def main() -> int:
    """Run each answer in a process of its own, or the one that is named."""
    if sys.argv[1:]:
        _one(sys.argv[1])
        return 0
    print(f"{machine()}\n{'':24} {'answer':>9} {'peak':>10}", flush=True)
    return max(subprocess.run([sys.executable, "-m", __spec__.name, one], check=False).returncode for one in ANSWERS)


if __name__ == "__main__":
    sys.exit(main())
