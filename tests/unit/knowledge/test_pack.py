"""A pack is its files as SHA256SUMS says, and none besides; what is read of it belongs to the pack that is used."""

import subprocess
from pathlib import Path

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.metric_tables import load_names, shipped_names
from kafka_fleet.knowledge.pack import (
    BUILTIN,
    CHANGES,
    HEAD,
    METRICS,
    SUMS,
    PackError,
    builtin_pack,
    checked_head,
    numbers,
    read_folder,
    read_pack,
    used_pack,
    using,
)
from kafka_fleet.knowledge.pack_check import check_pack
from kafka_fleet.knowledge.releases import catalogue
from support.builders.packs import BUG, NEWER, OWN, head, pack_files, write_pack

ISSUE = (BUILTIN / BUG).read_bytes()
RELEASES = (BUILTIN / "releases.yaml").read_bytes()
METRIC_NAMES = (BUILTIN / METRICS).read_bytes()


def test_the_programs_own_pack_fits_and_its_checksums_are_current(tmp_path: Path) -> None:
    own = builtin_pack()
    found = check_pack(own)
    assert found.counts["known issues"] == len(list((BUILTIN / "issues").glob("*.yaml")))
    assert (own.builtin, own.handle, used_pack()) == (True, "builtin", own)
    checked = subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=BUILTIN, check=False)
    assert checked.returncode == 0, "python docs/generate.py writes it anew"
    assert read_pack(write_pack(tmp_path, read_folder(BUILTIN, strict=False))).checksum == own.checksum


def test_the_changelog_begins_with_the_version() -> None:
    text = (BUILTIN / CHANGES).read_text()
    assert text.split("\n## ")[1].split("\n")[0] == OWN


def test_what_is_known_is_that_of_the_pack_that_is_used(tmp_path: Path) -> None:
    later = RELEASES.replace(b"as_of: 2026-11-21", b"as_of: 2998-01-01")
    pack = read_pack(write_pack(tmp_path, pack_files(changed={BUG: None, "releases.yaml": later})))
    assert "KAFKA-14334" in load_advisories()
    with using(pack):
        assert "KAFKA-14334" not in load_advisories()
        assert catalogue().as_of.year == 2998
        assert (used_pack().handle, used_pack().builtin) == (NEWER, False)
    assert "KAFKA-14334" in load_advisories()
    assert catalogue().as_of.year == 2026


@pytest.mark.parametrize(
    ("left", "right"), [("2026.11.26", "2026.11.3"), ("1.10", "1.9.9"), ("2026.11.26.1", "2026.11.26")]
)
def test_versions_are_numbers(left: str, right: str) -> None:
    assert numbers(left) > numbers(right)
    assert numbers("1.2") == numbers("1.2.0")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({k: v for k, v in pack_files().items() if k != SUMS}, "is no whole pack: SHA256SUMS is missing"),
        (pack_files(changed={"vendors.yaml": None}), "vendors.yaml is missing"),
        ({k: v for k, v in pack_files().items() if not k.startswith("issues/")}, "it has no known issue"),
        ({**pack_files(), BUG: ISSUE + b"#"}, f"SHA256SUMS does not fit: {BUG}"),
        ({**pack_files(), "issues/KAFKA-1.yaml": b"x"}, "SHA256SUMS does not fit: issues/KAFKA-1.yaml"),
        (pack_files(changed={HEAD: head("x")}), "pack.yaml: version:"),
        (pack_files(changed={HEAD: head("../../etc")}), "pack.yaml: version:"),
        (pack_files(changed={HEAD: head(format=2)}), "has the format 2, this program (0.1.0) reads 1"),
        (pack_files(changed={HEAD: head(program="99.0.0")}), "needs the program from 99.0.0 on; this one is 0.1.0"),
        (pack_files(changed={HEAD: b"{"}), "pack.yaml: cannot be read as YAML"),
        (pack_files(changed={HEAD: head(more=1)}), "pack.yaml: more:"),
    ],
)  # fmt: skip
def test_what_is_no_whole_pack_of_this_program_is_a_sentence(files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(PackError) as error:
        checked_head(files, "it")
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({BUG: ISSUE.replace(b"id: fetch_latency", b"id: other_latency")},
         "signature.id: no such signature: other_latency"),
        ({BUG: ISSUE.replace(b"severity: ", b"severity: very ")}, "severity"),
        ({BUG: b"["}, "KAFKA-14334.yaml"),
        ({"releases.yaml": b"lines: {}\n"}, "releases.yaml: needs as_of and lines"),
        ({"releases.yaml": b"["}, "releases.yaml"),
        ({"vendors.yaml": b"vendors: {x: 1}\n"}, "vendors.yaml: "),
        ({"vendors.yaml": b"[]\n"}, "vendors.yaml: is not what it should be"),
        ({"refused_requests.yaml": b"Produce: {up_to: -1}\n"}, "refused_requests.yaml: "),
    ],
)  # fmt: skip
def test_each_file_is_held_to_the_checks_of_the_catalogues(tmp_path: Path, changed, sentence: str) -> None:
    assert all(content != (BUILTIN / name).read_bytes() for name, content in changed.items())
    pack = read_pack(write_pack(tmp_path, pack_files(changed=changed)))
    with pytest.raises(PackError) as error:
        check_pack(pack)
    assert str(error.value).startswith(f"the pack {NEWER} does not fit this program (0.1.0):\n")
    assert sentence in str(error.value)
    assert str(tmp_path) not in str(error.value)


