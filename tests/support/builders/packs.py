"""Packs of knowledge beside the program's own: takes what is changed in a copy of that, gives files or a folder."""

from collections.abc import Mapping
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from kafka_fleet.knowledge.pack import BUILTIN, HEAD, SUMS, builtin_pack, read_folder, sums_of

OWN = builtin_pack().version
NEWER, NEWEST, OLDER = "2999.1.1", "2999.1.2", "2001.1.1"
BUG = "issues/KAFKA-14334.yaml"


def head(version: str = NEWER, **more: object) -> bytes:
    """A pack.yaml."""
    fields = {"name": "kafka-fleet-knowledge", "version": version, "format": 1, "program": "0.1.0", **more}
    return "".join(f"{name}: {value}\n" for name, value in fields.items()).encode()


def pack_files(version: str = NEWER, changed: Mapping[str, bytes | None] | None = None) -> dict[str, bytes]:
    """The program's own files under another version. changed: by name what is there in place; None: nothing."""
    files = {**read_folder(BUILTIN, strict=False), HEAD: head(version)}
    for name, content in (changed or {}).items():
        if content is None:
            del files[name]
        else:
            files[name] = content
    return {**files, SUMS: sums_of(files)}


def write_pack(folder: Path, files: Mapping[str, bytes]) -> Path:
    """The files in a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def keys(folder: Path, name: str = "key") -> tuple[Path, Path]:
    """A private and a public key of Ed25519 in PEM."""
    key = Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.public.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public
