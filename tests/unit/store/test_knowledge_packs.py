"""Packs in a home: installed whole or not at all, chosen by name, and what is damaged or older is never used unsaid."""

import json
from pathlib import Path

import pytest

from kafka_fleet.base.errors import UsageError
from kafka_fleet.knowledge import pack as packs
from kafka_fleet.knowledge.metric_tables import shipped_names
from kafka_fleet.knowledge.pack import BUILTIN, METRICS, PackError, builtin_pack, used_pack, using
from kafka_fleet.store import knowledge_packs
from kafka_fleet.store.knowledge_packs import (
    choose,
    chosen_pack,
    install,
    installed_versions,
    use_chosen,
    use_for_sweeps,
    use_named,
)
from support.builders.packs import BUG, NEWER, NEWEST, OLDER, OWN, pack_files, write_pack


@pytest.fixture(autouse=True)
def the_programs_own():
    """What a test has used is used by no other."""
    with using(builtin_pack()):
        yield


def installed(home: Path, version: str = NEWER, **changed) -> None:
    install(home, pack_files(version, changed.get("changed")), "it", older=False)


def test_a_pack_is_installed_once_and_used_when_it_is_chosen(tmp_path: Path) -> None:
    files = pack_files(changed={BUG: None})
    pack, new = install(tmp_path, files, "it", older=False)
    assert (new, pack.folder, pack.version) == (True, tmp_path / f"knowledge/{NEWER}", NEWER)
    assert install(tmp_path, files, "it", older=False) == (pack, False)
    assert chosen_pack(tmp_path).builtin
    choose(tmp_path, NEWER, older=False)
    assert use_chosen(tmp_path) == pack == used_pack()
    assert packs.knowledge_folder() == tmp_path / f"knowledge/{NEWER}"
    choose(tmp_path, "builtin", older=False)
    assert use_chosen(tmp_path).builtin


def test_other_content_under_a_version_that_is_there_is_refused(tmp_path: Path) -> None:
    installed(tmp_path)
    for version in (NEWER, f"{NEWER}.0"):
        with pytest.raises(PackError, match=rf"there is {NEWER} .* a changed pack has a new version"):
            install(tmp_path, pack_files(version, {BUG: None}), "it", older=True)
    with pytest.raises(PackError, match=f"there is {OWN} "):
        install(tmp_path, pack_files(OWN, {BUG: None}), "it", older=True)
    assert installed_versions(tmp_path) == [NEWER]


def test_an_older_pack_is_refused_unless_somebody_says_so(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=f"it: {OLDER} is older than {OWN}; --older installs it"):
        installed(tmp_path, OLDER)
    installed(tmp_path, NEWEST)
    with pytest.raises(PackError, match=f"{NEWER} is older than {NEWEST}"):
        installed(tmp_path, NEWER)
    install(tmp_path, pack_files(OLDER), "it", older=True)
    with pytest.raises(PackError, match=f"{OLDER} is older than the program's own, {OWN}; --older uses it"):
        choose(tmp_path, OLDER, older=False)
    choose(tmp_path, OLDER, older=True)
    assert chosen_pack(tmp_path).version == OLDER


def test_a_newer_program_goes_before_a_pack_that_was_newer_once(tmp_path: Path, monkeypatch, caplog) -> None:
    installed(tmp_path)
    choose(tmp_path, NEWER, older=False)
    monkeypatch.setattr(knowledge_packs, "builtin_pack", lambda: builtin_pack()._replace(version="3000.1.1"))
    assert chosen_pack(tmp_path).builtin
    assert f"the pack {NEWER} is not used: the program's own, 3000.1.1, is newer" in caplog.text


def test_what_is_cut_short_leaves_no_pack(tmp_path: Path, monkeypatch) -> None:
    wrote = []

    def full(path: Path, content: bytes) -> None:
        wrote.append(path)
        if len(wrote) > 20:
            raise OSError(28, "No space left on device")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    with monkeypatch.context() as patch:
        patch.setattr(knowledge_packs, "replace_file", full)
        with pytest.raises(OSError, match="No space left"):
            installed(tmp_path)
    assert installed_versions(tmp_path) == []
    assert list((tmp_path / "knowledge").iterdir()) == []
    installed(tmp_path)
    assert installed_versions(tmp_path) == [NEWER]


