"""Calls that change long lists: what holds only numbers is not walked."""

from __future__ import annotations

from typing import Any
from unittest import mock

import weft
from weft.frontend.python_state import updates

ROWS, COLUMNS = 30, 20


def mirror(table: Any) -> Any:
    for row in table:
        for i in range(len(row) // 2):
            row[i], row[-1 - i] = row[-1 - i], row[i]
    return len(table)


def test_numbers_in_lists_are_not_walked() -> None:
    table = [[i * COLUMNS + j for j in range(COLUMNS)] for i in range(ROWS)]
    expected = [row[::-1] for row in table]
    compiled = weft.function(mirror)
    compiled([list(row) for row in table])
    with mock.patch.object(updates, "_add_copies", wraps=updates._add_copies) as walked:
        assert compiled(table) == ROWS
    assert table == expected
    assert walked.call_count < 2 * ROWS  # the arguments, the table and its rows; not 600 numbers


def test_containers_among_numbers_are_found() -> None:
    inner: list[Any] = [1, 2.5]
    assert [*map(id, updates.copies_in((1, "a", [3, inner], {"k": inner})))][2] == id(inner)
    assert sum(found is inner for found in updates.copies_in([inner, 1, inner])) == 2
