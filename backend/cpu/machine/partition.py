"""LLVM assembly in two parts that are optimised differently and linked again."""

from __future__ import annotations

import re
from collections.abc import Collection

_DEFINITION = re.compile(
    r'^define (?P<linkage>internal )?(?P<head>[^@\n]*@"?(?P<name>[\w.$-]+)"?\(.*) \{\n(?P<body>(?:.*\n)*?)\}\n',
    re.M,
)
_VARIABLE = re.compile(r"^@.* = (?!.*\b(?:constant|external)\b)", re.M)


def partition(text: str, names: Collection[str]) -> tuple[str, str]:
    """The part with the functions of some names, and the one with all others; a part without functions is no text.

    Each declares what the other defines, which is hidden from everyone else. Constants are in both; a module with
    global variables stays whole.
    """
    defined = {match["name"] for match in _DEFINITION.finditer(text)}
    if defined.isdisjoint(names):
        return "", text
    if defined.issubset(names) or _VARIABLE.search(text):
        return text, ""
    return _part(text, defined.intersection(names)), _part(text, defined.difference(names))


def _part(text: str, names: Collection[str]) -> str:
    def settle(match: re.Match[str]) -> str:
        head = match["head"] if match["linkage"] is None else f"hidden {match['head']}"
        is_here = match["name"] in names
        return f"define {head} {{\n{match['body']}}}\n" if is_here else f"declare {head}\n"

    return _DEFINITION.sub(settle, text)
