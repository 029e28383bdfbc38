"""The contract of a findings list (schema version 1): takes the parsed list, asserts keys, types, words and order."""

from datetime import datetime
from typing import Any

from kafka_fleet.knowledge.signatures import load_signatures

NONE = type(None)
KEYS: dict[str, tuple[type, ...]] = {
    "schema_version": (int,),
    "ds": (str,),
    "cluster": (str,),
    "advisory": (str, NONE),
    "signature": (str, NONE),
    "cause": (str, NONE),
    "strength": (str, NONE),
    "verdict": (str,),
    "severity": (str,),
    "components": (list,),
    "exposure": (str, NONE),
    "signature_state": (str, NONE),
    "release": (str, NONE),
    "subjects": (list,),
    "upgrade_to": (str, NONE),
    "workaround": (str, NONE),
    "missing": (list,),
    "bounds": (dict, list, str, NONE),
    "evidence": (list,),
}
LATER: dict[str, tuple[type, ...]] = {  # earlier versions wrote none
    "fingerprint": (str,),
    "first_day": (str, NONE),
    "last_day": (str, NONE),
}
EVIDENCE: dict[str, tuple[type, ...]] = {
    "metric": (str,),
    "value": (int, float),
    "unit": (str,),
    "threshold": (int, float, NONE),
    "where": (str,),
    "from": (str,),
    "to": (str,),
    "mbean": (str,),
}
WORDS = {
    "verdict": {"confirmed", "exposed", "not_affected", "unknown", "look_alike"},
    "severity": {"critical", "high", "medium", "low", "info"},
    "exposure": {"exposed", "not_exposed", "unknown", None},
    "signature_state": {"detected", "quiet", "not_evaluated", None},
    "strength": {"conclusive", "suggestive", None},
}
CAUSES = {name: set(one.causes) for name, one in load_signatures().items()}
COMPONENTS = {
    "broker", "controller", "client-producer", "client-consumer", "client", "streams", "connect", "host", "topic",
}  # fmt: skip
MOMENT = "%Y-%m-%dT%H:%M:%SZ"


def assert_contract(findings: list[dict[str, Any]], ds: str) -> None:
    """Every object has exactly the contract's keys, types and words; the list is sorted and names nothing twice."""
    for finding in findings:
        assert set(finding) in (set(KEYS), {*KEYS, *LATER})
        for key, types in (KEYS | {key: LATER[key] for key in LATER if key in finding}).items():
            assert type(finding[key]) in types, (key, finding[key])
        for key, words in WORDS.items():
            assert finding[key] in words, (key, finding[key])
        assert finding["signature"] in {*CAUSES, None}, finding["signature"]
        assert finding["cause"] in {*CAUSES.get(finding["signature"], ()), None}, finding["cause"]
        assert finding["schema_version"] == 1
        assert finding["ds"] == ds
        if "first_day" in finding:
            first, last = finding["first_day"], finding["last_day"]
            assert first <= last <= ds if first and last else first is last is None
            assert first or finding["verdict"] in ("not_affected", "unknown")
        assert finding["components"]
        assert set(finding["components"]) <= COMPONENTS
        assert all(type(text) is str and text for text in [*finding["subjects"], *finding["missing"]])
        for line in finding["evidence"]:
            assert set(line) == set(EVIDENCE)
            assert all(type(line[key]) in types for key, types in EVIDENCE.items()), line
            assert datetime.strptime(line["from"], MOMENT) <= datetime.strptime(line["to"], MOMENT)
        if finding["verdict"] == "confirmed":
            assert finding["exposure"] == "exposed"
            assert finding["strength"] == "conclusive"
            assert finding["evidence"]
            assert finding["subjects"]
        if finding["advisory"] is None:
            assert finding["verdict"] == "look_alike"
    order = [
        (f["cluster"], f["advisory"] is None, f["advisory"] or "", f["signature"] or "", f["cause"] or "")
        for f in findings
    ]
    assert order == sorted(order)
    assert len(order) == len(set(order))
