"""Floating literals: from how LLVM 24 writes them to how LLVM 22 reads them.

MLIR's LLVM prints `float 1.000000e-01`, `f0x3DCCCCCD`, `+inf` and `+nan(0x1)`; the LLVM in llvmlite takes a
decimal only when it is exact and everything else as hexadecimal digits of the bits. Each literal is rewritten
to the bits it stands for, under the floating type that was named last before it.
"""

from __future__ import annotations

import math
import re
import struct
from functools import lru_cache

from ...dialect.errors import InternalError
from ...dialect.records import dataclass
from ...passes.base import Statistics, TextPass

_LITERAL = re.compile(
    r'"[^"]*"'  # a string: left alone
    r"|(?<![\w.@%$#!-])(?P<type>float|double|half|bfloat)\b"
    r"|(?<![\w.@%$#!])(?P<value>[+-]?\d+\.\d*e[+-]\d+"
    r"|f0x[0-9A-Fa-f]+"
    r"|[+-](?:inf|qnan|s?nan\(0x[0-9A-Fa-f]+\)))(?!\w)"
)

# Bits, mantissa bits and the prefix of the hexadecimal form.
_FORMATS = {
    "half": (16, 10, "0xH"),
    "bfloat": (16, 7, "0xR"),
    "float": (32, 23, "0x"),
    "double": (64, 52, "0x"),
}


_MARKS = ("e+", "e-", "f0x", "+inf", "-inf", "nan")
"""What every literal to rewrite has in it: most lines have none of these, and are not looked at more closely."""


@dataclass(frozen=True)
class RewriteLiterals(TextPass):
    """Write floating literals as the bits that they stand for."""

    def run(self, text: str, statistics: Statistics) -> str:
        return rewrite_literals(text)


def rewrite_literals(text: str) -> str:
    """LLVM assembly with all floating literals in the form that older versions of LLVM read.

    >>> rewrite_literals("ret float 1.000000e-01")
    'ret float 0x3FB99999A0000000'
    """
    pieces, copied = [], 0
    for begin, end in sorted(_marked_lines(text)):
        pieces += [text[copied:begin], _rewrite_line(text[begin:end])]
        copied = end
    return "".join([*pieces, text[copied:]])


def _marked_lines(text: str) -> set[tuple[int, int]]:
    """Where the lines with a mark begin and end."""
    found = set()
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            found.add((text.rfind("\n", 0, at) + 1, end))
            at = text.find(mark, end)
    return found


def _rewrite_line(line: str) -> str:
    """Each literal in a line has the type that is named last before it: no instruction goes over a line."""
    current = ""

    def replace(match: re.Match[str]) -> str:
        nonlocal current
        if match["type"]:
            current = match["type"]
            return current
        value = match["value"]
        if value is None:
            return match[0]
        if not current:
            raise InternalError(f"a floating literal of no known type: {line.strip()}")
        return _encode(current, value)

    return _LITERAL.sub(replace, line)


@lru_cache(maxsize=4096)
def _encode(type: str, literal: str) -> str:
    width, _, prefix = _FORMATS[type]
    bits = _bits(type, literal)
    if type == "float":
        # Written as the double of the same value; the payload of a NaN moves up with the mantissa.
        bits, width = _widen(bits), 64
    return f"{prefix}{bits:0{width // 4}X}"


def _bits(type: str, literal: str) -> int:
    """The bits of a literal in its own format."""
    width, mantissa, _ = _FORMATS[type]
    if literal.startswith("f0x"):
        return int(literal[3:], 16)
    sign = (literal[0] == "-") << (width - 1)
    exponent = ((1 << (width - 1)) - 1) & ~((1 << mantissa) - 1)
    quiet = 1 << (mantissa - 1)
    if literal.endswith("inf"):
        return sign | exponent
    if literal.endswith("qnan"):
        return sign | exponent | quiet
    if "nan" in literal:
        payload = int(literal[literal.index("0x") + 2 : -1], 16)
        return sign | exponent | payload | (0 if "snan" in literal else quiet)
    return _round(type, float(literal))


def _round(type: str, value: float) -> int:
    """The bits of the nearest number of a format."""
    if type == "double":
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    if type == "half":
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    single = int(struct.unpack("<I", struct.pack("<f", value))[0])
    if type == "float":
        return single
    return (
        single + 0x7FFF + (single >> 16 & 1)
    ) >> 16  # MLIR prints enough digits that this rounds only once


def _widen(bits: int) -> int:
    """The bits of the double with the value of a float."""
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    if math.isnan(value):
        return (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])
