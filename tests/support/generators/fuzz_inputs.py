"""Inputs of the fuzz tests: takes how many a test has in a short run, gives as many seeded ones as were asked for.

FLEET_FUZZ_TIMES=50 runs fifty times as many; FLEET_FUZZ_SEED gives others. An input is made of its number and the seed
alone, so a failure names what makes it again.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("FLEET_FUZZ_TIMES", "1"))
SEED = os.environ.get("FLEET_FUZZ_SEED", "1")
MARKS = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\n", b" ", b"-", b"0", b"9" * 25, b"1e400", b"NaN", b"null"]
MARKS += [
    b"\xff",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\x00",
    b"!!int ",
    b"&a ",
    b"*a",
    b"#",
    b"'",
    b"? ",
    b"- ",
    b"=",
    b"true",
]
MARKS += [
    "\u202e".encode(),
    "\u0663".encode(),
    b"<script>",
    b"../",
    b"%0a",
    b"@",
    b"1_2",
    b'"":',
    b"{}",
    b"[]",
    b"1:2:3",
]


def randoms(few: int) -> Iterator[tuple[int, Random]]:
    """The number of each input, and what it is made from."""
    for number in range(few * TIMES):
        yield number, Random(f"{SEED}/{number}")  # noqa: S311 - to be had again, not to be kept secret


def generated(few: int) -> settings:
    """Settings of a hypothesis test that has `few` examples in a short run, from a fixed seed.

    The seed is not all: hypothesis also tries constants of the modules that are loaded, which differ between runs.
    """
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(
        max_examples=few * TIMES, deadline=None, database=None, derandomize=TIMES == 1, suppress_health_check=checks
    )


def mutated(random: Random, given: bytes, others: Sequence[bytes] = ()) -> bytes:
    """The bytes with one to four changes: cut, doubled, moved, spliced with another input, or with a mark put in."""
    found = given
    for _change in range(random.choice((1, 1, 1, 2, 4))):
        start = random.randrange(len(found) + 1)
        end = min(len(found), start + random.choice((0, 1, 2, 8, 40, 400)))
        piece = found[start:end]
        kind = random.randrange(7)
        if kind == 0:
            found = found[:start] + found[end:]
        elif kind == 1:
            found = found[:end] + piece + found[end:]
        elif kind == 2:
            found = found[:start] + random.choice(MARKS) + found[end:]
        elif kind == 3:
            found = found[:start] + random.choice(MARKS) + found[start:]
        elif kind == 4 and others:
            other = random.choice(others)
            begin = random.randrange(len(other) + 1)
            found = found[:start] + other[begin : begin + random.choice((1, 8, 80))] + found[end:]
        elif kind == 5 and found:
            place = random.randrange(len(found))
            found = found[:place] + bytes([random.randrange(256)]) + found[place + 1 :]
        else:
            found = found[:start]
    return found


ODD = [
    "",
    "\x00",
    "a\nb",
    "\r\nBcc: x@example.org",
    "\u202e",
    "\ud800",
    "=1+1",
    "{{7*7}}",
    "<script>",
    "../..",
    "9" * 5000,
]
ODD += [
    "x" * 5000,
    "canary=hunter2",
    "\x1b[31m",
    "\u0663",
    "null",
    "e\u0301\u0301\u0301\u0301",
    "%0d%0a",
    "http://u:p@h/",
]


def value(random: Random, depth: int = 3) -> Any:
    """Any value that a parsed file can hold."""
    kind = random.randrange(9 if depth else 6)
    if kind == 0:
        return random.choice(ODD)
    if kind == 1:
        return random.choice((0, -1, 1, 3, 2**31, 2**63, 10**30))
    if kind == 2:
        return random.choice((0.5, -0.0, 1e308, float("inf"), float("nan")))
    if kind == 3:
        return random.choice((None, True, False))
    if kind in (4, 5):
        return "".join(chr(random.choice((random.randrange(32, 127), random.randrange(0x3000)))) for _ in range(8))
    if kind == 6:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    return {random.choice((*ODD[:6], 1, None, "id", "version", 2.5)): value(random, depth - 1) for _ in range(3)}


def grafted(random: Random, given: Any) -> Any:
    """The structure with one part of it replaced, removed, or added."""
    if isinstance(given, dict) and given and random.random() < 0.85:
        key = random.choice(list(given))
        if random.random() < 0.1:
            return {name: one for name, one in given.items() if name != key}
        if random.random() < 0.1:
            return {**given, random.choice((*ODD[:8], "version", 7)): value(random)}
        return {**given, key: grafted(random, given[key])}
    if isinstance(given, list) and given and random.random() < 0.8:
        place = random.randrange(len(given))
        return [grafted(random, one) if number == place else one for number, one in enumerate(given)]
    return value(random)


def tried(error: type[Exception], call: Callable[..., Any], *given: Any) -> tuple[Any, Exception | None]:
    """What a call gives, or the one error that is documented for it; any other error ends the test."""
    try:
        return call(*given), None
    except error as met:
        return None, met


def one_line(text: str, most: int = 1000) -> bool:
    """Whether a sentence can be printed: one line, no control character, of bounded length."""
    return bool(text.strip()) and text.isprintable() and len(text) <= most
