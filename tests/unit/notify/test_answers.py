"""A refusal is told in the words of who refused: its first bytes, as a known form, without a secret."""

import json
import socket
import time

import pytest

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection
from kafka_fleet.notify.answers import SAID, first_bytes, words_without
from kafka_fleet.notify.outcome import Outcome
from kafka_fleet.notify.sending import sender
from support.builders.channels import SECRET, message
from support.servers.byte_server import endless, listener
from support.servers.channel_server import ChannelServer

WRONG_KEY = {
    "status": "invalid event",
    "message": "Event object is invalid",
    "errors": ["Length of 'routing_key' is incorrect (should be 32 characters)"],
}


def tell(via: str, url: str, token: str = SECRET) -> Outcome:
    password = f"{url}/services/T0/B0/{token}" if via == "slack" else token
    connection = Connection(None, password, {}, url)
    return sender(Channel(via=via, connection="there"), connection, None, message(), "<id>", False).send()


@pytest.mark.parametrize(
    ("via", "status", "body", "sentence"),
    [
        ("slack", 404, "channel_is_archived", "it answered 404: channel_is_archived"),
        ("slack", 403, "invalid_token\n", "it answered 403: invalid_token"),
        ("slack", 500, "rollup_error", "it answered 500: rollup_error"),
        ("slack", 429, "rate_limited", "it answered 429: rate_limited"),
        ("pagerduty", 400, json.dumps(WRONG_KEY), "it answered 400: Event object is invalid; Length of 'routing_key' "
         "is incorrect (should be 32 characters)"),
        ("pagerduty", 429, '{"message": "Throttled"}', "it answered 429: Throttled"),
        ("pagerduty", 400, '{"message": "No", "errors": "one"}', "it answered 400: No; one"),
    ],
)  # fmt: skip
def test_a_refusal_is_told_in_its_own_words(
    other_end: ChannelServer, via: str, status: int, body: str, sentence: str
) -> None:
    other_end.status, other_end.body = lambda _number: status, body.encode()
    assert tell(via, other_end.url).reason == sentence
    assert len(other_end.requests) == 1


@pytest.mark.parametrize(
    ("via", "body"),
    [
        ("slack", b""),
        ("slack", b"<html>Not found</html>"),
        ("slack", b"no such thing"),
        ("slack", b"x" * 41),
        ("slack", b"x" * 5_000_000),
        ("slack", b"s_canary"),  # a part of the address
        ("slack", b"\xff\xfe"),
        ("pagerduty", b""),
        ("pagerduty", b"channel_is_archived"),
        ("pagerduty", b"[]"),
        ("pagerduty", b'{"message": 5, "errors": [5, null, {"a": "b"}]}'),
        ("pagerduty", b'{"message": "' + b"x" * 5_000_000 + b'"}'),
        ("pagerduty", b"\xff\xfe"),
        ("webhook", b"channel_is_archived"),
        ("teams", b'{"message": "no"}'),
    ],
)
def test_of_another_answer_only_the_status_is_told(other_end: ChannelServer, via: str, body: bytes) -> None:
    other_end.status, other_end.body = lambda _number: 404, body
    assert tell(via, other_end.url, token="s_canary" if via == "slack" else SECRET).reason == "it answered 404"


def test_pagerdutys_words_have_neither_key_nor_address_nor_hidden_characters(other_end: ChannelServer) -> None:
    place = other_end.url.removeprefix("http://")
    said = {"message": f"key {SECRET} at {place}\nis\u202e wrong", "errors": [f"{SECRET}{SECRET}"]}
    other_end.status, other_end.body = lambda _number: 400, json.dumps(said).encode()
    assert tell("pagerduty", other_end.url).reason == "it answered 400: key … at … is\\u202e wrong; ……"


@pytest.mark.parametrize("via", ["slack", "pagerduty"])
@pytest.mark.parametrize("length", ["Content-Length: 400", "Transfer-Encoding: chunked"])
def test_an_answer_that_breaks_off_is_still_an_answer(via: str, length: str) -> None:
    def broken(made: socket.socket) -> None:
        made.recv(65_536)
        made.sendall(f"HTTP/1.1 404 Not Found\r\n{length}\r\n\r\n".encode())

    with listener(broken) as place:
        found = tell(via, f"http://{place}")
    assert (found.verdict, found.reason) == ("refused", "it answered 404")


@pytest.mark.parametrize("via", ["slack", "pagerduty"])
def test_a_refusal_without_an_end_is_not_waited_for(via: str) -> None:
    head = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\n"
    with listener(endless(head, b"a" * 65_536)) as place:
        began = time.monotonic()
        assert tell(via, f"http://{place}").reason == "it answered 404"
    assert time.monotonic() - began < 20


def test_few_bytes_are_read_and_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    def parts(seconds: float):
        for number in range(10_000):
            taken.append(number)
            clock[0] += seconds
            yield b"x"

    clock = [0.0]
    monkeypatch.setattr("kafka_fleet.notify.answers.time.monotonic", lambda: clock[0])
    assert first_bytes(parts(0)) == b"x" * SAID
    assert len(taken) == SAID
    taken.clear()
    assert first_bytes(parts(10)) == b"x" * 4
    assert first_bytes([b"y" * 1000]) == b"y" * SAID


def test_the_longer_secret_is_left_out_first_and_an_empty_one_is_none() -> None:
    assert words_without(["key", "key-and-more", ""], ["a key-and-more", "b  key\n c"]) == "a …; b … c"
    assert len(words_without([], ["x" * 1000])) <= SAID + 1
