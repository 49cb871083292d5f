"""LLVM assembly in two parts that are optimised differently and linked again."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_NAME = re.compile(r'@(?P<name>"[^"\n]+"|[\w.$-]+)')
_DEFINITION = re.compile(
    rf"^define (?P<linkage>internal )?(?P<head>[^@\n]*{_NAME.pattern}\(.*) \{{\n(?P<body>(?:.*\n)*?)\}}\n",
    re.M,
)
_SCOPE = re.compile(r" !dbg !\d+")
"""The debug scope of a definition, which stands elsewhere in a declaration."""
_ESCAPED = re.compile(rb"\\([0-9A-Fa-f]{2})")
_VARIABLE = re.compile(r"^@.* = (?!.*\b(?:constant|external)\b)", re.M)


def partition(text: str, names: Collection[str]) -> tuple[str, str]:
    """The part with the functions of some names, and the one with all others; a part without functions is no text.

    Each declares what the other defines, which is hidden from everyone else if the other calls it. Constants are in
    both; a module with global variables stays whole.
    """
    bodies = {_name_in(match): match["body"] for match in _DEFINITION.finditer(text)}
    defined = set(bodies)
    if defined.isdisjoint(names):
        return "", text
    if defined.issubset(names) or _VARIABLE.search(text):
        return text, ""
    here, there = defined.intersection(names), defined.difference(names)
    named_here, named_there = _named_in(bodies, here), _named_in(bodies, there)
    return _part(text, here, named_here, named_there), _part(text, there, named_there, named_here)


def _name_in(match: re.Match[str]) -> str:
    """A name as it is given; LLVM quotes what is not ASCII, and writes its bytes as numbers."""
    quoted = match["name"].strip('"').encode()
    return _ESCAPED.sub(lambda byte: bytes([int(byte[1], 16)]), quoted).decode()


def _named_in(bodies: Mapping[str, str], functions: Collection[str]) -> set[str]:
    """What the bodies of some functions name."""
    return {_name_in(match) for function in functions for match in _NAME.finditer(bodies[function])}


def _part(text: str, names: Collection[str], named_here: set[str], named_elsewhere: set[str]) -> str:
    def settle(match: re.Match[str]) -> str:
        name, head, is_internal = _name_in(match), match["head"], match["linkage"] is not None
        visible = f"hidden {head}" if is_internal else head
        if name not in names:
            return f"declare {_SCOPE.sub('', visible)}\n" if name in named_here else ""
        if is_internal and name not in named_elsewhere:
            return match[0]
        return f"define {visible} {{\n{match['body']}}}\n"

    return _DEFINITION.sub(settle, text)
