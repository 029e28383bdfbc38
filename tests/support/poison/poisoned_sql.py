"""SQL that fails for marked clusters: takes a folder, lays sql/ there with queries that raise for clusters by name.

What is injected is independent of what today's queries take: any query may turn out not to take some value.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from kafka_fleet.base.resources import sql_dir

BROKEN = "no_such_column = 1"  # fails whatever is stored


def raises(cluster: str) -> str:
    """A condition that raises for each row of a cluster."""
    return f"IF(cluster = '{cluster}', raise_error('poison of {cluster}'), TRUE)"


def poisoned(folder: Path, conditions: Mapping[str, str]) -> Path:
    """A copy of sql/ of which the named files, paths without their ending, have a condition on each row they give."""
    sql = folder / "sql"
    shutil.copytree(sql_dir(), sql)
    for name, condition in conditions.items():
        path = sql / f"{name}.sql"
        path.write_text("\n".join(["SELECT given.* FROM (", path.read_text(), f") AS given WHERE {condition}", ""]))
    return sql
