"""The data of a page in few bytes: texts of passes repeat each other, but for the numbers of values."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

_NUMBER = re.compile(r"(?<=[%#!_.b])(?:0|[1-9]\d{0,8})(?!\d)")
"""A number in a name (`%12`, `^bb3`, `%arg_1`), which the number itself writes."""


def packed(data: dict[str, Any]) -> str:
    """The data, compressed, as letters: each line of code is there once without its numbers, which follow it."""
    lines: dict[str, int] = {}
    small = _without_repetitions(data, lines)
    text = json.dumps({**small, "lines": "\n".join(lines)}, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _without_repetitions(node: Any, lines: dict[str, int]) -> Any:
    """Data in which code is the numbers of lines in a table, and the numbers in them: each less the one before.

    >>> lines = {}
    >>> _without_repetitions({"text": "%1 = f %0\\n%2 = f %1", "links": [0, 0]}, lines)
    {'links': [0, 0], 'rows': [0, 0], 'numbers': [1, -1, 2, -1]}
    >>> lines
    {'%\\x00 = f %\\x00': 0}
    """
    if isinstance(node, list):
        return [_without_repetitions(each, lines) for each in node]
    if not isinstance(node, dict):
        return node
    small = {key: _without_repetitions(each, lines) for key, each in node.items()}
    if "links" in small:
        code = small.pop("text").split("\n")
        small["rows"] = _steps([lines.setdefault(_NUMBER.sub("\0", line), len(lines)) for line in code])
        small["numbers"] = _steps([int(number) for line in code for number in _NUMBER.findall(line)])
    return small


def _steps(numbers: list[int]) -> list[int]:
    """How much each is more than the one before."""
    return [number - before for before, number in zip([0, *numbers], numbers, strict=False)]
