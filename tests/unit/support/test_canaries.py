"""The search for secrets itself: every spelling of one is found, wherever it stands, and nothing else is."""

import gzip
import json
import sqlite3
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, urlencode

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.inspection.canaries import hits, spellings

SECRET = 'canary-é/+"<&7d1c?~'
BASIC = [b64encode(f"{user}:{SECRET}".encode()) for user in ("a", "ab", "abc")]


@pytest.mark.fault(56)
@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        *BASIC,
        urlsafe_b64encode(f"login:{SECRET};more".encode()),
        quote(SECRET),
        urlencode({"password": SECRET}),
        json.dumps({"extra": SECRET}),
        json.dumps({"extra": json.dumps({"password": SECRET})}),
        SECRET.encode().hex(),
        repr({"password": SECRET}),
        SECRET.encode("utf-16-le"),
    ],
)
def test_every_spelling_is_found(text):
    assert hits([SECRET], [], {"log": b"before " + (text if isinstance(text, bytes) else text.encode()) + b" behind"})


@pytest.mark.fault(56)
def test_what_is_compressed_is_found_and_what_is_not_there_is_not(tmp_path):
    pq.write_table(pa.table({"a": ["x" * 5000, SECRET]}), tmp_path / "one.parquet", compression="zstd")
    (tmp_path / "damaged.parquet").write_bytes(b"not Parquet")
    database = sqlite3.connect(tmp_path / "three.db")
    database.execute("CREATE TABLE a (b TEXT)")
    database.execute("INSERT INTO a VALUES (?)", ["x" * 858 + SECRET + "x" * 8172])
    database.commit()
    database.close()
    assert SECRET.encode() not in (tmp_path / "three.db").read_bytes(), "it is in two pages"
    (tmp_path / "two.gz").write_bytes(gzip.compress(b"x" * 5000 + SECRET.encode()))
    assert {one.rpartition("/")[2] for one in hits([SECRET], [tmp_path], {})} == {"one.parquet", "two.gz", "three.db"}
    assert hits(["canary-another"], [tmp_path], {"log": SECRET}) == []
    assert len(spellings(SECRET)) > 12
