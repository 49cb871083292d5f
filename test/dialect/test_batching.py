"""The rules for many lanes: each op on values with lanes gives what it gives for one lane after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from support.eager_emitter import EagerEmitter
from support.op_uses import WITHOUT_CASES, Use, is_close, representative_uses
from weft.dialect.batching import Laned, Lanes, batched
from weft.dialect.op import OPS
from weft.dialect.ops import load_families
from weft.dialect.ops.differentiation import Marker

load_families()

NAMES = [
    name
    for name, op in OPS.items()
    if name not in WITHOUT_CASES and op.is_pure() and not issubclass(op, Marker)
]

ONE_BY_ONE = {
    "arange",
    "repeat_each",
    "nonzero",
    "random",
    "table_find",
    "table_index",
    "bitcast",
}
"""What runs for one lane after the other."""

OF_THE_FIRST = {
    "pad", "dynamic_slice", "dynamic_slice_update", "find_out_of_bounds", "searchsorted"
}  # fmt: skip
"""What runs so where some of the operands have lanes: the number that is padded, bounds, sorted values."""


def lanes_of(use: Use, count: int) -> list[list[Any]]:
    """The operands of a use, with other numbers for each lane."""
    operands = use.operands()
    return [[np.roll(array, lane) if array.ndim else array for array in operands] for lane in range(count)]


def by_lanes(use: Use, lanes: Sequence[Sequence[Any]], result: int) -> Any:
    """A result of an op for one lane after the other."""
    return np.stack([use.op.compute(operands, use.case.attributes)[result] for operands in lanes])


def differences(use: Use, chosen: Sequence[bool], count: int, is_last: bool) -> list[str]:
    """What an op gives for lanes that is not what it gives for each."""
    lanes = lanes_of(use, count)
    lanes = [[a if has else b for a, b, has in zip(own, lanes[0], chosen, strict=True)] for own in lanes]
    b = EagerEmitter()
    place = -1 if is_last else 0
    operands = [
        Laned(b.value(np.stack([own[number] for own in lanes], axis=place) if has else lanes[0][number]), has)
        for number, has in enumerate(chosen)
    ]
    made = batched(b, use.op, operands, use.case.attributes, Lanes(lambda: count, is_last))
    if made is None:
        allowed = use.op.name in ONE_BY_ONE or is_last
        if use.op.name in OF_THE_FIRST:
            allowed = allowed or any(chosen[1:]) or use.op.name == "searchsorted"
        return [] if allowed else [f"{use} has no rule"]
    wrong = []
    for number, found in enumerate(made):
        expected = by_lanes(use, lanes, number)
        got = np.moveaxis(found.value.handle, -1, 0) if found.has_lanes and is_last else found.value.handle
        if not found.has_lanes and expected.dtype == np.bool_:
            expected = expected.any(axis=0)  # whether something failed in a lane
        elif not found.has_lanes:
            continue
        if got.shape != expected.shape or not is_close(use.op, got, expected):
            wrong.append(f"{use}, lanes for {list(chosen)}, result {number}: {got} and not {expected}")
    return wrong


@pytest.mark.sampled
@pytest.mark.parametrize("is_last", [False, True], ids=["first", "last"])
@pytest.mark.parametrize("name", NAMES)
def test_ops_do_for_lanes_what_they_do_for_each(name: str, is_last: bool) -> None:
    op = OPS[name]
    wrong: list[str] = []
    for use in itertools.islice(representative_uses(op), 24):
        count = len(use.operands())
        for chosen in itertools.product([True, False], repeat=min(count, 4)):
            if any(chosen):
                wrong += differences(use, [*chosen, *(chosen[-1],) * (count - len(chosen))], 3, is_last)
    assert not wrong, wrong[0]
