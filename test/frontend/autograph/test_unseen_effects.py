"""Functions without a source run as they are while tracing: what they would do once there is refused."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest

import weft


def made_by_exec(source: str, **names: Any) -> Any:
    """The function `f` of a source that nobody finds again."""
    exec(source, names)
    return names["f"]


WAYS = {
    "random.random() draws a random number": ("def f(): return random.random()", {"random": random}),
    "draw() draws a random number": ("def f(): return draw(3)", {"draw": np.random.default_rng(0).integers}),
    "time.time() acts": ("def f(): return time.time()", {"time": time}),
    "print() is called in it": ("def f(): print('once')", {}),
}


@pytest.mark.parametrize("found", WAYS)
def test_what_it_would_do_once_is_refused(found: str, capsys: pytest.CaptureFixture[str]) -> None:
    source, names = WAYS[found]
    function = made_by_exec(source, **names)
    for compiled in (
        weft.function(lambda n: [function() for _ in range(n)]),
        weft.function(lambda n: function()),
    ):
        with pytest.raises(weft.UnsupportedError, match="has no source that could be converted") as caught:
            compiled(3)
        assert found in str(caught.value)
    with pytest.raises(weft.UnsupportedError, match="has no source"):
        weft.function(function)()
    assert capsys.readouterr().out == ""


def test_functions_that_it_calls_are_looked_at() -> None:
    def drawn() -> float:
        return random.random()

    with pytest.raises(weft.UnsupportedError, match=r"random\.random\(\) draws a random number"):
        weft.function(made_by_exec("def f(): return drawn() + 1", drawn=drawn))()


def test_a_closure_is_judged_by_what_it_has_captured() -> None:
    make = made_by_exec("def f(inner):\n    def outer(x): return inner(x) + 1\n    return outer")
    assert weft.function(make(abs))(-2.0) == 3.0
    with pytest.raises(weft.UnsupportedError, match="has no source"):
        weft.function(make(random.expovariate))(2.0)


def test_what_computes_runs_as_it_is() -> None:
    function = made_by_exec("def f(x): return np.tanh(x) * len(str(f.__name__))", np=np)
    np.testing.assert_array_equal(weft.function(lambda x: function(x))(np.ones(2)), np.tanh(np.ones(2)))


def test_what_is_marked_may_do_it_once(capsys: pytest.CaptureFixture[str]) -> None:
    function = weft.do_not_convert(made_by_exec("def f(x): print('tracing'); return x + 1"))
    compiled = weft.function(lambda x: function(x))
    assert [compiled(np.float64(1)), compiled(np.float64(2))] == [2.0, 3.0]
    assert capsys.readouterr().out == "tracing\n"
