"""Lines of a YAML file: takes its text and a location such as `("clusters", 0, "owners")`, gives the line of it."""

from typing import Any

import yaml


class YamlLines:
    """The places of a file's values, looked up once somebody asks. text: of a file that could be parsed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._root: yaml.Node | None = None

    def line(self, location: tuple[Any, ...]) -> int:
        """The line, from 1, of a key or list item; where it is not in the file, of the innermost part that is."""
        if self._root is None:
            self._root = yaml.compose(self._text, Loader=yaml.CSafeLoader)
        node, found = self._root, 1
        for index, part in enumerate(location):
            below = _child(node, part) if node is not None else None
            if below is None:
                continue
            found = below[0].start_mark.line + 1
            # a union's location names the kind that was tried after its key: that is no deeper part of the file
            if isinstance(below[1], yaml.CollectionNode) or index == len(location) - 1:
                node = below[1]
        return found


def _child(node: yaml.Node, part: Any) -> tuple[yaml.Node, yaml.Node] | None:
    """Where a key or an item begins, and its value."""
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    if isinstance(node, yaml.MappingNode):
        return next((pair for pair in node.value if pair[0].value == str(part)), None)
    return None
