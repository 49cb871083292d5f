"""Lists that loops append to, on a device: no launch and no read in an iteration, and what Python gives."""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import gpu_text, launches_in_loops, on_host, reads


def steps(x: Any) -> Any:
    out = []
    for i in range(40):
        x = x * 0.5 + i
        out.append(x.max())
    return np.array(out)


def states(xs: Any, w: Any, u: Any) -> Any:
    h, out = np.zeros(4), []
    for x in xs:
        h = np.tanh(x @ w + h @ u)
        out.append(h)
    return np.stack(out), len(out)


def times(y: Any) -> Any:
    ys, ts = [y], [0.0]
    for i in range(60):
        y = y + 0.01 * np.stack([y[1], -y[0]])
        ys.append(y)
        ts.append((i + 1) * 0.01)
    return np.array(ts), np.array(ys), ys[-1] - ys[-2]


def chosen(x: Any, limit: Any) -> Any:
    """As many as data says."""
    out = []
    for v in x:
        if v > limit:
            out.append(v * 2)
            out.append(v * 3)
    return np.array(out)


def pairs(x: Any) -> Any:
    """Loops in each other, of which the inner one is long."""
    out = []
    for i in range(3):
        for j in range(40):
            if x[j] > i:
                out.append(x[j] - i)
    return np.array(out), len(out)


def taken_away(x: Any) -> Any:
    """How many items there are at most is not known: launches stay in the loop."""
    out = []
    for v in x:
        out.append(v)
        if v < 0:
            out.pop()
    return np.array(out)


def losses(x: Any, y: Any, w: Any) -> Any:
    found = []
    for _ in range(50):
        e = x @ w - y
        found.append((e**2).mean())
        w = w - 0.01 * (x.T @ e)
    return w, np.array(found)


def powers(a: Any) -> Any:
    v, found = np.ones(a.shape[0]), []
    for _ in range(50):
        v = a @ v
        n = np.sqrt(v @ v)
        v = v / n
        found.append(n)
    return v, np.array(found)


def _normal(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


PROGRAMS = [
    (steps, (_normal(8),)),
    (states, (_normal(30, 3), _normal(3, 4), _normal(4, 4))),
    (times, (np.array([1.0, 0.0]),)),
    (chosen, (_normal(50), 0.5)),
    (chosen, (_normal(50), 9.0)),
    (pairs, (_normal(40) * 2,)),
    (taken_away, (_normal(50),)),
    (losses, (_normal(20, 3), _normal(20), _normal(3))),
    (powers, (_normal(8, 8),)),
]
_NAMES = [f"{function.__name__}{number}" for number, (function, _) in enumerate(PROGRAMS)]
MOST_LAUNCHES = 12
READS = {"chosen": 1, "pairs": 1}
"""Of how many items there are; none of them is in a loop."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("function", "arguments"), [program for program in PROGRAMS if program[0] is not taken_away]
)
def test_nothing_is_launched_in_an_iteration(function: Any, arguments: Any) -> None:
    text = gpu_text(function, *arguments)
    assert "gpu.module" in text
    host = text[: text.index("gpu.module")]
    assert not on_host(text)
    assert not reads(text, in_loops=True)
    assert reads(text) <= READS.get(function.__name__, 0)
    assert len(re.findall(r"call @kernel_\d+\(", host)) <= MOST_LAUNCHES
    assert not launches_in_loops(text)


@pytest.mark.sampled
@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=_NAMES)
def test_values_are_those_of_python(function: Any, arguments: Any, device: str) -> None:
    with weft.settings.scope(cuda="emulator"):
        found = weft.function(function, device=device)(*copy.deepcopy(arguments))
    expected = function(*copy.deepcopy(arguments))
    several = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(found if isinstance(found, tuple) else (found,), several, strict=True):
        assert np.shape(one) == np.shape(other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_large_lists_grow_as_they_need() -> None:
    """More memory than a list may need is not asked for in front."""

    def function(x: Any) -> Any:
        out = []
        for i in range(1_000_000):
            if x[i % 8] > 1e3:
                out.append(x)
        return len(out)

    small = np.zeros(8, np.float64)
    text = weft.function(function).get_concrete_function(small).as_text("optimized")
    assert "1000000x" not in text
    assert weft.function(function)(small) == 0
