"""Random calls with arguments of all kinds give what NumPy gives, in types, dtypes, shapes and values.

`python -m support.call_comparison --seconds 600` in the folder of tests makes more, and compares exceptions, too.
"""

from __future__ import annotations

import zlib

import pytest

from support.call_comparison import SILENT, check
from support.numpy_calls import call_of
from support.numpy_targets import TARGETS

UNLIKE_NUMPY = {
    ".flat",
    ".__round__",
    ".dot",
    ".round",
    ".strides",
    ".view",
    "np.unique_values",
    "np.vecdot",
    "np.linalg.vecdot",
    "np.logaddexp.reduce",
}
"""What is no array in NumPy, or a scalar, or comes in no order, or multiplies infinite complex numbers in another; and
strides of arrays without elements."""

CALLS = 2


@pytest.mark.parametrize("part", range(4))
def test_calls(part: int) -> None:
    wrong, raised = [], 0
    for target in TARGETS[part::4]:
        if target.name in UNLIKE_NUMPY or target.name.endswith((".reduce", ".accumulate", ".outer", ".at")):
            continue
        first = zlib.crc32(target.name.encode())
        for seed in range(first, first + CALLS):
            call = call_of(seed, target)
            kind, how = check(call)
            raised += kind == "raised"
            if kind.split() and kind.split()[-1] in SILENT:
                wrong.append(f"{kind} of {call}: {how}")
    assert not wrong, "\n".join(wrong)
    assert raised < 30, "NumPy takes what compiled code does not"
