"""Commands that the documentation shows: takes its pages, gives the words of every call of a program in code blocks."""

import re
import shlex
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
VALUES = {"$DAY": "2026-11-20", '"$DAY"': "2026-11-20", "$ROOT": str(ROOT)}


def blocks(text: str, language: str) -> list[str]:
    """Contents of a page's code blocks of a language; those in a list are indented."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for _indent, block in found]


def _lines(block: str) -> list[str]:
    """Logical lines: those that end in a backslash, or inside quotes, go on."""
    found, begun = [], ""
    for line in block.splitlines():
        begun += line
        if begun.endswith("\\"):
            begun = begun[:-1] + " "
        elif begun.replace('\\"', "").count('"') % 2 or begun.count("'") % 2:
            begun += "\n"
        else:
            found.append(begun)
            begun = ""
    return found


def calls(text: str, program: str) -> list[list[str]]:
    """Arguments of each call of a program in the bash blocks of a page."""
    found = []
    for block in blocks(text, "bash"):
        for line in _lines(block):
            words = shlex.split(_filled(line), comments=True)
            starts = [i for i, word in enumerate(words) if word.lstrip("(") == program and _begins(words[:i])]
            found += [_until_the_end(words[start + 1 :]) for start in starts]
    return found


def _filled(line: str) -> str:
    for name, value in VALUES.items():
        line = line.replace(name, value)
    return line


def _begins(before: list[str]) -> bool:
    """Whether a command can stand after these words: at the start, after && and the like, after assignments."""
    return not before or before[-1] in ("&&", "||", ";", "do") or all(re.match(r"[A-Z_]+=", word) for word in before)


def _until_the_end(words: list[str]) -> list[str]:
    end = next((i for i, word in enumerate(words) if re.match(r"[|;&<>)]|2>", word)), len(words))
    return words[:end]
