"""Packs of knowledge in a bucket: whole once their checksums are there, and used from a copy on this machine."""

import shutil

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.pack import PackError, builtin_pack, used_pack, using
from kafka_fleet.store import knowledge_packs
from kafka_fleet.store.files import replace_file
from kafka_fleet.store.knowledge_packs import choose, install, installed_versions, use_chosen
from support.builders.packs import BUG, NEWER, NEWEST, pack_files
from support.homes.bucket_home import next_home

pytestmark = pytest.mark.sampled


@pytest.fixture
def home(bucket_server, tmp_path, monkeypatch):
    monkeypatch.setattr(knowledge_packs, "gettempdir", lambda: str(tmp_path))
    knowledge_packs._checked.cache_clear()
    with using(builtin_pack()):
        yield next_home()


def test_a_pack_is_installed_chosen_and_used(home):
    pack, new = install(home, pack_files(changed={BUG: None}), "it", older=False)
    assert (new, pack.version, installed_versions(home)) == (True, NEWER, [NEWER])
    assert install(home, pack_files(changed={BUG: None}), "it", older=False) == (pack, False)
    choose(home, NEWER, older=False)
    assert use_chosen(home) == pack == used_pack()
    assert "KAFKA-14334" not in load_advisories()


def test_one_copy_serves_all_processes_of_this_machine_and_a_damaged_one_none(home, tmp_path):
    install(home, pack_files(), "it", older=False)
    choose(home, NEWER, older=False)
    folders = []
    for _process in range(2):
        knowledge_packs._checked.cache_clear()
        folders.append(use_chosen(home).folder)
    assert [one.parent for one in folders] == [tmp_path] * 2
    assert folders[0] == folders[1]
    assert len(list(tmp_path.iterdir())) == 1
    (folders[0] / BUG).write_text("other")
    folders[0].chmod(0o755)
    knowledge_packs._checked.cache_clear()
    use_chosen(home)
    assert "KAFKA-14334" in load_advisories()
    assert (folders[0] / BUG).read_bytes() == pack_files()[BUG]


def test_a_pack_that_is_not_whole_is_none(home, monkeypatch):
    put = []

    def died(path, content):
        put.append(path.name)
        if path.name == "SHA256SUMS":
            raise OSError("the machine is gone")
        replace_file(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(knowledge_packs, "replace_file", died)
        with pytest.raises(OSError, match="gone"):
            install(home, pack_files(NEWEST), "it", older=False)
    assert put[-1] == "SHA256SUMS"
    assert installed_versions(home) == []
    assert install(home, pack_files(NEWEST), "it", older=False)[1]


def test_an_object_that_was_changed_stops_what_depends_on_it(home, tmp_path):
    install(home, pack_files(), "it", older=False)
    choose(home, NEWER, older=False)
    knowledge_packs._checked.cache_clear()  # on another machine
    for copy in tmp_path.iterdir():
        shutil.rmtree(copy)
    replace_file(home / f"knowledge/{NEWER}/{BUG}", b"id: KAFKA-14334\n")
    with pytest.raises(PackError, match=f"SHA256SUMS does not fit: {BUG}"):
        use_chosen(home)
