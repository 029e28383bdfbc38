"""What the documentation tells a reader to type: verbs and options exist, scripts and modules too, fleet files load."""

import importlib.util
import re
from pathlib import Path

import pytest

from kafka_fleet.cli.main import command_parser, main
from kafka_fleet.prometheus_import.mapping import load_mapping
from support.inspection.doc_commands import PAGES, ROOT, blocks, calls

TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}


def every(program: str) -> list[tuple[str, list[str]]]:
    return [(page, words) for page, text in TEXTS.items() for words in calls(text, program)]


def test_every_call_of_kafka_fleet_has_a_verb_and_options_that_exist():
    found = every("kafka-fleet")
    for page, words in found:
        try:
            command_parser().parse_args(words)
        except SystemExit:
            pytest.fail(f"{page}: kafka-fleet {' '.join(words)}")
    verbs = {page: {words[0] for name, words in found if name == page} for page, _words in found}
    assert verbs["docs/tutorial.md"] == {"check", "collect", "analyze", "findings", "report", "mail"}
    assert verbs["README.md"] == verbs["docs/tutorial.md"]
    assert verbs["docs/everyday.md"] == {"acknowledge", "history", "replay"}


def test_a_wrong_option_would_be_seen():
    assert calls("```bash\nX=1 kafka-fleet check --flet \\\n  f.yaml  # no\ntime\n```\n", "kafka-fleet") == [
        ["check", "--flet", "f.yaml"]
    ]
    with pytest.raises(SystemExit):
        command_parser().parse_args(["check", "--flet", "f.yaml"])


def test_every_script_and_module_that_is_run_exists():
    for page, text in TEXTS.items():
        for block in blocks(text, "bash"):
            for script in re.findall(r"(?<![\w./$-])((?:scripts|docs|spark)/[\w./-]+)", block):
                assert (ROOT / script).is_file(), f"{page}: {script}"
            for module in re.findall(r"python -m ([\w.]+)", block):
                assert importlib.util.find_spec(module), f"{page}: {module}"


def fleet_files() -> list[tuple[str, str]]:
    shown = [(page, block) for page, text in TEXTS.items() for block in blocks(text, "yaml")]
    return [(page, block) for page, block in shown if "\nclusters:" in block and "selector:" not in block]


@pytest.mark.parametrize(("page", "content"), fleet_files(), ids=[name for name, _content in fleet_files()])
def test_every_fleet_file_that_is_shown_is_valid(page: str, content: str, tmp_path: Path, capsys):
    path = tmp_path / "fleet.yaml"
    path.write_text(content)
    assert main(["check", "--fleet", str(path)]) == 0, page
    assert "1 valid cluster, 0 errors" in capsys.readouterr().out


def test_the_map_of_an_import_that_is_shown_is_valid(tmp_path: Path):
    (content,) = [block for block in blocks(TEXTS["docs/history.md"], "yaml") if "selector:" in block]
    (tmp_path / "map.yaml").write_text(content)
    assert load_mapping(tmp_path / "map.yaml").clusters["payments-eu"].broker_label == "pod"


def test_the_readme_and_the_tutorial_show_one():
    assert {name for name, _content in fleet_files()} >= {"README.md", "docs/tutorial.md"}
