"""`tolist` of arrays with many rows, or rows whose number or length only the program knows: lists in lists."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

PAIRS = np.arange(200).reshape(100, 2)
ROWS = np.arange(600.0).reshape(20, 30)
X = np.array([1.0, -1.0, 2.0, 3.0])


def pairs(x):
    return np.stack([x[x > 0], x[x > 0] + 1], axis=1)


def walls(y):
    found = y.tolist()
    found.append([7, 8])
    found.remove([2, 3])
    found[2][1] = 99
    return found, [2, 3] in found, found.index([8, 9]), found.count([7, 8])


def longer(y):
    found = y.tolist()
    for i in range(len(found)):
        found[i].append(found[i][0] + i)
    return found


def total(y):
    result = 0
    for row in y.tolist():
        for value in row:
            result += value
    return result


def written(y):
    found = y.tolist()
    found[1][0] = found[0][1] + 5
    return found, found[1] is found[1], found[1] == found[2]


CALLS = {
    "pairs": (lambda x: pairs(x).tolist(), X),
    "unpacked": (lambda x: [a * b for a, b in pairs(x).tolist()], X),
    "columns": (lambda x: pairs(x).T.tolist(), X),
    "rows of unknown length": (lambda x: np.outer(x[x > 0], x[x > 0]).tolist(), X),
    "comprehension": (lambda x: [[v + 1 for v in row] for row in np.outer(x[x > 0], x).tolist()], X),
    "set of tuples": (lambda y: len(set(map(tuple, y.tolist()))), PAIRS),
    "found": (lambda y: ([4, 5] in y.tolist(), [5, 4] in y.tolist()), PAIRS),
    "left out": (lambda y: [row for row in y.tolist() if row != [2, 3]], PAIRS),
    "walls": (walls, PAIRS),
    "longer": (longer, PAIRS),
    "longer rows": (longer, ROWS),
    "sum": (total, ROWS),
    "written": (written, ROWS),
    "written pairs": (written, PAIRS),
    "one": (lambda y: y.tolist()[3][1], ROWS),
    "three axes": (lambda y: y.tolist(), np.arange(900).reshape(30, 10, 3)),
    "no rows": (lambda y: y[y[:, 0] > 1000].tolist(), PAIRS),
    "no rows, long": (lambda y: y[y[:, 0] > 1000].tolist(), ROWS),
    "uint8": (lambda y: y[y[:, 0] > 10].tolist(), PAIRS.astype(np.uint8)),
    "float32": (lambda y: y.tolist(), ROWS.astype(np.float32)),
    "bool": (lambda y: (y > 30).tolist(), PAIRS),
    "complex": (lambda y: (y * 1j).tolist()[1], PAIRS),
    "back": (lambda y: np.array(y.tolist()) * 2, ROWS),
}


@pytest.mark.parametrize("name", CALLS)
def test_rows_as_lists(name: str) -> None:
    function, argument = CALLS[name]
    same(function, (argument,))


def test_rows_of_unknown_sizes() -> None:
    spec = weft.TensorSpec([None, None], np.float64)
    compiled = weft.function(lambda y: y.tolist(), input_signature=[spec])
    for y in (ROWS, ROWS[:0], ROWS[:, :0], ROWS[:3, :2].copy()):
        assert compiled(y) == y.tolist()


def test_dicts_are_not_looked_for() -> None:
    def found(x):
        dicts = []
        for v in x:
            if v > 0:
                dicts.append({"v": v})
        return {"v": 2.0} in dicts

    with pytest.raises(NotImplementedError, match="other things than numbers and constants"):
        weft.function(found)(X)
