"""`kafka-fleet knowledge`: build, install, show, use; exit codes, sentences, and signatures where a key is set."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.knowledge.pack import BUILTIN, builtin_pack, using
from support.builders.packs import BUG, NEWER, OLDER, OWN, keys, pack_files, write_pack


@pytest.fixture(autouse=True)
def the_programs_own():
    with using(builtin_pack()):
        yield


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A newer pack without one known issue, in a folder."""
    return write_pack(tmp_path / "pack", pack_files(NEWER, {BUG: None}))


@pytest.fixture
def call(tmp_path: Path, capsys):
    def run(*words: object, home: bool = True) -> tuple[int, str, str]:
        own = ["--home", str(tmp_path / "home")] if home else []
        code = main(["knowledge", str(words[0]), *own, *map(str, words[1:])])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_a_pack_goes_from_its_folder_into_use(tmp_path: Path, source: Path, call) -> None:
    code, out, _err = call("build", tmp_path / "new.tar.gz", "--from", source, home=False)
    assert (code, out.startswith(f"{tmp_path}/new.tar.gz: knowledge {NEWER} (")) == (0, True)
    code, out, _err = call("install", tmp_path / "new.tar.gz")
    assert (code, f"knowledge {NEWER} (" in out, "It is not used yet" in out) == (0, True, True)
    rows = call("show")[1].splitlines()
    assert [line[0] for line in rows[1:]] == ["*", " "]
    assert f"{OWN}  " in rows[1]
    assert "the program" in rows[1]
    assert f"{NEWER}  " in rows[2]
    issues = len(list((BUILTIN / "issues").glob("*.yaml")))
    assert f"{issues} known issues" in rows[1]
    assert f"{issues - 1} known issues" in rows[2]
    assert call("use", NEWER)[:2] == (0, f"knowledge {NEWER} ({rows[2].split()[1]}) is used\n")
    assert [line[0] for line in call("show")[1].splitlines()[1:]] == [" ", "*"]
    assert "of the program is used" in call("use", "builtin")[1]


def test_what_is_built_twice_is_the_same(tmp_path: Path, source: Path, call) -> None:
    digests = []
    for name in ("a.tar.gz", "b.tar.gz"):
        shutil.copytree(source, tmp_path / name[0])
        assert call("build", tmp_path / name, "--from", tmp_path / name[0], home=False)[0] == 0
        digests.append(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert digests[0] == digests[1]
    assert call("build", tmp_path / "own.tar.gz", home=False)[0] == 0
    assert call("install", tmp_path / "own.tar.gz")[0] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("install", "absent.tar.gz"), "absent.tar.gz: there is no such file or folder"),
        (("use", "2998.1.1"), "no pack 2998.1.1 is installed"),
        (("use", "../../etc"), "'../../etc' is neither a version of a pack nor builtin"),
        (("build", "pack.zip"), "the name of a pack's file ends in .tar.gz"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(call, words, sentence: str) -> None:
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert sentence in err


def test_an_older_pack_needs_a_word(tmp_path: Path, call) -> None:
    old = write_pack(tmp_path / "old", pack_files(OLDER))
    assert call("install", old)[0] == 2
    assert call("install", old, "--older")[0] == 0
    assert call("use", OLDER)[0] == 2
    assert call("use", OLDER, "--older")[0] == 0


def test_what_does_not_fit_is_not_built_and_says_which_issue(tmp_path: Path, call) -> None:
    text = (BUILTIN / BUG).read_bytes().replace(b"id: fetch_latency", b"id: other_latency")
    folder = write_pack(tmp_path / "bad", pack_files(NEWER, {BUG: text}))
    for words in (("build", tmp_path / "bad.tar.gz", "--from", folder), ("install", folder)):
        code, _out, err = call(*words)
        assert code == 2
        assert f"the pack {NEWER} does not fit this program (0.1.0):" in err
        assert "KAFKA-14334.yaml, line " in err
        assert "no such signature: other_latency" in err
    assert not (tmp_path / "bad.tar.gz").exists()
    assert not (tmp_path / "home").exists()


def test_with_a_key_only_what_it_signed_is_taken(tmp_path: Path, source: Path, call, monkeypatch) -> None:
    private, public = keys(tmp_path)
    other, _public = keys(tmp_path, "other")
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE_KEY", str(public))
    made = tmp_path / "new.tar.gz"
    assert call("build", made, "--from", source, home=False)[0] == 0
    code, _out, err = call("install", made)
    assert (code, f"{made}: has no signature, {made}.sig, and KAFKA_FLEET_KNOWLEDGE_KEY asks for one" in err) == (
        2,
        True,
    )
    call("build", made, "--from", source, "--key", other, home=False)
    code, _out, err = call("install", made)
    assert (code, f"its signature is not by the key {public}" in err) == (2, True)
    code, out, _err = call("build", made, "--from", source, "--key", private, home=False)
    assert (code, out.endswith("signed\n")) == (0, True)
    content = made.read_bytes()
    made.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert call("install", made)[0] == 2
    made.write_bytes(content)
    assert call("install", made)[0] == 0


def test_openssl_signs_a_folder_and_checks_an_archive(tmp_path: Path, source: Path, call, monkeypatch) -> None:
    private, public = keys(tmp_path)
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE_KEY", str(public))
    assert "SHA256SUMS: has no signature" in call("install", source)[2]
    sums = source / "SHA256SUMS"
    signing = ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", private, "-in", sums, "-out", f"{sums}.sig"]
    subprocess.run(signing, check=True)
    made = tmp_path / "new.tar.gz"
    call("build", made, "--from", source, "--key", private, home=False)
    checking = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public, "-in", made]
    subprocess.run([*checking, "-sigfile", f"{made}.sig"], check=True, capture_output=True)
    (source / BUG).write_bytes((BUILTIN / BUG).read_bytes())  # after it was signed
    assert "SHA256SUMS does not fit" in call("install", source)[2]
    (source / BUG).unlink()
    assert call("install", source)[0] == 0


@pytest.mark.parametrize("content", [b"", b"no key"])
def test_a_key_that_is_none_is_a_sentence(tmp_path: Path, source: Path, call, monkeypatch, content: bytes) -> None:
    (tmp_path / "key.pem").write_bytes(content)
    code, _out, err = call("build", tmp_path / "x.tar.gz", "--from", source, "--key", tmp_path / "key.pem", home=False)
    assert (code, "is no private key in PEM without a passphrase" in err) == (2, True)
    assert not (tmp_path / "x.tar.gz").exists()
    monkeypatch.setenv("KAFKA_FLEET_KNOWLEDGE_KEY", str(tmp_path / "key.pem"))
    assert "is no public key in PEM" in call("install", source)[2]


def test_other_verbs_use_what_was_chosen_and_stop_where_it_is_damaged(
    tmp_path: Path, source: Path, call, capsys
) -> None:
    call("install", source)
    call("use", NEWER)
    home = str(tmp_path / "home")
    days = ["--from", "2026-11-01", "--to", "2026-11-02"]
    assert main(["replay", "--home", home, "--advisory", "KAFKA-14334", *days]) == 2
    assert "no advisory KAFKA-14334" in capsys.readouterr().err
    (tmp_path / f"home/knowledge/{NEWER}/SHA256SUMS").unlink()
    assert main(["history", "--home", home, *days]) == 2
    assert f"no pack {NEWER} is installed" in capsys.readouterr().err
