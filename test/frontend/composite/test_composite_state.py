"""Arrays of dates and records that are no arguments and are written; Python's dates, builtins, and input signatures."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.interpreted import interpreted
from support.same_results import assert_same, check

D = np.array(["2020-01-01", "2019-04-02", "2021-05-03", "2020-05-01"], "M8[D]")
NAT = np.array(["2020-01-01", "NaT", "2021-05-03"], "M8[s]")
SEEN = D.copy()
OTHER = D.copy()
LISTED = [D.copy(), 3]
RECORDS = np.zeros(3, [("x", "f8"), ("t", "M8[s]")])
STATE = (SEEN, OTHER, LISTED[0], RECORDS)


def _placed(d: Any, i: Any) -> Any:
    SEEN[i] = d[0]
    return SEEN[0], SEEN.max()


def _shifted(d: Any, i: Any) -> Any:
    global SEEN
    SEEN += np.timedelta64(1, "D")
    return SEEN


def _gated(d: Any, i: Any) -> Any:
    if d[1] > OTHER[1]:
        OTHER[1] = d[1]
    for k in range(i):
        OTHER[k] = max(OTHER[k], d[k])
    return OTHER[1:]


def _listed(d: Any, i: Any) -> Any:
    LISTED[0][i] = d[2]
    return LISTED[0][::-1]


def _records(d: Any, i: Any) -> Any:
    RECORDS["x"][i - 1] = i
    RECORDS[i - 1]["t"] = d[0]
    RECORDS["t"] += np.timedelta64(1, "m")
    return RECORDS["x"].sum(), RECORDS["t"].max()


def _by_functions(d: Any, i: Any) -> Any:
    view = SEEN[1:]
    view.sort()
    np.copyto(OTHER, d)
    np.add(OTHER, np.timedelta64(1, "D"), out=OTHER)
    np.max(d.reshape(2, 2), axis=0, out=LISTED[0][:2])
    return view


PROGRAMS = [_placed, _shifted, _gated, _listed, _records, _by_functions]


@pytest.mark.parametrize("program", PROGRAMS)
def test_globals_are_written_at_each_call(program: Callable[..., Any]) -> None:
    """As NumPy writes them; the second call compiles nothing."""
    before = [array.copy() for array in STATE]
    outcomes = []
    for run in (program, compiled := interpreted(program)):
        results = [copy.deepcopy(run(d, np.int64(i))) for d, i in ((D, 1), (D[::-1].copy(), 3), (D, 2))]
        outcomes.append((results, [array.copy() for array in STATE]))
        for array, old in zip(STATE, before, strict=True):
            array[...] = old
    assert_same(outcomes[1], outcomes[0])
    assert compiled.cache_info().misses == 1


class Log:
    def __init__(self) -> None:
        self.days = D.copy()

    def put(self, i: Any, day: Any) -> Any:
        self.days[i] = day
        self.days += np.timedelta64(1, "D")
        return self.days


def test_attributes_are_written_and_returned_as_they_are() -> None:
    ours, theirs = Log(), Log()
    put = weft.function(ours.put)
    for i in range(3):
        got = put(np.int64(i), D[2])
        assert got is ours.days
        assert_same(got, theirs.put(i, D[2]))
    assert put.cache_info().misses == 1


def test_what_another_process_compiled_is_found(tmp_path: Path) -> None:
    program = tmp_path / "dates.py"
    program.write_text(
        "import numpy as np, weft\n"
        "SEEN = np.array(['2020-01-01', '2021-01-01'], 'M8[D]')\n"
        "@weft.function\n"
        "def place(i, d):\n"
        "    SEEN[i] = d\n"
        "    return SEEN.max()\n"
        "first, second = np.datetime64('2019-01-01'), np.datetime64('2024-01-01')\n"
        "print(place(np.int64(1), first), place(np.int64(0), second), SEEN)\n"
    )
    environment = {
        "WEFT_CACHE_DIR": str(tmp_path),
        "WEFT_LOG": "cache",
        "WEFT_CACHE": "1",
        "PATH": "",
    }
    for what in ("stored place", "found place"):
        ran = subprocess.run(
            [sys.executable, str(program)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        assert ran.stdout.split() == ["2020-01-01", "2024-01-01", "['2024-01-01'", "'2019-01-01']"]
        assert what in ran.stderr


def test_python_objects() -> None:
    """`item` and `tolist`: dates of Python, None for NaT, ints where Python has none; as they were when asked for."""

    def program(d: Any, k: Any) -> Any:
        listed, first = d.tolist(), d[0].item()
        text = f"{d[0].item()} {d[2].item()!s}"
        shifts = [
            ((d - d[0]).astype(f"m8[{unit}]").tolist(), d.astype(f"M8[{unit}]").tolist()) for unit in "Dhs"
        ]
        one = d.item(2), d[:1].item(), d.reshape(3, 1).item(2, 0), d.item(-1), d[k].item(), d.item(k)
        d[0] = d[2]
        return (
            listed,
            first,
            text,
            shifts,
            one,
            d.reshape(3, 1).tolist(),
            d[d > d[1]].tolist(),
            np.repeat(d, 40).tolist(),
        )

    check(program, NAT, np.int64(1))


def chosen(d: Any, c: Any) -> Any:
    """Python's dates that branches and loops leave."""
    maybe, one, last = None, d[1].item(), None
    if c:
        maybe, one = d[0].item(), d[2].item()
    for i in range(len(d)):
        if d[i] > d[1]:
            last = d[i].item()
    return maybe, one, last


