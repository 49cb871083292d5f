"""Lists and dicts that are taken out of the containers from outside that hold them, and changed: both is seen."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft

NESTED: dict[str, Any] = {}


def _change(x):
    taken = NESTED.pop("inner")
    taken["a"] = x[0]
    row = taken["rows"].pop()
    row[0] = x[1]
    taken["rows"].append(7)
    other = NESTED["other"]
    other["a"] = x[2]
    NESTED["other"] = {"a": 5}
    NESTED["again"] = taken
    return x


def _state(function):
    row, rest = [0], [1]
    inner, other = {"a": 1, "rows": [rest, row]}, {"a": 2}
    NESTED.clear()
    NESTED.update(inner=inner, other=other)
    function(np.array([1.0, 2.0, 3.0]))
    return [repr(part) for part in (NESTED, inner, other, row, rest)]


def test_what_is_taken_out_and_changed():
    compiled = weft.function(_change)
    wanted = _state(_change)
    assert _state(compiled) == wanted
    assert _state(compiled) == wanted
