"""`np.vectorize`: elements and parts, keywords, what is excluded, several results, how often it calls."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.call_comparison import difference
from support.interpreted import interpreted

X = np.arange(12.0).reshape(3, 4)


def same(program: Callable[..., Any], *arguments: Any, run: Any = interpreted, **options: Any) -> None:
    theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
    expected = program(*theirs)
    got = run(program, **options)(*ours)
    assert not difference(got, expected), f"{got!r} and not {expected!r}"


def horner(p: Any, x: Any) -> Any:
    result = 0.0
    for k in range(len(p)):
        result = result * x + p[k]
    return result


@np.vectorize(signature="(n),(n)->()", doc="Products of rows.")
def products(a: Any, b: Any) -> Any:
    return a @ b


@np.vectorize(otypes=[np.float32])
def halves(a: Any) -> Any:
    return a / 2


def _counted(x: Any, **options: Any) -> Any:
    calls = [0]

    def count(v: Any) -> Any:
        calls[0] += 1
        return v * 2

    return np.vectorize(count, **options)(x), calls[0]


PROGRAMS: list[Callable[..., Any]] = [
    lambda x: (np.vectorize(lambda a: a * 2)(x.astype(np.int8)), np.vectorize(lambda a: a > 2)(x)),
    lambda x: np.vectorize(lambda a: a * 2)(x.astype(np.float32)),
    lambda x: np.vectorize(lambda a, b: (a + b, a // 2), otypes="di")(x, 2),
    lambda x: np.vectorize(lambda a: (a, a > 3))(x),
    lambda x: np.vectorize(lambda a, b=1.0, mode="up": a + b if mode == "up" else a - b, excluded=["mode"])(
        x, b=x[0], mode="down"
    ),
    lambda x: np.vectorize(horner, excluded=["p"])(p=x[0], x=x),
    lambda x: np.vectorize(horner, excluded={0})(x[1], x),
    lambda x: np.vectorize(pyfunc=lambda: 3)(),
    lambda x: np.vectorize(lambda a: a + 1)(x[0, 1]),
    lambda x: np.vectorize(lambda a: a, otypes=[float])(x[:0]),
    lambda x: (_counted(x[0]), _counted(x[0], cache=True), _counted(x[0], otypes=[int])),
    lambda x: (halves(x), products(x, x[0]), products(x[0], x[1])),
    lambda x: np.vectorize(np.convolve, signature="(n),(m)->(k)")(x, x[0, :2]),
    lambda x: np.vectorize(lambda a: (a.min(), a[::2]), signature="(n)->(),(k)")(x.reshape(3, 1, 4)),
    lambda x: np.vectorize(lambda a, b: a * b, signature="(n),()->(n)", otypes=["f"])(x, x[:, 0]),
    lambda x: np.vectorize(lambda a: a + 1, signature="(n)->(n)", otypes=[float])(x[:0]),
    lambda x: np.vectorize(lambda a, s=1: a.sum() * s, signature="(n)->()", excluded={"s"})(x, s=3),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: Callable[..., Any]) -> None:
    same(program, X)


def test_compiled() -> None:
    """Through the whole compiler, with an extent that only the program knows."""

    def program(x: Any) -> Any:
        chosen = x[x[:, 0] > 2]
        return products(chosen, chosen), halves(chosen), np.vectorize(horner, excluded={0})(x[:, 0], chosen)

    same(program, X, run=weft.function, input_signature=[weft.TensorSpec((None, 4))])


WRONG: list[tuple[Callable[..., Any], str]] = [
    (lambda x: np.vectorize(lambda a: a)(x[:0]), "on size 0 inputs unless `otypes` is set"),
    (lambda x: np.vectorize(lambda a: a, signature="(n)->(n)")(x[:0]), "on size 0 inputs unless"),
    (lambda x: np.vectorize(lambda a: a, signature="(n)->(k)", otypes="d")(x[:0]), "new output dimensions"),
    (lambda x: np.vectorize(np.dot, signature="(n),(n)->()")(x, x[:, 0]), "inconsistent size for core dimension 'n'"),
    (lambda x: np.vectorize(lambda a: a[1:], signature="(n)->(n)")(x), "inconsistent size for core dimension 'n'"),
    (lambda x: np.vectorize(lambda a: (a, a), signature="(n)->(n)")(x), "wrong number of outputs from pyfunc"),
    (lambda x: np.vectorize(np.sum, signature="(a,b)->()")(x[0]), "does not have enough dimensions for all core"),
    (lambda x: np.vectorize(np.sum, signature="n->()")(x), "not a valid gufunc signature"),
    (lambda x: np.vectorize(lambda a: a, signature="(n)->()")(x), "setting an array element with a sequence"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "message"), WRONG)
def test_what_is_wrong_says_what_numpy_says(program: Callable[..., Any], message: str) -> None:
    for run in (program, interpreted(program)):
        with pytest.raises(ValueError, match=message):
            run(X.copy())


def test_wrong_calls() -> None:
    with pytest.raises(TypeError, match="wrong number of positional arguments: expected 2, got 1"):
        interpreted(lambda x: products(x))(X)
    with pytest.raises(weft.UnsupportedError, match="otypes that are no numbers"):
        interpreted(lambda x: np.vectorize(str, otypes=["U"])(x))(X)
