"""Variables of Compose: takes a text with `${X:-default}`, gives it with what the file itself says.

The environment of this process is not read: what a file gives would depend on who runs it, and it has secrets.
"""

import re

_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_VARIABLE = re.compile(
    rf"\$(?:(?P<dollar>\$)|(?P<plain>{_NAME})|\{{(?P<name>{_NAME})(?:(?P<how>:?[-?+])(?P<word>[^{{}}]*))?\}})"
)
_DEPTH = 4  # of a default within a default
LONGEST = 10_000


def interpolated(text: str) -> tuple[str, list[str]]:
    """The text, with variables that have no default left in it, and their names."""
    unset: list[str] = []

    def value(found: re.Match[str]) -> str:
        if found["dollar"]:
            return "\0"  # a dollar sign, once all is done
        name, how = found["plain"] or found["name"], found["how"] or ""
        if how in ("-", ":-"):
            return str(found["word"])
        if how in ("+", ":+"):
            return ""
        unset.append(name)
        return f"\1{name}\2"

    text = text[:LONGEST].replace("\0", "").replace("\1", "").replace("\2", "")
    for _ in range(_DEPTH):  # the innermost first
        again = _VARIABLE.sub(value, text)
        if again == text:
            break
        text = again[:LONGEST]
    return text.replace("\0", "$").replace("\1", "${").replace("\2", "}"), sorted(set(unset))
