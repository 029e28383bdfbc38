"""An archive has equal bytes for equal content; what comes from elsewhere leads nowhere and is never endless."""

import gzip
import io
import tarfile

import pytest

from kafka_fleet.knowledge.pack import PackError
from kafka_fleet.knowledge.pack_archive import archive_of, read_archive
from support.builders.packs import pack_files

FILES = pack_files()


def archive(*entries: tuple[str, bytes, bytes], **more) -> bytes:
    """Entries: name, type of tar, content."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for name, kind, content in entries:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content), more.get("target", "")
            made.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def test_equal_content_gives_equal_bytes_and_is_read_again() -> None:
    made = archive_of(FILES, "kafka-fleet-knowledge-1.0")
    assert made == archive_of(dict(reversed(FILES.items())), "kafka-fleet-knowledge-1.0")
    assert read_archive(made, "it") == FILES
    assert made[4:8] == bytes(4), "no time in the head of gzip"
    with tarfile.open(fileobj=io.BytesIO(made)) as found:
        assert {(one.mtime, one.uid, one.uname, one.mode) for one in found} == {(0, 0, "", 0o644)}


def test_a_folder_around_it_need_not_be_there() -> None:
    for folder in ("", "./", "any/"):
        entries = [(f"{folder}{name}", tarfile.REGTYPE, content) for name, content in FILES.items()]
        assert read_archive(archive(*entries), "it") == FILES


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("../pack.yaml", tarfile.REGTYPE, "leads out of the pack"),
        ("a/../../pack.yaml", tarfile.REGTYPE, "leads out of the pack"),
        ("/pack.yaml", tarfile.REGTYPE, "leads out of the pack"),
        ("a/b/c/pack.yaml", tarfile.REGTYPE, "leads out of the pack"),
        ("pack.yaml", tarfile.SYMTYPE, "is a link or a device"),
        ("issues/KAFKA-1.yaml", tarfile.LNKTYPE, "is a link or a device"),
        ("pack.yaml", tarfile.CHRTYPE, "is a link or a device"),
        ("pack.yaml", tarfile.FIFOTYPE, "is a link or a device"),
        ("a/run.sh", tarfile.REGTYPE, "is no file of a pack"),
        ("issues/KAFKA-1.yaml\n", tarfile.REGTYPE, "is no file of a pack"),
    ],
)
def test_what_leads_elsewhere_or_is_no_file_of_a_pack_is_refused(name, kind, sentence) -> None:
    with pytest.raises(PackError) as error:
        read_archive(archive((name, kind, b""), target="/etc/passwd"), "it")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_name_twice_is_refused() -> None:
    two = [(f"{folder}/pack.yaml", tarfile.REGTYPE, b"x") for folder in "ab"]
    with pytest.raises(PackError, match=r"has pack\.yaml twice"):
        read_archive(archive(*two), "it")


def test_a_small_archive_of_endless_zeros_is_not_unpacked() -> None:
    packed = gzip.compress(bytes(120_000_000), 1)
    assert len(packed) < 2_000_000
    with pytest.raises(PackError, match="is too large"):
        read_archive(packed, "it")


def test_too_many_files_are_refused() -> None:
    many = [(f"issues/KAFKA-{number}.yaml", tarfile.REGTYPE, b"") for number in range(1, 5_003)]
    with pytest.raises(PackError, match="is too large"):
        read_archive(archive(*many), "it")


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", gzip.compress(b"no tar at all"), archive_of(FILES, "a")[:-9000]],
    ids=["empty", "zip", "no tar", "cut off"],
)
def test_what_is_no_whole_archive_is_a_sentence(content: bytes) -> None:
    with pytest.raises(PackError) as error:
        read_archive(content, "it")
    assert "it: is no whole" in str(error.value)
