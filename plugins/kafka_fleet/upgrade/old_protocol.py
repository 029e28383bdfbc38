"""Clients before an upgrade to 4.x: takes the day's facts, gives what brokers counted of them, and sentences.

The owner is asked only where brokers cannot count: releases before 3.7 do not, and some were not read.
"""

from typing import TypedDict

from kafka_fleet.knowledge.facts import ClusterFacts

CLIENT_FLOOR = "2.1"  # Java clients from here on speak to 4.x
_ASKED = "old_protocol"  # sql/conditions/


class OldProtocol(TypedDict):
    """Clients that 4.x refuses, as the condition old_protocol found them (documents/cluster_report.py)."""

    answer: bool | None
    sentence: str
    clients: list[str]
    missing: list[str]


def old_protocol(facts: ClusterFacts) -> OldProtocol | None:
    """What the condition answered; None where it was not asked."""
    if _ASKED not in facts.because:
        return None
    return {
        "answer": facts.measured.get(_ASKED),
        "sentence": facts.because[_ASKED],
        "clients": list(facts.found.get(_ASKED, ())),
        "missing": list(facts.unread.get(_ASKED, ())),
    }


def client_sentences(facts: ClusterFacts) -> list[str]:
    """What has to be done about clients before the brokers go to 4.x, or that nothing has."""
    known = old_protocol(facts)
    if known is not None and known["answer"] is False:
        return [f"{_capital(known['sentence'])}; a job that did not run in that time was not seen."]
    done = []
    if known is not None and known["answer"]:
        done.append(f"Upgrade these clients first: {known['sentence']}.")
    missing = known["missing"] if known is not None else []
    if known is None or missing:
        why = f" Brokers did not tell: {'; '.join(missing)}." if missing else ""
        floor = f"See that no Java client below {CLIENT_FLOOR} is connected"
        done.append(f"{floor}: 4.x refuses their old protocol versions.{why}")
        done += _unnamed(facts)
    return done


def _unnamed(facts: ClusterFacts) -> list[str]:
    """Connections that may be of clients too old for 4.x: a library names itself from 2.4 on."""
    found = [c for c in facts.clients or () if c.software.casefold() in ("unknown", "") and c.connections > 0]
    listed = ", ".join(f"{c.connections:g} on listener {c.listener}" for c in sorted(found, key=lambda c: c.listener))
    return [f"Find out whose connections name no library ({listed}): Java clients below 2.4 do not."] if found else []


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
