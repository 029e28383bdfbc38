"""The generated pages: in step with the data, complete, nothing left over; text from files is text and no markup."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

import generate
from docs_generator import ROOT, advisory_pages, document_pages, knowledge_sums, mark_table, signature_pages
from docs_generator.markdown import code, escape, fill, row
from docs_generator.releases import affected_short, affected_table
from docs_generator.sources import linked
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.report.formatting import VERDICTS
from kafka_fleet.schema import mbeans


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A tree with the README, the documentation, the generated module and checksums, to be spoiled."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / mark_table.MODULE).parent.mkdir(parents=True)
    shutil.copy(ROOT / mark_table.MODULE, tmp_path / mark_table.MODULE)
    (tmp_path / knowledge_sums.FILE).parent.mkdir()
    shutil.copy(ROOT / knowledge_sums.FILE, tmp_path / knowledge_sums.FILE)
    return tmp_path


def test_every_generated_page_and_block_is_in_step():
    stale = generate.outdated()
    assert not stale, f"run python docs/generate.py: {', '.join(stale)}"


def test_every_member_of_a_stored_document_has_a_meaning():
    pages = document_pages.document_pages()
    rows = [line.split(" | ") for page in pages.values() for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 150
    assert [cells for cells in rows if len(cells) != 4 or not cells[3].strip(" |")] == []
    parts = {line.lstrip("# ") for page in pages.values() for line in page.splitlines() if line.startswith("##")}
    linked = {name for page in pages.values() for name in re.findall(r"\[(\w+)\]\((?:\w+\.md)?#", page)}
    assert linked <= parts
    assert {"Finding", "ClusterReport", "DaySummary", "FleetSummary", "Plots", "Mail"} <= parts


def test_missing_changed_and_left_over_pages_are_found(copied):
    assert generate.outdated(copied) == {}
    (copied / "docs/advisories/KAFKA-14334.md").unlink()
    (copied / "docs/advisories/KAFKA-0.md").write_text("of an advisory that is gone")
    (copied / "docs/signatures/gone.md").write_text("of a signature that is gone")
    index = copied / "docs/advisories/README.md"
    index.write_text(index.read_text().replace("KAFKA-10888", "KAFKA-10889"))
    conditions = copied / "docs/conditions.md"
    conditions.write_text(conditions.read_text().replace("| `min_isr_unsafe` |", "| `min_isr_safe` |"))
    trust = copied / "docs/trust.md"
    trust.write_text(trust.read_text().replace("| `unclean_restart` | `killed` |", "| `unclean_restart` | `ended` |"))
    page = copied / "docs/signatures/fetch_latency.md"
    page.write_text(page.read_text().replace("| `min_bytes` |", "| `most_bytes` |"))
    found = generate.outdated(copied)
    left_over = {"docs/advisories/KAFKA-0.md", "docs/signatures/gone.md"}
    assert {name for name, text in found.items() if text is None} == left_over
    assert set(found) - left_over == {
        "docs/advisories/KAFKA-14334.md", "docs/advisories/README.md", "docs/signatures/fetch_latency.md",
        "docs/conditions.md", "docs/trust.md",
    }  # fmt: skip


def test_a_signature_without_a_page_gets_one_whose_blocks_are_then_kept_in_step(copied):
    path = copied / "docs/signatures/partition_skew.md"
    path.unlink()
    found = generate.outdated(copied)
    assert list(found) == ["docs/signatures/partition_skew.md"]
    text = found["docs/signatures/partition_skew.md"]
    assert text is not None
    path.write_text(text)
    assert generate.outdated(copied) == {}
    signature = load_signatures()["partition_skew"]
    for block in signature_pages.signature_blocks(signature).values():
        assert block in text


def test_check_fails_exactly_where_something_is_out_of_step(monkeypatch, capsys):
    assert generate.main(["--check"]) == 0
    monkeypatch.setattr(generate, "outdated", lambda: {"docs/a.md": "text", "docs/b.md": None})
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == ["docs/a.md: out of step", "docs/b.md: left over"]


def test_filling_a_block_that_is_missing_or_twice_is_refused():
    block = "<!-- generated: x -->\nold\n<!-- end: x -->\n"
    assert fill(f"a\n{block}b", "x", r"new \1") == "a\n<!-- generated: x -->\nnew \\1\n<!-- end: x -->\nb"
    for text in ("nothing", block + block):
        with pytest.raises(ValueError, match="exactly once"):
            fill(text, "x", "new")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<script> & <!-- end: x -->", r"\<script\> & \<!-- end: x --\>"),
        ("[a](https://b) `c` *d* ~~e~~", r"\[a\](https://b) \`c\` \*d\* \~\~e\~\~"),
        ("OUT_OF_ORDER, _so_ &amp; a|b\\", r"OUT_OF_ORDER, \_so\_ \&amp; a\|b\\"),
        ("# no head\n- no list", r"\# no head - no list"),
        ("1. no number", r"1\. no number"),
    ],
)
def test_text_stays_text(text, wanted):
    assert escape(text) == wanted
    assert row(escape(text)).count("|") - row(escape(text)).count(r"\|") == 2
    assert row(code("a|b")) == r"| `a\|b` |"


def test_an_advisory_s_page_says_everything_that_its_file_does():
    for name, one in load_advisories().items():
        text = (ROOT / f"{advisory_pages.FOLDER}/{name}.md").read_text(encoding="utf-8")
        said = [one.title, one.summary, one.mechanism, one.workaround, one.why_upgrade, one.notes or ""]
        said += [condition.description for condition in one.preconditions]
        assert [part for part in said if escape(part) not in text] == [], name
        assert [source for source in one.sources if linked(source) not in text] == [], name
        shown = {verdict for verdict in VERDICTS if f"| `{verdict}` |" in text}
        assert (shown >= {"confirmed", "look_alike"}) == (one.signature is not None), name
        assert one.signature is None or f"(../signatures/{one.signature.id}.md)" in text, name


def test_releases_in_words():
    known = load_advisories()
    rows = affected_table(known["KAFKA-14334"]).splitlines()[2:]
    assert rows[-1] == "| 3.3 | 3.3.0 to 3.3.1 | 3.3.2 | 3.9.2 |"
    assert rows[0].startswith("| 2.4 to 3.2 | every release | none on this line | ")
    assert affected_short(known["KAFKA-14334"]) == "2.4.0 to 3.3.1"
    assert affected_short(known["CVE-2024-56128"]) == "0.10.2.0 to 3.7.1, 3.8.0"
    assert affected_table(known["OPS-LAST-ROLL"]).startswith("No release decides")
    assert "4.3.2, not published yet" in affected_table(known["CVE-2026-111108"])


def test_sources_lead_to_commits_issues_and_pull_requests():
    assert linked("git dbf5826cd5 (3.4.0)").startswith(
        "git [dbf5826cd5](https://github.com/apache/kafka/commit/dbf5826cd5)"
    )
    assert linked("KAFKA-20616") == "[KAFKA-20616](https://issues.apache.org/jira/browse/KAFKA-20616)"
    assert linked("apache/kafka pulls 22378, 3").count("](https://github.com/apache/kafka/pull/") == 1
    assert linked("Kafka documentation, Upgrading 2025000") == "Kafka documentation, Upgrading 2025000"


def test_the_policy_names_every_read_and_nothing_else():
    restrict = ElementTree.parse(ROOT / "docs/jolokia-access.xml").getroot()  # noqa: S314 - a file of ours
    assert [child.tag for child in restrict] == ["remote", "http", "commands", "allow"]
    assert list(restrict.iterfind("commands/*")) == []
    allowed = {
        (entry.findtext("name"), attribute.text)
        for entry in restrict.iterfind("allow/mbean")
        for attribute in entry.iterfind("attribute")
    }
    assert {attribute.get("mode") for attribute in restrict.iter("attribute")} == {"read"}
    beans = list(restrict.iterfind("allow/mbean"))
    called = {(one.findtext("name"), found.text) for one in beans for found in one.iter("operation")}
    assert called == {("java.lang:type=Threading", name) for name in ("findDeadlockedThreads", "getThreadInfo([J,int)")}
    every = [mbeans.read_request(bean) for kind in (mbeans.PARTITIONS, mbeans.BROKER) for bean in mbeans.beans(kind)]
    asked = [one for one in every if one["type"] == "read"]
    assert allowed == {(one["mbean"], attribute) for one in asked for attribute in one["attribute"]}
