"""The named pipelines of the middle end, in the order in which a compilation runs them.

Each line of a pipeline is one pass and says why it stands where it does. The backend has a page of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NAMESPACES = ("{anonymous}", "(anonymous namespace)")
"""How gcc and clang write what a pattern of upstream's is called by."""
_DISABLED = ",".join(
    f"{namespace}::{pattern}"
    for pattern in ("ConvertTrivialIfToSelect", "ForOpTensorCastFolder", "TensorCastExtractSlice")
    for namespace in _NAMESPACES
)

CANONICALIZE = f"canonicalize{{region-simplify=disabled disable-patterns={{{_DISABLED}}}}}"
"""Without three patterns: turning branches that only choose between tensors into `arith.select` would compute both;
carrying the static type that the initial value of a loop had is wrong where an iteration gives another size; and a
slice behind a check of its size is no slice of that size, which its source may not have. There are no jumps between
blocks to simplify, and looking for them takes long where branches nest deeply.
"""


def _module(*passes: str) -> str:
    return f"builtin.module({','.join(passes)})"


_VALUES = (
    "weft-fold",  # constants feed the patterns of the simplifier
    "optimize-control-flow",  # modules without branches and loops pass at the cost of a look
    "gather-windows",  # when nothing in loops ends the call any more
    "cse",  # one value has one name, which is what patterns such as x - x look for
    "stretch-operands",  # when it is known who uses what; chains of elementwise ops are fused then
    "weft-simplify",  # erases what it leaves dead
)

PIPELINES: Mapping[str, str] = MappingProxyType(
    {
        # weft -> weft: stage "optimized"
        "weft-optimize": _module(
            "weft-inline",  # calls first, so that cells and constants are seen across them
            "symbol-dce",
            "promote-refs",  # cells become values; everything after this works on values
            "prove-no-overflow",  # most sums of ints; what is left in loops keeps passes from moving things
            "check-ranks",  # on values, as they were written; it says what derivatives are
            "weft-batch",  # on values, and in front of all that asks what values are and where they go
            *_VALUES,
            "gather-convolutions",  # when parts of arrays are slices; derivatives of a convolution are convolutions
            "optimize-gradients",  # modules that ask for none pass at the cost of a look
            "check-loops-first",  # behind gradients, which would be of both copies
            "raise-loops",  # behind gradients, which know the loops as they were written
            "hoist-products",  # of what is left, so that it is not computed in blocks
            "block-dot-products",  # the loops whose iterations need each other
            "transpose-columns",  # behind it, which takes blocks of columns
            "overlap-messages",  # behind gradients, which are of the messages as they were written
            "read-through",  # behind gradients and loops that are raised, which are of rows as they were written
            "fuse-updates",  # when all that is read of updated tensors is known
            "skip-fills",  # last: what passes know of equal elements is gone then
        ),
        # derivatives: what "optimize-gradients" runs where there are any
        "weft-gradients": _module(
            "weft-differentiate",  # on values, with loops that count and checks that are proved
            *_VALUES,  # what it makes is optimised like what was written
        ),
        # branches and loops: what "optimize-control-flow" repeats until nothing changes
        "weft-control-flow": _module(
            CANONICALIZE,  # decided branches, loops of known bounds, and what is carried for nothing
            "weft-fold",  # constants that only now are known
            "cse",  # conditions and extents that are equal are one value: what most of the following look for
            "weft-simplify",
            "propagate-conditions",
            "if-to-select",
            "unroll-loops",
            "forward-extents",  # so that extents of what a loop writes are the same in all iterations
            "hoist-invariants",  # bounds leave the tests of loops, which while-to-for needs
            "while-to-for",
            "make-room-first",  # when it is known how often loops run; checks of places in it go then
            "prove-no-overflow",  # in front of those that take checks away of which it knows more
            "check-sums-behind",  # of those that are left
            "check-numbers-behind",
            "prove-bounds",
            "prove-extents",
            "hoist-checks",  # what is left that does not depend on the iteration
            "promote-refs",  # loops carry the arguments they write once nothing in them ends the call any more
            "sink-exits",  # a loop that writes where it breaks off becomes one on numbers
            "simplify-carried-values",
        ),
        # weft -> linalg on tensors: stage "linalg"
        "weft-to-linalg": _module(
            "combine-exactly",  # when derivatives are made, which are of the reductions as they were written
            "convert-weft-to-linalg",
            "generalize-products",  # so that what computes their factors is fused into them
            "weft-fuse-elementwise",  # fewer loops and intermediate arrays; the backend takes it from here
            CANONICALIZE,
            "mark-distinct-bodies",  # for cse, which would take long for many results of one array
            "cse",
            "mark-distinct-bodies{remove=true}",
            "read-inserted",  # when nothing finds out what was put there any more
            "read-first",  # in the order that is final: what is read behind its update would be copied
        ),
    }
)
