"""What is read at places is read behind the check of these: of empty arrays nothing can be read at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft

HERE = Path(__file__).parents[2]


def test_the_check_is_of_all_indices() -> None:
    """Sums of what indices name do not share a loop with the check of these where the array may be empty."""
    spec = [weft.TensorSpec([None], "float64"), weft.TensorSpec([None], "int64")]
    function = weft.function(lambda x, a: (x[a] + 1.0).sum(), input_signature=spec)
    for indices in ([0], [0, 0], [0, 0, 5], [-1, 0], [0] * 4, [0] * 9):
        with pytest.raises(IndexError, match=f"index {indices[0]} is out of bounds for axis 0 with size 0"):
            function(np.zeros(0), np.array(indices))
    assert function(np.zeros(0), np.zeros(0, int)) == 0.0
    assert function(np.arange(3.0), np.array([2, 0, -1, 1, 2])) == 12.0


PROGRAMS = """
import numpy as np, weft
from support.fenced import fenced

SPEC = {1: ([None], "float64"), 2: ([None, None], "float64")}
empty, rows, x, place = np.zeros(0), np.zeros((0, 5)), np.ones(8), np.array([0, 0, 5])

def number(x, y, i): return (x + y[i]).max(), x.max()
def gathered(x, y, a): return (y[a] + 1.0).sum()
def both(x, y, a): return np.maximum(x[a], y[a]).min(), x[a].max() + y[a].max()
def taken(x, y, a): return np.take(y, a).max()
def along(x, y, a): return np.take_along_axis(y, a, 0).sum(), a.sum()
def row(x, y, i): return (x[:5] + y[i]).max(), x[:5].max()
def of_two(x, y, a): return y[a, a].sum(), a.sum()
def branch(x, y, a): return y[a].sum() + a.sum() if x[0] > 0 else a.sum()
def loop(x, y, a):
    total = 0.0
    for i in range(len(x)):
        total += (x + y[a[0]]).max() + a.sum() + y[a].sum()
    return total

CASES = [(number, empty, np.int64(0)), (gathered, empty, place), (both, empty, place), (taken, empty, place),
         (along, empty, place), (row, rows, np.int64(0)), (of_two, rows, place), (branch, empty, place),
         (loop, empty, place)]

for program, y, places in CASES:
    arguments = [fenced(x), fenced(y), fenced(places) if places.ndim else places]
    try: program(*arguments)
    except IndexError as error: expected = str(error)
    dynamic = [weft.TensorSpec([None] * a.ndim, str(a.dtype)) for a in (x, y, places)]
    for function in (weft.function(program), weft.function(program, input_signature=dynamic)):
        try: print(program.__name__, "returns", function(*arguments))
        except IndexError as error: print(program.__name__, expected.startswith("cannot") or str(error) == expected)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="fences memory by Linux's calls")
def test_nothing_is_read_of_empty_arrays(tmp_path: Path) -> None:
    script = tmp_path / "programs.py"
    script.write_text(PROGRAMS)
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == 18, done.stdout
    assert [line for line in lines if not line.endswith(" True")] == []


def test_a_known_extent_is_told_beside_an_unknown_one() -> None:
    spec = [weft.TensorSpec([None], "float64")]
    function = weft.function(lambda x: np.linalg.solve(np.eye(8), x), input_signature=spec)
    np.testing.assert_array_equal(function(np.arange(8.0)), np.arange(8.0))
    with pytest.raises(ValueError, match=r"\(size 7 is different from 8\)"):
        function(np.ones(7))
