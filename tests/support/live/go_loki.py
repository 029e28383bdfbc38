"""A Loki of one process on loopback, as its documentation configures it, built once from its Go module.

FLEET_LOKI names another program. Only its API is used: nothing of it (AGPL-3.0) is part of this project.
"""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests
import yaml

from fleet_demo.processes import LOOPBACK, end, free_port, spawn, tail
from support.live.go_programs import BUILD_S, go_program
from support.live.packages import said
from support.servers.loki import Labels

MODULE, VERSION = "github.com/grafana/loki/v3", "v3.7.8"
NESTED = "github.com/grafana/loki/pkg/push"  # a module of its own, which the other's archive leaves out
READY_S = 120.0


class LokiError(RuntimeError):
    """One sentence: why there is no Loki, or what it refused."""


def loki_program() -> Path | str:
    """The program, or one sentence why there is none."""
    return go_program("Loki", VERSION, _build)


def _build(scratch: Path, made: Path) -> str | None:
    """As the main module, since its go.mod replaces some of its dependencies."""
    answer, source = scratch / "download.json", scratch / "source"
    fetch = f"go mod download -json {MODULE}@{VERSION} > {answer}"
    if fault := said(["sh", "-c", fetch], BUILD_S, scratch):
        return fault
    shutil.copytree(json.loads(answer.read_text())["Dir"], source, copy_function=shutil.copyfile)
    build = ["nice", "-n", "15", "go", "build", "-mod=mod", "-p", "1", "-o", str(made), "./cmd/loki"]
    return said(["go", "mod", "edit", f"-dropreplace={NESTED}"], 60, source) or said(build, BUILD_S, source)


class RealLoki:
    """Its API by `url`; a push names the tenant where it wants one."""

    def __init__(self, url: str, tenant: str | None = None) -> None:
        self.url = url
        self._headers = {"X-Scope-OrgID": tenant} if tenant else {}

    def push(self, labels: Labels, *lines: tuple[float, str]) -> None:
        """Add a stream of lines with their times, s since epoch. Raises LokiError where it takes them not."""
        values = [[str(round(at * 1e6) * 1000), text] for at, text in lines]
        body = {"streams": [{"stream": labels, "values": values}]}
        done = requests.post(f"{self.url}/loki/api/v1/push", json=body, headers=self._headers, timeout=30)
        if done.status_code != 204:
            raise LokiError(f"HTTP {done.status_code}: {done.text[:300]}")


def _settings(folder: Path, port: int, tenants: bool) -> str:
    other = {name: free_port() for name in ("grpc", "members")}
    return yaml.safe_dump(
        {
            "auth_enabled": tenants,
            "analytics": {"reporting_enabled": False},
            "server": {
                "http_listen_address": LOOPBACK, "http_listen_port": port,
                "grpc_listen_address": LOOPBACK, "grpc_listen_port": other["grpc"],
            },
            "common": {
                "instance_addr": LOOPBACK,
                "path_prefix": str(folder),
                "replication_factor": 1,
                "ring": {"kvstore": {"store": "inmemory"}},
                "storage": {
                    "filesystem": {"chunks_directory": f"{folder}/chunks", "rules_directory": f"{folder}/rules"}
                },
            },
            "memberlist": {"bind_addr": [LOOPBACK], "bind_port": other["members"]},
            "schema_config": {
                "configs": [
                    {
                        "from": "2024-01-01", "store": "tsdb", "object_store": "filesystem", "schema": "v13",
                        "index": {"prefix": "index_", "period": "24h"},
                    }
                ]
            },
            "querier": {"query_ingesters_within": 0},  # lines of the past are in no chunk on the disk yet
            "limits_config": {"reject_old_samples": False},
        }
    )  # fmt: skip


@contextmanager
def real_loki(folder: Path, tenant: str | None = None) -> Iterator[RealLoki]:
    """A Loki with its data in the folder; with a tenant it wants one. Raises LokiError."""
    program, port = loki_program(), free_port()
    if isinstance(program, str):
        raise LokiError(program)
    config, log = folder / "loki.yaml", folder / "loki.log"
    config.write_text(_settings(folder / "data", port, tenant is not None))
    loki = RealLoki(f"http://{LOOPBACK}:{port}", tenant)
    process = spawn([str(program), f"-config.file={config}"], log)
    try:
        _await(loki.url, log)
        yield loki
    finally:
        end(process, 10.0)


def _await(url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        try:
            if requests.get(f"{url}/ready", timeout=5).status_code == 200:
                return
        except requests.ConnectionError:
            pass  # it does not listen yet
        time.sleep(0.5)
    raise LokiError(f"not ready within {READY_S:g} s: {tail(log)}")
