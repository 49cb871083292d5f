"""Programs of which golden files are made: one for each construct, and for each op that is not one of its cases."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import weft

Call = tuple[str, tuple[Any, ...]]


@dataclass
class Program:
    """What is written, and what is called of it then."""

    functions: Mapping[str, Any]
    """Each compiled function by its name in the file, or what `get_concrete_function` gives."""
    calls: Sequence[Call]
    warm: Sequence[Call] = ()
    """What is called before it is written."""
    owner: Any = None
    """The object whose attributes are the state of the file."""


@dataclass
class Plain:
    """One function without a state."""

    function: Callable[..., Any]
    specs: Sequence[Any]
    calls: Sequence[tuple[Any, ...]] = field(default_factory=list)

    def __call__(self) -> Program:
        """Compile it."""
        compiled = weft.function(self.function, name="f")
        return Program(
            {"f": compiled.get_concrete_function(*self.specs)}, [("f", args) for args in self.calls]
        )


def branches(x: Any, limit: Any) -> Any:
    if limit > 0:
        y = np.minimum(x, limit)
    elif limit < -1:
        y = -x
    else:
        y = x + 0
    return y, (x.sum() if limit > 1 else np.float64(0))


def counted_loop(x: Any, n: Any) -> Any:
    total = np.zeros(3)
    for i in range(n):
        if x[i, 0] < 0:
            continue
        total = total * 2 + x[i]
    return total


def condition_loop(x: Any, limit: Any) -> Any:
    x, steps = x * 1, 0
    while x.sum() < limit:
        x = x * 2
        steps += 1
        if steps > 10:
            break
    return x, steps


def written(x: Any, i: Any) -> None:
    x[1:] += 1
    x[i] = 7
    x[x > 8] = 0


def raising(x: Any, i: Any) -> Any:
    if i < 0:
        raise ValueError(f"{i} is negative, {x[0]} is not")
    if x[0] > 5:
        raise ZeroDivisionError("too large")
    return x[i]


def caught(x: Any, i: Any) -> Any:
    try:
        return x[i]
    except IndexError:
        return np.float64(-1)


def views(x: Any, i: Any) -> Any:
    y = x + 1
    return (
        x,
        x[1:],
        x.T,
        x[::-1],
        x[i],
        y,
        y[:, 0],
        y.reshape(-1),
        x.reshape(3, 2),
        x[None],
        x.real,
        np.diagonal(x),
    )


def scalars(x: Any, n: Any) -> Any:
    return x[0], n, n + 1, float(x[1]), int(n) * 2, x.shape[0], bool(n > 1), x.sum(), len(x)


def structures(batch: Any, *rest: Any, scale: Any = 2.0, name: str = "a") -> Any:
    first, (second, third) = batch["a"], batch["b"]
    return {
        "r": [first * scale, second + third],
        "n": (name, 3, None, True, 1.5, 2j),
        "e": ((), [], {}),
        "s": rest,
    }


def unknown_sizes(x: Any) -> Any:
    return x[x > 0], np.unique(x), np.nonzero(x), np.concatenate([x, x[1:]]), x.reshape(-1, 1) * x


def made_here(n: Any) -> Any:
    table = np.empty((2, n))
    table[0], table[1] = np.arange(n), 1
    return table, np.zeros((0, 3)), np.full(2, n), np.eye(2)


def twice(x: Any, y: Any) -> Any:
    x += 1
    return x * y


def gradient(x: Any) -> Any:
    value, slope = weft.value_and_grad(lambda x: (np.tanh(x) * x).sum())(x)
    return value, slope, weft.jvp(np.sin, (x,), (x * 2,))[1]


@weft.custom_gradient
def clipped(x: Any) -> Any:
    return np.clip(x, -1, 1), lambda cotangent: cotangent * 2


def in_lanes(x: Any) -> Any:
    """A function of one row for all rows."""
    return weft.vmap(lambda row: row * row.sum())(x)


def custom(x: Any) -> Any:
    return weft.grad(lambda x: (clipped(x) * x).sum())(x)


def recursive(n: Any) -> Any:
    return n * 1 if n < 2 else recursive(n - 1) + recursive(n - 2)


def grown(x: Any, n: Any) -> Any:
    total = x[:0] + 1
    for i in range(n):
        total = np.concatenate([total, x[i:]])
    return total


def selected(x: Any, y: Any, n: Any) -> Any:
    if n > 0:
        found = x
    elif n == 0:
        found = y[1:]
    else:
        found = x + y
    part = y[:2]
    return found, None if n > 1 else x * 2, "many" if n > 1 else "few", part, part


Pair = namedtuple("Pair", "first second")


def other_structures(pair: Any) -> Any:
    made = OrderedDict(a=pair.first + 1, b=Pair(pair.second, 1))
    return (
        made,
        np.linalg.eigh(np.eye(2) * pair.second),
        slice(1, None),
        range(3),
        {1, 2},
        b"bytes",
        (..., np.float32),
    )


def joined(x: Any, n: Any) -> Any:
    y = np.zeros(3)
    if n > 0:
        y = np.concatenate([y, x])
    return y * 1


def collected(x: Any) -> Any:
    found = []
    for value in x:
        if value > 0:
            found.append(value * 2)
    return np.array(found)


def library() -> Program:
    from scipy import special

    return Plain(lambda x: special.voigt_profile(x, 1.0, 2.0), [_N], [(X[0],)])()


def prepared(n: Any) -> Any:
    table = np.empty(n)
    for i in range(n):
        table[i] = i * 2.0
    return table


class Model:
    """Arrays, numbers and a generator that methods change."""

    def __init__(self) -> None:
        self.w = np.arange(3.0)
        self.steps = 0
        self.rng = np.random.default_rng(7)

    @weft.function
    def fit(self, x: Any, rate: float = 0.5) -> Any:
        self.steps += 1
        self.w -= rate * x
        return self.w

    @weft.function
    def predict(self, x: Any) -> Any:
        return x @ self.w * self.steps

    @weft.function
    def noisy(self, x: Any) -> Any:
        rng = self.rng
        return (
            x + rng.normal(size=3),
            rng.integers(0, 10, 4),
            rng.permutation(4),
            rng.choice(5, 2, replace=False),
        )


def state() -> Program:
    model, x = Model(), np.array([1.0, -2, 0.5])
    calls = [("fit", (x,)), ("predict", (x,)), ("noisy", (x,))]
    functions = {"fit": model.fit, "predict": model.predict, "noisy": model.noisy}
    return Program(functions, calls * 2, calls, model)


def specialisations() -> Program:
    doubled = weft.function(lambda x, mode="a": x * 2 if mode == "a" else x * 3, name="doubled")
    x = np.array([1.0, 2])
    calls = [("f", (x,)), ("f", (x.astype(int),)), ("f", (x, "b"))]
    return Program({"f": doubled}, calls, calls)


def on_ranks(x):
    """One process is all ranks that there are, where a file is called without more."""
    weft.distributed.barrier()
    whole = weft.distributed.replicated(x)
    return whole * weft.distributed.size() + weft.distributed.rank()


X = np.array([[1.0, -2, 3], [4, 5, -6]])
_F, _I = weft.TensorSpec([]), weft.TensorSpec([], "int64")
_N = weft.TensorSpec([None])
_BATCH = {"a": np.arange(3.0), "b": [np.array([1, 2], "int32"), np.float64(3)]}

PROGRAMS: dict[str, Callable[[], Program]] = {
    "if": Plain(branches, [_N, _F], [(X[0], np.float64(n)) for n in (2, 0.5, 0, -2)]),
    "for": Plain(counted_loop, [weft.TensorSpec([None, 3]), _I], [(X, np.int64(n)) for n in (0, 1, 2, 3)]),
    "while": Plain(condition_loop, [_N, _F], [(X[0], np.float64(n)) for n in (50, -5)] + [(-X[0], np.float64(0))]),
    "writes": Plain(written, [_N, _I], [(X[1], np.int64(n)) for n in (0, -1, 3)]),
    "raise": Plain(raising, [_N, _I], [(X[0], np.int64(n)) for n in (1, -1, 9)] + [(X[0] + 9, np.int64(0))]),
    "try": Plain(caught, [_N, _I], [(X[0], np.int64(n)) for n in (1, 9)]),
    "views": Plain(views, [weft.TensorSpec([2, 3]), _I], [(X, np.int64(1))]),
    "scalars": Plain(scalars, [_N, _I], [(X[0], np.int64(2))]),
    "structures": Plain(
        structures, [{"a": _N, "b": [weft.TensorSpec([2], "int32"), _F]}, _F], [(_BATCH, np.float64(1))]
    ),
    "unknown_sizes": Plain(unknown_sizes, [_N], [(X[0],), (X[0][:0],)]),
    "made_here": Plain(made_here, [_I], [(np.int64(3),), (np.int64(0),)]),
    "recursion": Plain(recursive, [_I], [(np.int64(7),)]),
    "grown": Plain(grown, [_N, _I], [(X[0], np.int64(3)), (X[0], np.int64(0))]),
    "selected": Plain(selected, [_N, _N, _I], [(X[0], X[1], np.int64(n)) for n in (-1, 0, 1, 2)]),
    "other_structures": Plain(other_structures, [Pair(_N, _F)], [(Pair(X[0], np.float64(2)),)]),
    "joined": Plain(joined, [_N, _I], [(X[0], np.int64(3)), (X[0], np.int64(0))]),
    "collected": Plain(collected, [_N], [(X[0],), (X[0][:0],)]),
    "library": library,
    "prepared": Plain(prepared, [_I], [(np.int64(3),)]),
    "gradient": Plain(gradient, [_N], [(X[0],)]),
    "custom": Plain(custom, [_N], [(X[0],)]),
    "ranks": Plain(on_ranks, [_N], [(X[0],), (X[0][:0],)]),
    "lanes": Plain(in_lanes, [weft.TensorSpec([None, 3])], [(X,), (X[:0],)]),
    "state": state,
    "specialisations": specialisations,
}  # fmt: skip
"""By the names of their files."""


__all__ = ["PROGRAMS", "Program"]
