"""Arrays out of a list, of which a loop reads single rows: there, and not in copies."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft

ROWS = np.arange(60.0).reshape(5, 4, 3)


def first_above(tables: Any, limits: Any) -> Any:
    """Of one table after the other the first row whose sum is large enough; some tables are replaced meanwhile."""
    kept = [table * 2 for table in tables]
    found = np.zeros(3)
    for place in range(len(limits)):
        table = kept[place % 5]
        if limits[place] < 0:
            kept[place % 5] = table + 100
        number = 0
        while number < 3 and table[number].sum() < limits[place]:
            number += 1
        found += table[number]
    return found, kept[1]


def test_values() -> None:
    limits = np.array([3.0, 1000.0, -1.0, 90.0, 200.0, 20.0, 60.0, 300.0])
    compiled = weft.function(first_above)
    for given in (limits, np.abs(limits)):
        for got, expected in zip(compiled(ROWS, given), first_above(ROWS, given), strict=True):
            np.testing.assert_array_equal(got, expected)


def total(dataset: Any) -> Any:
    found = np.float64(0)
    for row in dataset:
        found = found / 2 + row[0]
    return found


def test_data_sets_in_turn_copy_no_table() -> None:
    dataset = weft.data.Dataset.range(3).interleave(
        lambda place: weft.data.Dataset.from_tensor_slices(ROWS[0] + place).filter(lambda row: row[1] % 5 > 0)
    )
    compiled = weft.function(total)
    assert compiled(dataset) == total(dataset)
    text = compiled.get_concrete_function(dataset).as_text("optimized")
    assert "-> tensor<4x3xf64>" not in "".join(line for line in text.splitlines() if "weft.gather" in line)
