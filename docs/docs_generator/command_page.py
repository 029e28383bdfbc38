"""The page of the command line: takes the parser of `kafka-fleet`, gives a section with a table for every verb."""

import argparse
from collections.abc import Iterator

from docs_generator.markdown import code, escape, table
from kafka_fleet.cli.main import command_parser

PAGE = "docs/reference/command_line.md"
NOTE = "<!-- generated from plugins/kafka_fleet/cli/main.py by docs/generate.py: do not edit -->"
HEAD = """# Command line

`kafka-fleet VERB …` calls the functions that the DAGs call. `kafka-fleet VERB --help` shows the same as this page.

| Exit code | Meaning |
| --- | --- |
| 0 | Done. What was not measured is shown. |
| 1 | Failure, or nothing was measured at all. For `late`: letters are late. For `ready`: it is not. |
| 2 | Bad input: one sentence on stderr for each mistake. |
| 3 | For `ready` and `what-if`: something that decides was not measured. |
"""


def _verbs(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """By name, in the order of `--help`; argparse shows them in no public attribute."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _option(action: argparse.Action) -> list[str]:
    """Its spelling with its value, whether it must be given, and what it means."""
    value = "" if action.nargs == 0 else f" {action.metavar or '|'.join(map(str, action.choices or ['VALUE']))}"
    return [
        code(f"{action.option_strings[-1]}{value}"),
        "required" if action.required else "",
        escape(action.help or ""),
    ]


def _section(name: str, verb: argparse.ArgumentParser) -> str:
    options = [one for one in verb._actions if one.option_strings and one.dest != "help"]
    about = escape(verb.description or "")
    own = f"## {name}\n\n{about[:1].upper()}{about[1:]}.\n\n" + table(["Option", "", "Meaning"], map(_option, options))
    return "\n\n".join([own, *("#" + _section(f"{name} {inner}", sub) for inner, sub in _verbs(verb))])


def command_page() -> str:
    """The whole page."""
    sections = "\n\n".join(_section(name, verb) for name, verb in _verbs(command_parser()))
    return f"{NOTE}\n{HEAD}\n{sections}\n"
