"""The reference against the code: its index names every page, the command line every verb, conditions every folder."""

import re
from pathlib import Path

import pytest

from docs_generator import command_page, file_page
from kafka_fleet.cli.main import main
from kafka_fleet.knowledge.advisories import Advisory, load_advisories
from kafka_fleet.knowledge.conditions import asked_by, load_conditions

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_the_index_names_every_page_of_the_reference_and_the_readme_names_the_index():
    folder = DOCS / "reference"
    linked = set(re.findall(r"\]\(([\w./-]+)\)", (folder / "README.md").read_text(encoding="utf-8")))
    assert {path.name for path in folder.glob("*.md")} - {"README.md"} <= linked
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/reference/README.md)" in readme
    assert f"]({command_page.PAGE})" in readme


def test_the_command_line_page_has_what_help_shows(capsys):
    sections = re.split(r"^###? ", command_page.command_page() + command_page.inner_page(), flags=re.MULTILINE)[1:]
    for section in sections:
        verb = section.split("\n", 1)[0]
        with pytest.raises(SystemExit):
            main([*verb.split(), "--help"])
        shown = set(re.findall(r"^  (?:-h, )?(--[\w-]+)", capsys.readouterr().out, re.MULTILINE)) - {"--help"}
        named = set(re.findall(r"(?:^\| |Takes |, )`(--[\w-]+)", section, re.MULTILINE))
        assert named == shown, verb
    with pytest.raises(SystemExit):
        main(["--help"])
    verbs = re.search(r"\{([\w,-]+)\}", capsys.readouterr().out)
    assert verbs is not None
    names = [section.split("\n", 1)[0] for section in sections]
    assert [name for name in names if " " not in name] == verbs[1].split(",")


def test_every_key_of_an_advisory_is_listed_and_every_part_that_is_linked_is_there():
    page = file_page.file_page()
    issue = page.split("## A known issue", 1)[1].split("\n## ", 1)[0]
    assert re.findall(r"^- `(\w+)`", issue, re.MULTILINE) == list(Advisory.model_fields)
    linked = set(re.findall(r"\]\(#(\w+)\)", page))
    assert linked == {name.lower() for name in re.findall(r"^### (\w+)$", page, re.MULTILINE)}


def test_the_table_of_conditions_has_every_folder_with_the_advisories_that_ask_for_it():
    text = (DOCS / "conditions.md").read_text(encoding="utf-8").split("| Condition | Advisory |", 1)[1]
    rows = [line.strip("|").split("|") for line in text.split("<!-- end", 1)[0].splitlines()[2:]]
    listed = {row[0].strip(" `"): set(re.findall(r"[A-Z]+-[A-Z0-9-]+", row[1])) for row in rows}
    asking: dict[str, set[str]] = {name: set() for name in load_conditions()}
    for advisory in load_advisories().values():
        for name in asked_by(advisory):
            asking[name].add(advisory.id)
    assert listed == asking
