"""Where `sql/`, `templates/` and the recorded sweeps are: the checkout's folders, or the copies of a wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parent.parent


def _folder(name: str) -> Path:
    in_wheel = _PACKAGE / f"_{name}"
    return in_wheel if in_wheel.is_dir() else _CHECKOUT / name


def sql_dir() -> Path:
    """Folder that holds `marts/` and `signatures/`."""
    return _folder("sql")


def templates_dir() -> Path:
    """Folder that holds the letter's Jinja templates."""
    return _folder("templates")


def spark_application() -> Path:
    """The file handed to spark-submit."""
    in_wheel = _PACKAGE / "_spark_submit.py"
    return in_wheel if in_wheel.is_file() else _CHECKOUT / "spark" / "submit.py"


def sweeps_dir() -> Path:
    """Folder with sweeps that were recorded from real brokers, one Parquet file per raw table."""
    in_wheel = _PACKAGE / "_sweeps"
    return in_wheel if in_wheel.is_dir() else _CHECKOUT / "tests" / "data" / "sweeps"
