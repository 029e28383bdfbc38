"""The calls of Airflow that the documentation shows, against Airflow's own parser."""

import os

import pytest
from airflow.cli import cli_parser

from support.inspection.doc_commands import PAGES, calls


def test_every_call_of_airflow_is_one(monkeypatch):
    monkeypatch.setitem(os.environ, "COLUMNS", "200")
    parser, seen = cli_parser.get_parser(), set()
    for page in PAGES:
        for words in calls(page.read_text(encoding="utf-8"), "airflow"):
            try:
                parser.parse_args(words)
            except SystemExit:
                pytest.fail(f"{page.name}: airflow {' '.join(words)}")
            seen.add(" ".join(words[:2]))
    assert seen >= {"standalone", "dags unpause", "dags trigger", "backfill create"}
    with pytest.raises(SystemExit):
        parser.parse_args(["dags", "unpase", "fleet_collect"])
