"""Lists, of classes of their own, too, in attributes that a function only appends to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


class Tracked(list[Any]):
    """As libraries wrap the lists that they are given."""

    def append(self, value: Any) -> None:
        super().append(value)


class Holder:
    def __init__(self, kind: type) -> None:
        self.found: Any = kind()

    def add(self, x: Any) -> None:
        self.found.append(x.sum())


@pytest.mark.parametrize("kind", [list, Tracked])
def test_appending_at_each_call_compiles_once(kind: type) -> None:
    holder = Holder(kind)

    @weft.function
    def add(x: Any) -> Any:
        holder.add(x)
        return x

    for number in range(3):
        add(np.full(2, float(number)))
    assert holder.found == [0.0, 2.0, 4.0]
    assert type(holder.found) is kind
    assert add.trace_count == 1
    holder.found = (1.0,)
    with pytest.raises(AttributeError, match="append"):
        add(np.zeros(2))
