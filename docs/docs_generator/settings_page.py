"""The page of settings: takes the model of the variables, gives Markdown."""

from docs_generator.markdown import code, escape, table
from kafka_fleet.settings import Described, described

PAGE = "docs/reference/settings.md"
NOTE = "<!-- generated from plugins/kafka_fleet/settings.py by docs/generate.py: do not edit -->"
HEAD = """# Settings

Every variable of the environment that this program reads. A variable is read when its value is needed. One that
is wrong stops what depends on it, with a sentence that names the variable; the command line then ends with exit code 2.

Mail server, bucket and brokers have credentials of their own: see [running.md](../running.md).
"""


def _default(one: Described) -> str:
    if one.default is None or one.default == ():
        return "unset"
    return code(f"{one.default:g}" if isinstance(one.default, float) else str(one.default))


def _expected(one: Described) -> str:
    return escape(one.expected.removeprefix("it is ").removeprefix("it must be "))


def settings_page() -> str:
    """All variables in one table."""
    head = ["Variable", "What it does", "Value", "Default", "Read by"]
    # a name of code in a sentence stays one: sentences are the program's own
    rows = [[code(one.variable), one.sentence, _expected(one), _default(one), one.read_by] for one in described()]
    return f"{NOTE}\n\n{HEAD}\n{table(head, rows)}\n"