@pytest.mark.parametrize("c", [True, False])
def test_python_objects_of_branches(c: bool) -> None:
    check(chosen, D, np.bool_(c))


def test_builtins() -> None:
    def program(d: Any, k: Any) -> Any:
        best = d[0]
        for v in d:
            best = min(best, v)
        ordered = (
            sorted(d),
            sorted(d, reverse=True),
            sorted([d[0], d[2], d[1]]),
            sorted(d, key=lambda v: d[0] - v),
        )
        extremes = (
            max(d),
            min(d),
            max(d[0], np.datetime64("2021-01-01")),
            max(d, key=lambda v: (v - d[0]) // 2),
        )
        found = (
            d[0] in OTHER,
            d[1] in [d[2], d[3]],
            d[k] in (d[0], d[1]),
            np.datetime64("2021-05-03") in list(d),
        )
        return best, ordered, extremes, found, sum(d - d[0], np.timedelta64(0, "D")), any(v > d[0] for v in d)

    check(program, D, np.int64(1))
    with pytest.raises(ValueError, match=r"max\(\) "):
        interpreted(lambda d: max(d))(D[:0])


RECORD = np.dtype([("x", "f8"), ("t", "M8[s]"), ("v", "f4", (2,))])


def test_input_signatures() -> None:
    """Specs of dates and records: one compilation for all lengths, other units are refused by name."""
    specs = [weft.TensorSpec((None,), "M8[D]"), {"k": weft.TensorSpec((), "m8[D]")}]
    shifted = weft.function(lambda d, e: d + e["k"], input_signature=specs)
    for count in (4, 3, 2):
        assert_same(shifted(D[:count], {"k": np.timedelta64(2, "D")}), D[:count] + np.timedelta64(2, "D"))
    assert shifted.cache_info().misses == 1
    assert_same(shifted(["2020-01-02"], {"k": np.timedelta64(1, "D")}), np.array(["2020-01-03"], "M8[D]"))
    with pytest.raises(
        TypeError, match=r"'d' must be TensorSpec\(shape=\(None,\), dtype=datetime64\[D\]\), but"
    ):
        shifted(D.astype("M8[s]"), {"k": np.timedelta64(2, "D")})
    with pytest.raises(TypeError, match=r"'d' must be TensorSpec.*, but 'x' was given"):
        shifted("x", {"k": np.timedelta64(2, "D")})
    with pytest.raises(TypeError, match="'e' does not have the structure"):
        shifted(D, {"k": 3})

    rows = weft.function(lambda r: (r["x"].sum(), r["t"].max(), r["v"][0])).get_concrete_function(
        weft.TensorSpec((None,), RECORD)
    )
    assert_same(rows(np.ones(3, RECORD)), (np.float64(3), np.datetime64(1, "s"), np.ones(2, np.float32)))


def test_fields_of_one_record_are_scalars() -> None:
    def program(r: Any, k: Any) -> Any:
        best = r[np.argmax(r["x"])]
        return best["t"], best["x"], r[k]["t"], r["t"][k], r[0]["v"]

    rows = np.ones(3, RECORD)
    rows["x"], rows["t"] = [1, 3, 2], [5, 6, 7]
    check(program, rows, np.int64(2))


def test_specs() -> None:
    spec = weft.TensorSpec((2,), RECORD)
    assert spec == weft.TensorSpec([2], RECORD)
    assert hash(spec) == hash(weft.TensorSpec([2], RECORD))
    assert spec != weft.TensorSpec((2,), "M8[s]")
    assert "('t', '<M8[s]')" in repr(spec)
    with pytest.raises(TypeError, match="stands for an argument; here an array of numbers is wanted"):
        interpreted(lambda x: weft.py_call(lambda y: y, x, result=weft.TensorSpec((), "M8[s]")))(D)


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lambda d: d[0].item().year, "Python's dates and durations, which item.. and tolist.. give"),
    (lambda d: d[0].item() == d[1].item(), "can be returned, stored and shown"),
]


@pytest.mark.parametrize(("program", "message"), REFUSED)
def test_what_is_refused(program: Callable[..., Any], message: str) -> None:
    with pytest.raises(weft.UnsupportedError, match=message):
        interpreted(program)(D)
