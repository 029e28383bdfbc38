"""The page of the command line: takes the parser of `kafka-fleet`, gives a section with a table for every verb."""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator

from docs_generator.markdown import code, escape, table
from kafka_fleet.cli.main import command_parser

PAGE = "docs/reference/command_line.md"
NOTE = "<!-- generated from plugins/kafka_fleet/cli/main.py by docs/generate.py: do not edit -->"
OFTEN = 5  # verbs that take an option, for which it is explained once
HEAD = """# Command line

`kafka-fleet VERB …` calls the functions that the DAGs call. `kafka-fleet VERB --help` shows the same as this page.

| Exit code | Meaning |
| --- | --- |
| 0 | Done. What was not measured is shown. |
| 1 | Failure, or nothing was measured at all. `late`: letters are late. `ready`: it is not. `discover`: it differs. |
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


def _options(verb: argparse.ArgumentParser) -> list[argparse.Action]:
    return [one for one in verb._actions if one.option_strings and one.dest != "help"]


def _cells(action: argparse.Action) -> tuple[str, str]:
    spelled, _required, about = _option(action)
    return spelled, about


def _shared(verbs: Iterable[argparse.ArgumentParser]) -> list[tuple[str, str]]:
    """Options that OFTEN or more verbs take with the same meaning, the most frequent first."""
    counted = Counter(_cells(one) for verb in verbs for one in _options(verb))
    return [cells for cells, times in counted.most_common() if times >= OFTEN]


def _section(name: str, verb: argparse.ArgumentParser, shared: list[tuple[str, str]]) -> str:
    common = [one for one in _options(verb) if _cells(one) in shared]
    own = [one for one in _options(verb) if one not in common]
    about = escape(verb.description or "")
    lines = [f"## {name}", f"{about[:1].upper()}{about[1:]}."]
    if common:
        words = [f"{_cells(one)[0]}{' (required)' if one.required else ''}" for one in common]
        lines[-1] += f" Takes {', '.join(words)}."
    lines += [table(["Option", "", "Meaning"], map(_option, own))] if own else []
    return "\n\n".join([*lines, *("#" + _section(f"{name} {inner}", sub, shared) for inner, sub in _verbs(verb))])


def command_page() -> str:
    """The whole page."""
    verbs = dict(_verbs(command_parser()))
    shared = _shared([*verbs.values(), *(sub for verb in verbs.values() for _name, sub in _verbs(verb))])
    sections = "\n\n".join(_section(name, verb, shared) for name, verb in verbs.items())
    head = f"{HEAD}\nMany verbs take these options:\n\n{table(['Option', 'Meaning'], map(list, shared))}"
    return f"{NOTE}\n{head}\n\n{sections}\n"
