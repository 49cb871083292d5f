"""Many branches in a row that write elements of one array: right, and compiled in time linear in their number."""

from __future__ import annotations

import time
from collections.abc import Callable
from textwrap import indent
from typing import Any

import numpy as np
import pytest

import weft
from support.roads import names_of

KINDS = {
    "increments": "if y[{i}] > j:\n  x[{i}] += y[{i}] * 2\nelse:\n  x[{i} + 1] -= 1",
    "computed_places": "if y[{i}] > j:\n  x[k[j + {i}]] = y[{i}] + x[k[{i}]]",
    "two_arrays": "if y[{i}] > j:\n  x[k[{i}]] = z[3] + 1\nelif x[{i}] > 2:\n  z[k[j]] = x[k[{i}]]",
    "loops_inside": "if y[{i}] > j:\n  for q in range(j):\n    x[q + {i}] = x[q] * 0.5 + {i}",
    "earlier_values": "before = x[{i}]\nif y[{i}] > j:\n  x[k[j]] = before + x[0]\nz[{i}] += before",
}
LOOPS = {"for": ("for j in range(n):", ""), "while": ("j = 0\nwhile j < n:", "\nj += 1")}


def program(
    kind: str, branches: int, loop: str = "for", start: str = "x = np.zeros(64)"
) -> Callable[..., Any]:
    """A loop around some branches of a kind."""
    head, last = LOOPS[loop]
    body = "\n".join(KINDS[kind].format(i=i) for i in range(branches)) + last
    text = f"{start}\nz = np.ones(64)\n{head}\n{indent(body, '  ')}\nreturn x, z"
    function: Callable[..., Any] = names_of(
        f"import numpy as np\ndef f(x, y, k, n):\n{indent(text, '  ')}\n"
    )["f"]
    return function


def arguments() -> tuple[Any, ...]:
    y = np.where(np.arange(64) % 3, 9.0, -1.0)
    return np.linspace(0, 1, 64), y, np.arange(64)[::-1].copy(), np.int64(5)


@pytest.mark.sampled
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", KINDS)
def test_values(kind: str, loop: str) -> None:
    for start in ("x = np.zeros(64)", "x[0] = 3"):  # memory of the result, and of the argument
        function = program(kind, 10, loop, start)
        mine, eager = arguments(), arguments()
        got, expected = weft.function(function)(*mine), function(*eager)
        np.testing.assert_allclose(got, expected)
        np.testing.assert_array_equal(mine[0], eager[0])


def test_an_error_behind_some_writes() -> None:
    function = program("computed_places", 10, start="pass")
    mine, eager = arguments(), arguments()
    mine[2][6] = eager[2][6] = 64
    for run, given in ((weft.function(function), mine), (function, eager)):
        with pytest.raises(IndexError):
            run(*given)
    np.testing.assert_array_equal(mine[0], eager[0])


def seconds(kind: str, branches: int) -> float:
    """The processor time of a first call."""
    compiled, given = weft.function(program(kind, branches)), arguments()
    start = time.process_time()
    compiled(*given)
    return time.process_time() - start


@pytest.mark.parametrize("kind", ["increments", "computed_places"])
def test_time_grows_as_the_program_does(kind: str) -> None:
    seconds(kind, 8)  # what is loaded once
    assert seconds(kind, 32) < 5 * seconds(kind, 16) + 0.5
