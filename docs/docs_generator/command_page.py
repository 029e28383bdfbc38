"""Pages of the command line: take the parser of `kafka-fleet`, give a section with a table for every verb.

Verbs that a verb has, such as `knowledge install`, are on a page of their own.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator

from docs_generator.markdown import code, escape, table
from kafka_fleet.cli.main import command_parser

PAGE, INNER = "docs/reference/command_line.md", "docs/reference/command_line_verbs.md"
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
    inner = [f"[{one}]({INNER.rpartition('/')[2]}#{name}-{one})" for one, _verb in _verbs(verb)]
    lines[-1] += f" Its verbs: {', '.join(inner)}." if inner else ""
    lines += [table(["Option", "", "Meaning"], map(_option, own))] if own else []
    return "\n\n".join(lines)


def _all() -> tuple[dict[str, argparse.ArgumentParser], dict[str, argparse.ArgumentParser], list[tuple[str, str]]]:
    """The verbs, the verbs of verbs, and the options that they share."""
    verbs = dict(_verbs(command_parser()))
    inner = {f"{name} {one}": sub for name, verb in verbs.items() for one, sub in _verbs(verb)}
    return verbs, inner, _shared([*verbs.values(), *inner.values()])


def inner_page() -> str:
    """The page of verbs that a verb has."""
    _outer, inner, shared = _all()
    about = "Verbs of verbs of the [command line](command_line.md), whose first table has the options that many take."
    sections = "\n\n".join(_section(name, verb, shared) for name, verb in inner.items())
    return f"{NOTE}\n# Verbs of verbs\n\n{about}\n\n{sections}\n"


def command_page() -> str:
    """The page of verbs."""
    verbs, _inner, shared = _all()
    sections = "\n\n".join(_section(name, verb, shared) for name, verb in verbs.items())
    head = f"{HEAD}\nMany verbs take these options:\n\n{table(['Option', 'Meaning'], map(list, shared))}"
    return f"{NOTE}\n{head}\n\n{sections}\n"
