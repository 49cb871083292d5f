"""Stores of one lane: LLVM 22 writes too much where the vector was made narrower.

On x86 it joins a truncation with the masked store of its result, and when the mask has one lane, makes a store of one
element of that: of the wide type. So such stores are written as what they are before LLVM sees them.
"""

from __future__ import annotations

import re

from ...dialect.records import dataclass
from ...passes.base import Statistics, TextPass

_STORE = re.compile(
    r"call void @llvm\.masked\.store\.v\d+i\d+\.p0\("
    r"<(?P<lanes>\d+) x (?P<element>i\d+)> (?P<vector>[^,]+), ptr align (?P<alignment>\d+) (?P<pointer>[^,]+), "
    r"<\d+ x i1> <(?P<mask>i1 (?:true|false)(?:, i1 (?:true|false))*)>\)[^\n]*"
)


@dataclass(frozen=True)
class ScalarizeMaskedStores(TextPass):
    """Write masked stores of one known lane as stores of one element."""

    def run(self, text: str, statistics: Statistics) -> str:
        return scalarize_masked_stores(text)


def scalarize_masked_stores(text: str) -> str:
    """LLVM assembly whose masked stores of integers write more than one lane, or one that is not known.

    >>> store = "call void @llvm.masked.store.v2i8.p0(<2 x i8> %1, ptr align 1 %2, <2 x i1> <i1 true, i1 false>)"
    >>> print(scalarize_masked_stores(store))
    %lane.0 = extractelement <2 x i8> %1, i64 0
      %lane.0.at = getelementptr i8, ptr %2, i64 0
      store i8 %lane.0, ptr %lane.0.at, align 1
    """
    count = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        mask = match["mask"].split(", ")
        if mask.count("i1 true") != 1:
            return match[0]
        lane, element, name = mask.index("i1 true"), match["element"], f"%lane.{count}"
        count += 1
        return (
            f"{name} = extractelement <{match['lanes']} x {element}> {match['vector']}, i64 {lane}\n"
            f"  {name}.at = getelementptr {element}, ptr {match['pointer']}, i64 {lane}\n"
            f"  store {element} {name}, ptr {name}.at, align {match['alignment'] if lane == 0 else 1}"
        )

    return _STORE.sub(replace, text)