def test_what_a_killed_install_left_is_no_pack(tmp_path: Path) -> None:
    write_pack(tmp_path / "knowledge/.installing-x", pack_files())
    (tmp_path / "knowledge/2999.9.9").mkdir(parents=True)
    assert installed_versions(tmp_path) == []


def test_a_pack_that_does_not_fit_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"releases\.yaml: needs as_of"):
        installed(tmp_path, changed={"releases.yaml": b"lines: {}\n"})
    assert not (tmp_path / "knowledge").exists()


@pytest.mark.parametrize("name", [BUG, "SHA256SUMS", "releases.yaml"])
def test_a_pack_that_was_changed_where_it_lies_is_not_used(tmp_path: Path, name: str) -> None:
    installed(tmp_path)
    choose(tmp_path, NEWER, older=False)
    knowledge_packs._checked.cache_clear()  # another process
    with (tmp_path / f"knowledge/{NEWER}/{name}").open("ab") as file:
        file.write(b"# one more line\n")
    with pytest.raises(PackError, match=r"SHA256SUMS does not fit|is not what was chosen"):
        use_chosen(tmp_path)


def test_a_pack_that_was_replaced_as_a_whole_is_not_what_was_chosen(tmp_path: Path) -> None:
    installed(tmp_path)
    choose(tmp_path, NEWER, older=False)
    write_pack(tmp_path / f"knowledge/{NEWER}", pack_files(NEWER, {"CHANGELOG.md": b"# Other\n"}))
    with pytest.raises(PackError, match="is not what was chosen: its checksum is"):
        use_chosen(tmp_path)


@pytest.mark.parametrize(
    "pointer", ["", "[]", '{"version": 1}', '{"version": "../..", "checksum": "", "older": false}']
)
def test_a_damaged_pointer_is_a_sentence(tmp_path: Path, pointer: str) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge/_current.json").write_text(pointer)
    with pytest.raises(PackError, match=r"names no pack|is neither a version of a pack nor builtin"):
        chosen_pack(tmp_path)


def test_the_setting_goes_before_what_was_chosen(tmp_path: Path, monkeypatch) -> None:
    installed(tmp_path)
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE", NEWER)
    assert chosen_pack(tmp_path).version == NEWER
    choose(tmp_path, NEWER, older=False)
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE", "builtin")
    assert chosen_pack(tmp_path).builtin
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE", NEWEST)
    with pytest.raises(PackError, match=f"no pack {NEWEST} is installed under {tmp_path}; there is: {NEWER}"):
        chosen_pack(tmp_path)
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE", "/etc")
    with pytest.raises(UsageError, match="KAFKA_FLEET_KNOWLEDGE is '/etc': builtin, or the version"):
        chosen_pack(tmp_path)


def test_a_process_uses_what_another_one_named(tmp_path: Path) -> None:
    installed(tmp_path)
    choose(tmp_path, NEWER, older=False)
    assert use_named(tmp_path, "builtin").builtin
    assert use_named(tmp_path, None).version == NEWER, "a plan of an earlier version names none"
    folder = write_pack(tmp_path / "elsewhere", pack_files(NEWEST))
    assert use_named(tmp_path, str(folder)).version == NEWEST


def test_a_sweep_reads_by_the_chosen_names_and_is_not_lost_for_a_damaged_pack(tmp_path: Path, monkeypatch) -> None:
    more = (BUILTIN / METRICS).read_bytes().replace(
        b"\nmetrics:\n", b"\nmetrics:\n  corp_end: [{column: partitions.log_end_offset}]\n", 1
    )  # fmt: skip
    installed(tmp_path, changed={METRICS: more})
    choose(tmp_path, NEWER, older=False)
    assert use_for_sweeps(tmp_path) is None
    assert "corp_end" in shipped_names().sources
    (tmp_path / f"knowledge/{NEWER}/SHA256SUMS").unlink()
    assert f"no pack {NEWER} is installed" in str(use_for_sweeps(tmp_path))
    assert used_pack().builtin
    assert "corp_end" not in shipped_names().sources
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE", "/etc")
    assert "KAFKA_FLEET_KNOWLEDGE is '/etc'" in str(use_for_sweeps(tmp_path))


def test_a_home_without_packs_uses_the_programs_own(tmp_path: Path) -> None:
    assert chosen_pack(tmp_path / "absent").builtin
    assert json.loads(json.dumps(installed_versions(tmp_path / "absent"))) == []
