"""What a snapshot of the program's places does where another object takes the place of one."""

from __future__ import annotations

from typing import Any
from unittest import mock

from weft.frontend.autograph.operators.values import program_locations
from weft.frontend.autograph.operators.values.program_locations import Snapshot


def snapshot_of(value: Any) -> Snapshot:
    snapshot = Snapshot()
    snapshot.follow(value, "value")
    return snapshot


def test_an_object_is_replaced_wherever_it_is() -> None:
    inner: list[Any] = [1]
    rows: list[Any] = [inner, [2, inner], {"a": inner, "b": 3}]
    new = [7]
    snapshot_of(rows).replace([(inner, new)])
    assert rows[0] is new
    assert rows[1][1] is new
    assert rows[2]["a"] is new
    assert (rows[1][0], rows[2]["b"]) == (2, 3)


def test_lists_without_it_are_not_walked() -> None:
    rows = [[float(number) for number in range(50)] for _ in range(20)]
    snapshot = snapshot_of(rows)
    with mock.patch.object(program_locations, "Entry", wraps=program_locations.Entry) as entries:
        snapshot.replace([])
        snapshot.replace([(object(), 1)])
    assert not entries.called
