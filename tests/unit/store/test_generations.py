"""Generations: unique claims under rivals, a pointer that only moves forward, days that are days."""

import subprocess
import sys
from pathlib import Path

import pytest

from kafka_fleet.store.generations import Overtaken, claim_generation, current_generation, publish
from kafka_fleet.store.home_names import POINTER, checked_day

DS = "2026-11-20"
PLUGINS = Path(__file__).resolve().parents[3] / "plugins"


def rivals(count: int, code: str, *arguments: str) -> list[str]:
    """Run the same code in that many processes at once; gives what each printed."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(PLUGINS)!r})\n{code}", *arguments]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    printed = [one.communicate(timeout=60)[0] for one in started]
    assert [one.returncode for one in started] == [0] * count
    return printed


@pytest.mark.fault(44)
def test_eight_processes_claim_eighty_different_generations(tmp_path):
    code = (
        "from pathlib import Path; from kafka_fleet.store.generations import claim_generation as claim\n"
        "print(*[claim(Path(sys.argv[1]), sys.argv[2]) for _ in range(10)])"
    )
    names = [name for text in rivals(8, code, str(tmp_path), DS) for name in text.split()]
    assert sorted(names) == [f"g{number:04d}" for number in range(1, 81)]


def test_claims_go_on_after_the_highest_and_past_9999(tmp_path):
    for name in ("g0003", "g9999", "notes", "g12"):
        (tmp_path / f"runs/ds={DS}" / name).mkdir(parents=True)
    assert claim_generation(tmp_path, DS) == "g10000"
    assert claim_generation(tmp_path, "2026-11-21") == "g0001"


@pytest.mark.parametrize(
    "text",
    [
        "../x",
        "2026-11-20/..",
        "2026-02-30",
        "20261120",
        "2026-11-20\n",
        "",
        "2026-W47-5",
        "\uff12\uff10\uff12\uff16-11-20",
        "today",
        "a" * 9999,
    ],
)
def test_a_day_is_a_day_and_never_a_path(tmp_path, text):
    with pytest.raises(ValueError, match="YYYY-MM-DD") as caught:
        checked_day(text)
    assert len(str(caught.value)) < 120
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        claim_generation(tmp_path, text)
    assert list(tmp_path.iterdir()) == []
    assert checked_day(DS) == DS


@pytest.mark.fault(45)
def test_a_run_that_was_overtaken_cannot_undo_the_later_one(tmp_path):
    folder = tmp_path / f"findings/ds={DS}"
    assert current_generation(folder) is None
    publish(folder, "g0001")
    publish(folder, "g0001")
    publish(folder, "g0002")
    with pytest.raises(Overtaken, match="g0002 is published, g0001 is older"):
        publish(folder, "g0001")
    assert current_generation(folder) == "g0002"
    publish(folder, "g10000")
    with pytest.raises(Overtaken):
        publish(folder, "g9999")


@pytest.mark.fault(44, 45)
def test_rivals_that_publish_at_once_leave_the_highest(tmp_path):
    code = (
        "from pathlib import Path\n"
        "from kafka_fleet.store.generations import Overtaken, claim_generation as claim, publish\n"
        "home = Path(sys.argv[1])\n"
        "for _ in range(20):\n"
        "    try: publish(home / 'findings', claim(home, sys.argv[2]))\n"
        "    except Overtaken: pass"
    )
    rivals(3, code, str(tmp_path), DS)
    assert current_generation(tmp_path / "findings") == "g0060"


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"generation": 7}', '{"generation": "../../x"}', "null", "\\xff"]
)
def test_a_damaged_pointer_names_nothing(tmp_path, content):
    (tmp_path / POINTER).write_text(content)
    with pytest.raises(ValueError, match="names no generation"):
        current_generation(tmp_path)


@pytest.mark.parametrize("name", ["", "g1", "../g0001", "g0001/..", "G0001"])
def test_what_is_no_generation_is_not_published(tmp_path, name):
    with pytest.raises(ValueError, match="names no generation"):
        publish(tmp_path / "findings", name)
    assert list(tmp_path.iterdir()) == []
