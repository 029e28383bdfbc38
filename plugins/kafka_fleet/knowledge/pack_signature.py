"""Signatures of packs: takes bytes and a key in a PEM file, gives 64 bytes of Ed25519, or says that they do not fit.

`<file>.sig` signs that very file: the archive, or SHA256SUMS of a folder. openssl makes and checks the same:

    openssl genpkey -algorithm ed25519 -out key.pem; openssl pkey -in key.pem -pubout -out public.pem
    openssl pkeyutl -sign -rawin -inkey key.pem -in SHA256SUMS -out SHA256SUMS.sig
"""

from pathlib import Path

from kafka_fleet.knowledge.pack import PackError

ENDING = ".sig"
_LENGTH = 64  # bytes


def sign(content: bytes, key: Path) -> bytes:
    """The signature. key: a private key of Ed25519 without a passphrase. Raises PackError, OSError."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        loaded = load_pem_private_key(key.read_bytes(), password=None)
    except (ValueError, TypeError):
        raise PackError(f"{key}: is no private key in PEM without a passphrase") from None
    if not isinstance(loaded, Ed25519PrivateKey):
        raise PackError(f"{key}: is a key of another kind than Ed25519")
    return loaded.sign(content)


def check_signature(content: bytes, signature: bytes | None, key: Path, what: str) -> None:
    """Raises PackError where nothing is signed, or not by this public key, or the key is none; OSError."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        loaded = load_pem_public_key(key.read_bytes())
    except (ValueError, TypeError):
        raise PackError(f"{key}: is no public key in PEM") from None
    if not isinstance(loaded, Ed25519PublicKey):
        raise PackError(f"{key}: is a key of another kind than Ed25519")
    if signature is None:
        raise PackError(f"{what}: has no signature, {what}{ENDING}, and KAFKA_FLEET_KNOWLEDGE_KEY asks for one")
    try:
        loaded.verify(signature[: _LENGTH + 1], content)
    except InvalidSignature:
        raise PackError(f"{what}: its signature is not by the key {key}") from None
