"""bfloat16 as words of 16 bits: arithmetic is that of integers and of float32 by now, and what is left moves them.

LLVM would move some of them as float32, and round these by a function that is on few systems.
"""

from __future__ import annotations

import re

from ...dialect.records import dataclass
from ...passes.base import Statistics, TextPass

_LITERAL = re.compile(r"\bbfloat 0xR([0-9A-F]{4})\b")
_TYPE = re.compile(r"(?<![\w.%@\"])bfloat\b")
_INTRINSIC = re.compile(r"@llvm\.(?!nvvm\.)[\w.]+")
"""Its name has the types that it takes. Those of GPUs have it to say what they multiply."""
_MANGLED = re.compile(r"(?<=[.v\d])bf16(?=\.|$)")
_DECLARATION = re.compile(r"^declare [^@\n]*(@[\w.$]+)\(.*\n", re.MULTILINE)


@dataclass(frozen=True)
class MoveBfloatsAsIntegers(TextPass):
    """Move bfloat16 numbers as words of 16 bits."""

    def run(self, text: str, statistics: Statistics) -> str:
        return move_as_integers(text)


def move_as_integers(text: str) -> str:
    """LLVM assembly without the type bfloat.

    >>> move_as_integers("store bfloat 0xR3F80, ptr %1")
    'store i16 16256, ptr %1'
    """
    if "bfloat" not in text:
        return text
    text = _LITERAL.sub(lambda match: f"i16 {int(match[1], 16)}", text)
    text = _INTRINSIC.sub(lambda match: _MANGLED.sub("i16", match[0]), _TYPE.sub("i16", text))
    declared: set[str] = set()
    return _DECLARATION.sub(lambda match: _once(match, declared), text)


def _once(declaration: re.Match[str], declared: set[str]) -> str:
    """A declaration, unless words of 16 bits are moved by that function, too, and it is declared already."""
    if declaration[1] in declared:
        return ""
    declared.add(declaration[1])
    return declaration[0]
