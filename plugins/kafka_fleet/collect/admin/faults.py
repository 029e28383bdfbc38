"""Words for what the Kafka library raises: takes an exception, gives one sentence without any text of the far side.

The library's own texts quote answers, names and addresses. A fault is reported by its kind, and by Kafka's name of an
error code: both are of fixed lists.
"""

from kafka import errors

from kafka_fleet.collect.admin.guarded_sockets import Forbidden


class Late(Exception):
    """The wall-clock deadline of the admin sweep has come."""


# what a read of the admin protocol may raise; LookupError, TypeError and AttributeError: the library met an answer of a
# release that it does not expect, or one that is none
FAULTS = (errors.KafkaError, Late, OSError, LookupError, TypeError, AttributeError, ValueError)
UNREADABLE = "an answer that the Kafka library cannot read"
_KINDS: list[tuple[tuple[type[BaseException], ...], str]] = [
    ((Late,), "the deadline has passed"),
    ((errors.KafkaTimeoutError, errors.RequestTimedOutError, TimeoutError), "no answer in time"),
    ((errors.UnsupportedVersionError,), "the broker does not know the request"),
    ((errors.InvalidReceiveError,), "an answer that is too large, or no answer of Kafka"),
    ((errors.KafkaProtocolError,), UNREADABLE),
    ((errors.KafkaConnectionError, errors.NodeNotReadyError, errors.Cancelled, OSError), "no connection, or it broke"),
    ((LookupError, TypeError, AttributeError, ValueError), UNREADABLE),
]


def sentence(error: BaseException) -> str:
    """The kind of the fault and what it means, such as `KafkaTimeoutError: no answer in time`."""
    if isinstance(error, Forbidden):
        return f"forbidden: {error.args[0]}"
    name = type(error).__name__
    for types, meaning in _KINDS:
        if isinstance(error, types):
            return meaning if isinstance(error, Late) else f"{name}: {meaning}"
    if isinstance(error, errors.BrokerResponseError):
        code = f"{type(error).message} (error code {type(error).errno})"
        return f"{name}: the broker answers {code}"
    return f"{name}: the request failed"


def of_content(error: BaseException) -> bool:
    """Whether a smaller request may do better: not where nobody answers, or time is up."""
    nobody = (Late, errors.KafkaTimeoutError, errors.RequestTimedOutError, errors.KafkaConnectionError, OSError)
    return not isinstance(error, (*nobody, errors.NodeNotReadyError, errors.Cancelled))
