"""Records in compiled code: their fields are read and written as NumPy's are, the rest is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft
from support.same_results import assert_same, check

KIND = np.dtype(
    [("x", "f8"), ("n", "i4"), ("v", "i8", 2), ("in", [("d", "M8[D]"), ("y", "f4")]), ("name", "S4")]
)
R = np.array(
    [
        (1.5, 2, [1, 2], ("2020-01-01", 1), b"a"),
        (3.0, -4, [3, 4], ("NaT", 2), b"b"),
        (0.0, 1, [5, 6], ("2021-01-01", 3), b"c"),
    ],
    KIND,
)
PLAIN = np.array([(1.0, 2), (3.0, 4)], [("x", "f8"), ("n", "i4")])


def read(r: Any) -> Any:
    """Fields, fields of fields, fields that are arrays, and shapes."""
    return (
        r["x"] + r["n"],
        r["v"].sum(axis=1),
        r["in"]["d"],
        r["in"]["y"] * 2,
        len(r),
        r.shape,
        r.ndim,
        r[1]["x"],
        r[-1]["v"],
    )


def written(r: Any) -> Any:
    """Writes through fields, records and parts of these."""
    r["x"] *= 2
    r["v"][0] = 7
    r[1]["n"] = 9
    r["in"]["y"][1:] = 0
    r["in"]["d"][0] = "1999-12-31"
    return r["x"]


def weighted(r: Any) -> Any:
    """Loops over records."""
    total = 0.0
    for i in range(len(r)):
        if r["n"][i] > 0:
            total += r[i]["x"] * r["n"][i]
    for record in r:
        total += record["x"]
    return total


def test_fields_are_numpys() -> None:
    check(read, R)
    check(written, R)
    check(weighted, R)
    check(lambda r: (r.x + r.n, r[0].x), PLAIN.view(np.recarray))
    check(lambda r: (r["x"].T, r[1, 0]["n"]), np.array([[PLAIN[0]], [PLAIN[1]]]))


@pytest.mark.parametrize(
    "array", [R[::2], R[::-1], R[:0], R[1:2]], ids=["strided", "reversed", "empty", "one"]
)
def test_views_of_records(array: Any) -> None:
    follow = weft.function(lambda r: (r["x"] + 1, r["in"]["d"]))
    assert_same(follow(array), follow.python_function(array))


def test_whole_records_come_back() -> None:
    check(lambda r: (r[::-1], r[1:], r.copy(), r[0]), PLAIN)
    same = weft.function(lambda r: r)
    assert same(R) is R
    backwards = weft.function(lambda r: r[::-1])(PLAIN)
    assert np.shares_memory(backwards, PLAIN)


def sizes_change(r: Any) -> Any:
    """Calls with other sizes."""
    return r["x"].sum() + len(r)


@pytest.mark.processor  # learned sizes
def test_sizes_that_change_become_unknown() -> None:
    compiled = weft.function(sizes_change)
    for size in range(2, 9):
        array = np.resize(PLAIN, size)
        assert_same(compiled(array), sizes_change(array))
    assert compiled.cache_info().currsize <= 3


DATED = np.array([(("2020-01-01",), 1.0), (("NaT",), 2.0)], [("in", [("d", "M8[D]")]), ("x", "f8")])


def fields(r: Any) -> Any:
    """Fields and records inside of records as results: the first ones too."""
    return r["in"], r["in"]["d"], r["in"]["d"][::-1], r["in"][1:], r[0]["in"], r["x"], r


def test_fields_are_views_of_the_argument() -> None:
    check(fields, DATED)
    compiled = weft.function(fields)
    for _ in range(2):
        *parts, whole = compiled(DATED)
        assert whole is DATED
        assert all(np.shares_memory(part, DATED) for part in parts if isinstance(part, np.ndarray))


def test_classes_are_numpys() -> None:
    check(lambda r: (isinstance(r, np.ndarray), isinstance(r[0], np.void), type(r) is np.ndarray), PLAIN)
    check(lambda r: (isinstance(r, np.recarray), isinstance(r[0], np.record)), PLAIN.view(np.recarray))


def write_scalar(record: Any) -> None:
    """A write to what is no array."""
    record["x"] = 7.0


def test_scalars_are_read_and_not_written() -> None:
    check(lambda r: (r["x"] + 1, r["n"]), PLAIN[0])
    with pytest.raises(weft.UnsupportedError, match="no entry of an array is not written"):
        weft.function(write_scalar)(PLAIN[0].copy())


OTHERS = np.array([(9.0, 2), (8.0, 4)], [("y", "f4"), ("m", "i8")])


def assigned(r: Any, p: Any, i: Any) -> Any:
    """Records from tuples, numbers, lists, other records; several fields at once."""
    r[0] = (1, 2, [3, 4], ("2001-01-01", 5))
    r[[0, 2]] = (r["x"][1], i, r["v"][1], (r["in"]["d"][0], 5))
    r[1] = (1.5, 2, (i, 7), ("NaT", i))
    p[i] = (i, 2.9)
    p[["n"]][:1] = 8
    last = p[1]
    last[0] = 7.5
    whole = np.zeros(3, p.dtype)
    whole[:] = [(1, 2), (p["x"][0], 3), (4.5, i)]
    whole[whole["n"] > 2] = whole[0]
    places = np.zeros(2, p.dtype)
    places[:] = OTHERS
    numbers = np.zeros(2, p.dtype)
    numbers[:] = p["x"]
    dated = np.zeros(2, [("a", "f8"), ("d", "M8[D]")])
    dated[:] = [(p["x"][0], "2020-01-02"), (3, "NaT")]
    return r[["in", "x"]].tolist(), p, whole, places, numbers, dated


def too_long(p: Any) -> None:
    """A tuple of more items than fields."""
    p[0] = (1, 2, 3)


def a_sequence(p: Any) -> None:
    """An array for one number."""
    p[0] = (p["x"], 2)


def test_records_are_assigned_from_tuples() -> None:
    bare = np.concatenate([R[["x", "n", "v", "in"]]])
    check(assigned, bare, PLAIN, np.int64(1))
    memory = PLAIN.copy()
    assert np.shares_memory(weft.function(lambda p: p[["n", "x"]])(memory), memory)
    for wrong in (too_long, a_sequence):
        with pytest.raises(ValueError, match=r"sequence|tuple") as expected:
            wrong(PLAIN.copy())
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            weft.function(wrong)(PLAIN)


TIED = np.array([(3.0, 2), (1.0, 4), (3.0, 1), (np.nan, 5)], PLAIN.dtype)


def moved(p: Any, q: Any) -> Any:
    """Records that are sorted, moved and joined, and given as tuples."""
    p.sort(order="n")
    joined = np.concatenate([p[["n"]], p[["n"]]]), np.append(p, TIED[:1]), np.where(p["n"] > 1, p, p[0])
    apart = np.roll(p, 1), p.reshape(2, 2), np.flip(p), p.take([0, 1]), np.delete(p, 1), p[p["n"] > 1]
    in_order = np.sort(p), np.argsort(p, order=["x", "n"]), np.sort(q, order="in")
    return p, joined, apart, in_order, p[0].item(), q.tolist()


def test_whole_records_are_sorted_and_moved() -> None:
    check(moved, TIED, np.concatenate([R[["n", "in"]]]))
    with pytest.raises(ValueError, match="unknown field name: z"):
        weft.function(lambda p: np.sort(p, order="z"))(PLAIN)


REFUSED = {
    "the field 'name' of dtype": lambda r: r["name"],
    "the fields .'name'. are not supported": lambda r: r[["name"]],
    "np.unique of whole records": lambda r: np.unique(r),
    "tobytes of whole records": lambda r: r.tobytes(),
    "'name' of dtype": lambda r: r.__setitem__(0, (1, 2, [3, 4], (0, 0), b"")),
    "no field of name z": lambda r: r["z"],
    "fields of text or the like": lambda r: r.copy(),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(message: str) -> None:
    with pytest.raises(ValueError if "no field" in message else weft.UnsupportedError, match=message):
        weft.function(REFUSED[message])(R)
    with pytest.raises(TypeError, match="value of traced records"):
        weft.function(lambda r: bool(r == r))(R)
