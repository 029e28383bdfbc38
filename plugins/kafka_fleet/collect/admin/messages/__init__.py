"""Messages of Kafka that the library does not know, each of the schema that kafka-clients 4.1.1 publishes.

ConsumerGroupDescribe is of KIP-848 (brokers from 3.7 on), StreamsGroupDescribe of KIP-1071 (from 4.1 on). The library
makes its own messages of such files.
"""

from types import new_class
from typing import Any

from kafka.protocol.api_message import ApiMessage


def _message(name: str) -> Any:
    return new_class(name, (ApiMessage,), {"load_json": __name__})


ConsumerGroupDescribeRequest = _message("ConsumerGroupDescribeRequest")
ConsumerGroupDescribeResponse = _message("ConsumerGroupDescribeResponse")
StreamsGroupDescribeRequest = _message("StreamsGroupDescribeRequest")
StreamsGroupDescribeResponse = _message("StreamsGroupDescribeResponse")
