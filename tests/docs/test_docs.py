"""The documentation against the code: takes the pages, compares commands, tables and links with what is installed."""

import re
import stat
from pathlib import Path

import pytest

from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.verdicts import verdict
from kafka_fleet.report.formatting import VERDICTS
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.endpoint_tables import ENDPOINT_TABLES
from kafka_fleet.schema.look_tables import LOOK_TABLES
from kafka_fleet.schema.quorum_tables import QUORUM_TABLES
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.schema.transaction_tables import TRANSACTION_TABLES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")] + sorted(
    ROOT.glob("docs/**/*.md")
)

REQUESTS = {"requests", "request_times", "request_errors", "deprecated_requests"}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows(text: str, head: str) -> list[list[str]]:
    """The rows of the Markdown table whose head row begins with `head`."""
    after = text.split(f"\n{head}", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [cells(line) for line in after if line.startswith("|")]


def test_the_first_code_block_is_the_two_commands_and_ci_runs_the_second():
    first = re.search(r"^```\w*\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert first is not None
    demo, test = first[1].splitlines()
    assert (demo, test) == ("scripts/demo", "scripts/test")
    for script in (demo, test, ".ci/run"):
        assert (ROOT / script).stat().st_mode & stat.S_IXUSR, script
    code = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line.strip() and not line.startswith("#")]
    assert re.search(rf"/{test}\b", code[-1]), "the last thing that .ci/run does is the second command"
    assert not any(re.search(r"\|\| true|set \+e", line) for line in code)


def test_the_readme_lists_exactly_the_installed_signatures():
    listed = [re.sub(r"^\[?`(\w+)`.*", r"\1", row[0]) for row in rows(README, "| Signature |")]
    installed = load_signatures()
    assert listed == list(installed)
    for row, signature in zip(rows(README, "| Signature |"), installed.values(), strict=True):
        assert row[1] == signature.title
        assert re.findall(r"`(\w+)`", row[2]) == list(signature.causes)


def test_every_raw_table_and_column_has_a_page():
    for page, names in (
        (
            "raw_tables.md",
            set(raw_schemas())
            - {*mbeans.tables(), *TRANSACTION_TABLES, *QUORUM_TABLES, *ENDPOINT_TABLES, *LOOK_TABLES},
        ),
        ("raw_transactions.md", TRANSACTION_TABLES),
        ("raw_quorum.md", QUORUM_TABLES),
        ("raw_endpoints.md", ENDPOINT_TABLES),
        ("looks.md", LOOK_TABLES),
        ("raw_metrics.md", set(mbeans.tables()) - REQUESTS),
        ("raw_requests.md", REQUESTS),
    ):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
        assert set(sections) == set(names)
        for name, section in sections.items():
            shown = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
            hidden = [column for column in raw_schemas()[name].names if column not in shown]
            assert hidden == raw_schemas()[name].names[: len(hidden)], "only the leading common columns are left out"
            assert set(hidden) <= {"cluster", "sweep_at", "broker", "read_at"}


def test_the_verdict_table_is_the_code_s():
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    cases = [("detected", "conclusive", True), ("detected", "suggestive", True), ("quiet", None, True),
             ("not_evaluated", None, True), (None, None, False)]  # fmt: skip
    table = rows(page, "| Exposure | Detected, conclusive |")
    assert [row[0] for row in table] == ["exposed", "unknown", "not_exposed"]
    for row in table:
        shown = [re.sub(r"^`(\w+)`.*", r"\1", cell) for cell in row[1:]]
        assert shown == [verdict(row[0], state, strength, signed) for state, strength, signed in cases]


def test_the_readme_says_what_each_verdict_means():
    meanings = {row[0].strip("`"): row[1] for row in rows(README, "| Verdict | Meaning |")}
    assert set(meanings) == set(VERDICTS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_named_files_exist(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert target.startswith("https://") or (page.parent / target).exists(), target
    for name in re.findall(r"`((?:docs|plugins|scripts|sql|tests|demo|dags)/[\w./-]+)`", text):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_is_too_long_or_names_a_machine(page):
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    assert not re.search(r"/(?:root|work|tmp)/|/home/\w", text)


def test_the_picture_is_a_png_1000_pixels_wide():
    content = (ROOT / "docs" / "letter.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(content[16:20], "big") == 1000


def test_the_verdicts_page_says_of_each_what_to_do_and_shows_one():
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    for head in ("| Verdict | It claims |", "| Verdict | The cluster |"):
        assert {row[0].strip("`") for row in rows(page, head)} == set(VERDICTS)
