"""A search for secrets in whatever was written: takes secrets, files and texts, gives where any spelling of one is.

A secret may come out as it is, in Base64 at any of its three alignments, in hexadecimal, quoted for a URL, or escaped
for JSON, HTML, XML or a log. Parquet is searched in its values too, and gzip in its content: both compress. So is
SQLite in its rows, which it may keep in pieces.
"""

import gzip
import html
import json
import sqlite3
from base64 import b64encode
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, quote_plus

import pyarrow.parquet as pq


def spellings(secret: str) -> dict[str, bytes]:
    """How a secret may be spelled, by name; equal spellings once."""
    raw = secret.encode()
    found = {
        "plain": raw,
        "hex": raw.hex().encode(),
        "HEX": raw.hex().upper().encode(),
        "UTF-16": secret.encode("utf-16-le"),
    }
    for shift in range(3):
        whole = b64encode(b"\0" * shift + raw)
        begin, end = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6  # sextets that depend on the secret alone
        found[f"Base64, shifted by {shift}"] = whole[begin:end]
        found[f"URL's Base64, shifted by {shift}"] = whole[begin:end].replace(b"+", b"-").replace(b"/", b"_")
    found |= {
        "URL": quote(secret, safe="").encode(),
        "URL path": quote(secret).encode(),
        "form": quote_plus(secret).encode(),
    }
    found |= {
        "JSON": json.dumps(secret)[1:-1].encode(),
        "JSON in JSON": json.dumps(json.dumps(secret)[1:-1])[1:-1].encode(),
    }
    found |= {"HTML": html.escape(secret).encode(), "repr": repr(secret)[1:-1].encode()}
    return {name: text for text, name in {text: name for name, text in reversed(found.items())}.items()}


def contents(path: Path) -> bytes:
    """The bytes of a file, and behind them what is compressed in it."""
    found = path.read_bytes()
    if found[:4] == b"PAR1":  # some tests put other things into a .parquet
        found += json.dumps(pq.ParquetFile(path).read().to_pylist(), default=str, ensure_ascii=False).encode()
    if found[:16] == b"SQLite format 3\0":
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            found += "\n".join(database.iterdump()).encode()
    return found + gzip.decompress(found) if found[:2] == b"\x1f\x8b" else found


def hits(secrets: Iterable[str], places: Iterable[Path], texts: dict[str, str | bytes]) -> list[str]:
    """`<spelling> in <place>` of every secret that is in a file below the places, or in a text."""
    looked = {name: text.encode() if isinstance(text, str) else text for name, text in texts.items()}
    for place in places:
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
        assert files, f"nothing is in {place}"
        looked |= {str(path): contents(path) for path in files}
    wanted = [(name, text) for secret in secrets for name, text in spellings(secret).items()]
    return [f"{name} in {place}" for place, content in looked.items() for name, text in wanted if text in content]
