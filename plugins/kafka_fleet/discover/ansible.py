"""Ansible inventories: takes YAML, or what `ansible-inventory --list` prints, gives hosts, groups and variables.

What a vault keeps is not read. A template stays a template: only Ansible can fill it in.
"""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from kafka_fleet.discover.fields import Field

MOST_HOSTS = 10_000
_RANGE = re.compile(r"\[([0-9]{1,6}):([0-9]{1,6})(?::([0-9]{1,6}))?\]|\[([a-z]):([a-z])\]")
_NOT_GROUPS = ("_meta",)


class Inventory:
    """Groups with their hosts, in order, and the variables of a host."""

    def __init__(self, fields: list[Field]) -> None:
        self.hosts: dict[str, dict[str, None]] = {}  # by group, without those of its children
        self.children: dict[str, dict[str, None]] = {}
        self.group_vars: dict[str, dict[str, Field]] = {}
        self.host_vars: dict[str, dict[str, Field]] = {}
        self._groups: dict[str, list[str]] | None = None  # of each host, the outer ones first
        for field in fields:
            for host, variables in field.of("_meta", "hostvars").entries():
                self.host_vars.setdefault(host, {}).update(variables.entries())
            for name, group in field.entries():
                if name not in _NOT_GROUPS:
                    self._add(name, group)

    def _add(self, name: str, group: Field) -> None:
        hosts, below = self.hosts.setdefault(name, {}), self.children.setdefault(name, {})
        self.group_vars.setdefault(name, {}).update(group.of("vars").entries())
        for host, variables in _named(group.of("hosts")):
            for one in expanded(host, group):
                hosts[one] = None
                if variables is not None:
                    self.host_vars.setdefault(one, {}).update(variables.entries())
        for child, inner in _named(group.of("children")):
            below[child] = None
            if inner is not None:
                self._add(child, inner)

    def below(self, group: str) -> list[str]:
        """A group and all groups in it, each once, the outer ones first."""
        found, left = dict[str, None](), [group]
        while left:
            one = left.pop(0)
            if one not in found:
                found[one] = None
                left += self.children.get(one, {})
        return list(found)

    def members(self, group: str) -> list[str]:
        """Hosts of a group and of all groups in it."""
        return list(dict.fromkeys(host for one in self.below(group) for host in self.hosts.get(one, {})))

    def variables(self, host: str) -> dict[str, Field]:
        """What holds for a host: of all, of its groups, the inner ones last, and its own."""
        found = dict(self.group_vars.get("all", {}))
        for name in self.groups_of(host):
            found |= self.group_vars.get(name, {})
        return found | self.host_vars.get(host, {})

    def groups_of(self, host: str) -> list[str]:
        """The groups that a host is in, the outer ones first, without `all`."""
        if self._groups is None:
            self._groups = {}
            for name in sorted(self.children, key=lambda one: -len(self.below(one))):
                if name not in ("all", "ungrouped"):
                    for one in self.members(name):
                        self._groups.setdefault(one, []).append(name)
        return self._groups.get(host, [])


def _named(field: Field) -> Iterator[tuple[str, Field | None]]:
    """Names of a mapping with what is below them, or of a list."""
    if isinstance(field.value, list):
        yield from ((one.needed(), None) for one in field.items())
    else:
        yield from ((name, one if one.value is not None else None) for name, one in field.entries())


def _steps(found: re.Match[str]) -> list[str]:
    low, high, step, first, last = found.groups()
    if first:
        return [chr(code) for code in range(ord(first), ord(last) + 1)]
    return [str(one).zfill(len(low)) for one in range(int(low), int(high) + 1, int(step or 1) or 1)][: MOST_HOSTS + 1]


def expanded(pattern: str, group: Field) -> list[str]:
    """The hosts of a pattern such as `kafka[1:3].example.org`. Raises UsageError for too many."""
    parts: list[list[str]] = []
    at, total = 0, 1
    for found in _RANGE.finditer(pattern):
        steps = _steps(found)
        parts += [[pattern[at : found.start()]], steps]
        at, total = found.end(), total * len(steps)
    if total > MOST_HOSTS:
        raise group.of("hosts").fault(f"has a range of more than {MOST_HOSTS} hosts")
    return ["".join(one) for one in product(*parts, [pattern[at:]])]


def is_template(value: Any) -> bool:
    """Whether only Ansible can say what this is."""
    return isinstance(value, str) and ("{{" in value or "{%" in value)
