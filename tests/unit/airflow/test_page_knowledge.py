"""The page shows what is known by the pack that is used, and says what is the matter with one that is damaged."""

from pathlib import Path

import pytest

from kafka_fleet.documents.published import Damaged
from kafka_fleet.knowledge.pack import builtin_pack, used_pack, using
from kafka_fleet.store.knowledge_packs import choose, install
from support.builders.packs import NEWER, pack_files


def test_the_page_uses_what_was_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fleet_airflow.page import home

    monkeypatch.setenv("KAFKA_FLEET_HOME", str(tmp_path))
    install(tmp_path, pack_files(), "it", older=False)
    with using(builtin_pack()):
        assert home() == tmp_path
        assert used_pack().builtin
        choose(tmp_path, NEWER, older=False)
        assert home() == tmp_path
        assert used_pack().version == NEWER
        (tmp_path / f"knowledge/{NEWER}/SHA256SUMS").unlink()
        with pytest.raises(Damaged, match=f"no pack {NEWER} is installed"):
            home()
