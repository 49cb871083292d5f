"""Results of loaded functions that a condition decides on, that are one object, or lie in named tuples."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

SPEC, NUMBER = weft.TensorSpec([None]), weft.TensorSpec([], "int64")
Pair = namedtuple("Pair", "first second")


def loaded(path: Path, program: Any, *specs: Any) -> Any:
    weft.save(path / "f.weft", f=weft.function(program).get_concrete_function(*specs))
    return weft.load(path / "f.weft").f


def selected(x: Any, y: Any, n: Any) -> Any:
    if n > 0:
        found = x
    elif n == 0:
        found = y[1:]
    else:
        found = x + y
    return found


def test_one_of_several_arrays_is_that_array(tmp_path: Path) -> None:
    f, x, y = loaded(tmp_path, selected, SPEC, SPEC, NUMBER), np.arange(3.0), np.ones(3)
    for _ in range(3):
        assert f(x, y, np.int64(1)) is x
        assert np.shares_memory(f(x, y, np.int64(0)), y)
        assert not np.shares_memory(f(x, y, np.int64(-1)), x)
        np.testing.assert_array_equal(f(x, y, np.int64(-1)), x + y)

    @weft.function
    def outer(x: Any, y: Any, n: Any) -> Any:
        found = f(x, y, n)
        return found * 2, found

    doubled, found = outer(x, y, np.int64(1))
    assert found is x
    np.testing.assert_array_equal(doubled, x * 2)
    np.testing.assert_array_equal(weft.grad(lambda x: (f(x, y, np.int64(1)) ** 2).sum())(x), 2 * x)


def test_none_and_constants_by_a_condition(tmp_path: Path) -> None:
    def program(x: Any, n: Any) -> Any:
        return None if n > 1 else x * 2, "many" if n > 1 else "few", [x, (x if n > 0 else None)]

    f, x = loaded(tmp_path, program, SPEC, NUMBER), np.arange(3.0)
    for n in (2, 0, 1, 2, 1, 0):
        assert repr(f(x, np.int64(n))) == repr(program(x, np.int64(n)))


def test_one_object_in_several_places(tmp_path: Path) -> None:
    def program(x: Any) -> Any:
        part = x[1:]
        return part, [part], x * 2

    first, (second,), _ = loaded(tmp_path, program, SPEC)(np.arange(3.0))
    assert first is second


def test_named_tuples(tmp_path: Path) -> None:
    def program(pair: Any) -> Any:
        return Pair(pair.first + 1, pair), np.linalg.eigh(np.eye(2) * pair.second)

    f, pair = loaded(tmp_path, program, Pair(SPEC, weft.TensorSpec([]))), Pair(np.ones(2), np.float64(3))
    made, values = f(pair)
    assert (made._fields, type(made).__name__) == (("first", "second"), "Pair")
    np.testing.assert_array_equal(made.first, [2, 2])
    np.testing.assert_array_equal(made.second.first, [1, 1])
    assert type(values) is type(np.linalg.eigh(np.eye(2)))
    np.testing.assert_array_equal(values.eigenvalues, [3, 3])
    with pytest.raises(TypeError, match="was not saved for the arguments"):
        f(namedtuple("Other", "first second")(*pair))


def test_constants_of_all_kinds(tmp_path: Path) -> None:
    def program(x: Any, how: Any) -> Any:
        return (
            x,
            how,
            slice(1, None),
            range(0, 9, 2),
            {1},
            frozenset({2.5}),
            b"bytes",
            ...,
            np.int8,
            float,
        )

    f, x = loaded(tmp_path, program, SPEC, slice(0, 2)), np.ones(2)
    assert repr(f(x, slice(0, 2))) == repr(program(x, slice(0, 2)))


def test_eager_mode_runs_compiled_code(tmp_path: Path) -> None:
    f = loaded(tmp_path, lambda x: x * 2, SPEC)
    with weft.eager():
        np.testing.assert_array_equal(f(np.ones(2)), [2, 2])
        np.testing.assert_array_equal(weft.function(lambda x: f(x) + 1)(np.ones(2)), [3, 3])


def test_results_keep_the_types_that_a_condition_gives_them(tmp_path: Path) -> None:
    def program(x: Any, n: Any) -> Any:
        if n > 1:
            number: Any = x[0] * 2
        elif n > 0:
            number = np.float32(1.5)
        else:
            number = 2
        return number, [x.astype("float32") if n > 0 else x]

    f, x = loaded(tmp_path, program, SPEC, NUMBER), np.arange(3.0)
    weft.save(tmp_path / "again.weft", f=f.get_concrete_function(SPEC, NUMBER))
    again = weft.load(tmp_path / "again.weft").f
    inside = weft.function(lambda x, n: f(x, n))
    for n in (2, 1, 0, 1, 2):
        for made in (f, again, inside):
            assert repr(made(x, np.int64(n))) == repr(program(x, np.int64(n)))
