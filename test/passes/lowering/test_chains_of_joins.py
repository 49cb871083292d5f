"""Arrays that grow by one join after the other: each part is inserted once, however long the chain is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.passes.lowering import shape


def grown(x: Any, count: int) -> Any:
    """Joined again and again, with one array at either end."""
    out = x[:0]
    for i in range(count):
        out = np.append(out, x * i) if i % 2 else np.concatenate([x + i, out])
    return out


@pytest.mark.parametrize("count", [4, 8, 16])
def test_parts_are_inserted_once(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    insert, inserted = shape.insert_region, 0

    def counted(*arguments: Any) -> Any:
        nonlocal inserted
        inserted += 1
        return insert(*arguments)

    monkeypatch.setattr(shape, "insert_region", counted)
    x = np.arange(3.0)
    np.testing.assert_array_equal(weft.function(lambda x: grown(x, count))(x), grown(x, count))
    assert 0 < inserted <= count


def test_joins_that_something_else_reads() -> None:
    def program(x: Any, y: Any, n: Any) -> Any:
        a = np.concatenate([x, y])
        b = np.concatenate([a, a])
        c = np.concatenate([y[:0], b, x * 2])
        d = np.concatenate([c, np.concatenate([y, np.concatenate([x, y])])])
        e = np.concatenate([np.concatenate([x[:n], y]), x[:n]])
        m = np.concatenate([np.stack([x, y[:3]], 1), np.stack([y[:3], x], 1)], 1)
        rows = np.concatenate([m, np.concatenate([m, m * 2], 0)], 0)
        if n > 1:
            d = np.concatenate([d, a])
        return a, c, d, e, rows, np.concatenate([np.concatenate([x.astype(np.float32), x]), y])

    compiled = weft.function(program)
    for n in (0, 1, 3):
        given = np.arange(3.0), np.arange(4.0) * 10, np.int64(n)
        for got, expected in zip(compiled(*given), program(*given), strict=True):
            np.testing.assert_array_equal(got, expected)
            assert got.dtype == expected.dtype
