"""Branches that are hardly ever taken: LLVM keeps their values out of the registers of what runs always.

Code generation says so by `llvm.expect`, which LLVM's first level of simplification would turn into the weights of the
branch; vector code goes without it.
"""

from __future__ import annotations

import re

from ....dialect.records import dataclass
from ....passes.base import Statistics, TextPass

_EXPECT = "@llvm.expect.i1("
_EXPECTED = re.compile(r" (%\w+) = call i1 @llvm\.expect\.i1\(i1 [^,]+, i1 false\)\n")
_WEIGHTS = 999_999
"""The number of the metadata: far above those that MLIR gives."""


@dataclass(frozen=True)
class WeighBranches(TextPass):
    """Give weights to the branches on what is expected to be false."""

    def run(self, text: str, statistics: Statistics) -> str:
        return weigh_branches(text)


def weigh_branches(text: str) -> str:
    """LLVM assembly in which branches on what is expected to be false have weights."""
    if _EXPECT not in text:
        return text
    pieces, end = [], 0
    for match in _EXPECTED.finditer(text):
        branch = re.compile(rf"br i1 {match[1]}, label %\w+, label %\w+").search(text, match.end())
        if branch is not None and branch.end() > end:
            pieces += [text[end : branch.end()], f", !prof !{_WEIGHTS}"]
            end = branch.end()
    metadata = f'\n!{_WEIGHTS} = !{{!"branch_weights", i32 1, i32 2000}}\n'
    return "".join([*pieces, text[end:], metadata])