def test_a_condition_that_nobody_asks_for_any_more_is_no_fault(tmp_path: Path) -> None:
    asking = [path for path in (BUILTIN / "issues").glob("*.yaml") if b"measured: min_isr_unsafe" in path.read_bytes()]
    assert asking
    gone = {f"issues/{path.name}": None for path in asking}
    check_pack(read_pack(write_pack(tmp_path, pack_files(changed=gone))))


def test_a_folder_has_neither_links_nor_other_files(tmp_path: Path) -> None:
    write_pack(tmp_path, pack_files())
    (tmp_path / "SHA256SUMS.sig").write_bytes(b"x" * 64)
    assert "SHA256SUMS.sig" not in read_folder(tmp_path)
    (tmp_path / "issues/KAFKA-1.yaml").symlink_to("/etc/passwd")
    with pytest.raises(PackError, match=r"issues/KAFKA-1\.yaml is a link; a pack has none"):
        read_folder(tmp_path)
    (tmp_path / "issues/KAFKA-1.yaml").unlink()
    (tmp_path / "run.py").write_text("")
    with pytest.raises(PackError, match=r"'run\.py' is no file of a pack"):
        read_folder(tmp_path)


def test_a_folder_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    write_pack(tmp_path, pack_files())
    with (tmp_path / "releases.yaml").open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(PackError, match="is too large: a pack has at most 5,000 files and 50,000,000 bytes"):
        read_folder(tmp_path)


def test_metric_names_are_those_of_the_pack_and_of_an_old_pack_the_programs_own(tmp_path: Path) -> None:
    own = load_names()
    more = METRIC_NAMES.replace(b"\nmetrics:\n", b"\nmetrics:\n  corp_end: [{column: partitions.log_end_offset}]\n", 1)
    newer = read_pack(write_pack(tmp_path / "newer", pack_files(changed={METRICS: more})))
    older = read_pack(write_pack(tmp_path / "older", pack_files(changed={METRICS: None})))
    assert check_pack(newer).counts["metric names"] == check_pack(older).counts["metric names"] + 1
    with using(newer):
        assert load_names().sources.keys() - own.sources.keys() == {"corp_end"}
        assert shipped_names().of("partitions.log_end_offset") >= {"corp_end"}
    with using(older):
        assert load_names() == own
    assert shipped_names() == own


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"metrics: {a: [{column: x.y}]}\n", "metric_names.yaml: metrics.a.0.column: is no column of a table"),
        (b"names: [{attribute: '(', metric: [a]}]\n", "metric_names.yaml: names.0.attribute: is no regular expression"),
        (b"clients: {metrics: {a: sold}}\n", "client_metrics has no column sold"),
        (b"x: 1\n", "metric_names.yaml: x: "),
    ],
)
def test_metric_names_that_the_program_cannot_use_are_refused(tmp_path: Path, text: bytes, sentence: str) -> None:
    pack = read_pack(write_pack(tmp_path, pack_files(changed={METRICS: text})))
    with pytest.raises(PackError) as raised:
        check_pack(pack)
    assert sentence in str(raised.value)
