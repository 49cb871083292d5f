"""Random calls of NumPy's functions, methods and ufuncs, made from their own signatures.

What an argument may be follows from the name of its parameter (`_POOLS`); what is in no pool is taken as an array.
Keywords get valid values and others. Every call is a function of NumPy's arrays that can run eagerly and traced.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.numpy_targets import TARGETS, Target

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]
SHAPES = [(), (1,), (3,), (4,), (2, 3), (3, 3), (1, 3), (3, 1), (0,), (0, 3), (2, 0), (2, 1, 3), (2, 2, 3)]


@dataclass(frozen=True)
class Traced:
    """A place in the arguments where a call gets an array of the program."""

    index: int
    as_number: type | None = None
    """The Python type that the program converts it to."""


@dataclass
class Call:
    """One call: what is called, with nested arguments in which `Traced` stands for the arrays of the program."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any]
    arrays: list[Any] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [show(a, self.arrays) for a in self.args]
        parts += [f"{k}={show(v, self.arrays)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"

    def __call__(self, *arrays: Any) -> Any:
        """Make the call on arrays."""
        args = [filled(a, arrays) for a in self.args]
        kwargs = {k: filled(v, arrays) for k, v in self.kwargs.items()}
        return self.function(*args, **kwargs)


def filled(value: Any, arrays: Any) -> Any:
    """An argument with the arrays in their places."""
    if isinstance(value, Traced):
        array = arrays[value.index]
        if value.as_number is int:
            return int(array)
        if value.as_number is float:
            return float(array)
        return array
    if isinstance(value, list):
        return [filled(item, arrays) for item in value]
    if isinstance(value, tuple):
        return tuple([filled(item, arrays) for item in value])
    return value


def show(value: Any, arrays: list[Any]) -> str:
    """An argument as Python text."""
    if isinstance(value, Traced):
        array = arrays[value.index]
        number = f"{value.as_number.__name__}(%s)" if value.as_number else "%s"
        return number % show_array(array)
    if isinstance(value, list):
        return f"[{', '.join(show(item, arrays) for item in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(show(item, arrays) + ', ' for item in value)})"
    return show_array(value)


def show_array(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return f"np.zeros({value.shape}, np.{value.dtype})"
        text = str(value.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
        return f"np.array({text}, np.{value.dtype})"
    return repr(value)


def same_program(call: Call) -> Callable[..., Any]:
    """The call as a function that can be compiled."""
    return lambda *arrays: call(*arrays)


class Generator:
    """Makes calls from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.arrays: list[Any] = []
        self.shape: tuple[int, ...] = ()

    # Values

    def pick(self, *values: Any) -> Any:
        """One of some values."""
        return self.random.choice(values)

    def chance(self, likely: float) -> bool:
        """Whether something of a probability happens."""
        return self.random.random() < likely

    def elements(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """An array of small numbers, now and then with special ones."""
        if dtype.kind == "b":
            return self.numbers.integers(0, 2, shape).astype(dtype)
        if dtype.kind in "iu":
            low, high = (0, 9) if dtype.kind == "u" or self.chance(0.5) else (-9, 9)
            return self.numbers.integers(low, high, shape).astype(dtype)
        values = np.round(self.numbers.normal(size=shape) * 4) / 2
        if dtype.kind == "c":
            values = values + 1j * np.round(self.numbers.normal(size=shape) * 2)
        values = np.array(values, dtype)
        if self.chance(0.25) and values.size:
            special = self.pick(np.nan, np.inf, -np.inf, -0.0)
            values.reshape(-1)[self.random.randrange(values.size)] = special
        return values

    def dtype(self) -> np.dtype[Any]:
        """One of the dtypes, float64 more often."""
        return np.dtype("float64" if self.chance(0.3) else self.pick(*DTYPES))

    def array(self, dtype: Any = None, shape: tuple[int, ...] | None = None) -> Any:
        """An array of the program."""
        if shape is None:
            shape = self.shape if self.chance(0.7) else self.pick(*SHAPES)
        made = self.elements(shape, np.dtype(dtype) if dtype else self.dtype())
        return self.traced(made)

    def traced(self, value: Any, as_number: type | None = None) -> Traced:
        """The place of a value of the program."""
        self.arrays.append(value)
        return Traced(len(self.arrays) - 1, as_number)

    def scalar(self) -> Traced:
        """A NumPy scalar of the program."""
        return self.traced(self.elements((1,), self.dtype())[0])

    def python_number(self) -> Any:
        """A Python number, known or of the program."""
        if self.chance(0.3):
            return self.traced(np.int64(self.pick(0, 1, 2, -1, 5)), int)
        if self.chance(0.3):
            return self.traced(np.float64(self.pick(0.0, -0.0, 1.5, 2.0, np.nan, np.inf)), float)
        return self.pick(0, 1, 2, -1, 3, 200, True, False, 0.0, -0.0, 1.5, 0.5, np.nan, np.inf, 2j)

    def nested(self) -> list[Any]:
        """A list of numbers, arrays or lists."""
        kind = self.random.randrange(5)
        if kind == 0:
            return [self.pick(1, 2.5, 3, True, 0) for _ in range(self.pick(0, 1, 3, 3))]
        if kind == 1:
            return [self.scalar(), self.pick(1, 2.5), self.scalar()]
        if kind == 2:
            return [[self.scalar(), 1, 2.5], [1, self.scalar(), 3]]
        if kind == 3:
            dtype = self.dtype()
            return [self.array(dtype, self.shape), self.array(dtype, self.shape)]
        return [self.python_number() for _ in range(3)]

    def array_like(self) -> Any:
        """Whatever NumPy takes as an array."""
        kind = self.random.random()
        if kind < 0.55:
            return self.array()
        if kind < 0.65:
            return self.array(shape=())
        if kind < 0.73:
            return self.scalar()
        if kind < 0.85:
            return self.python_number()
        if kind < 0.97:
            return self.nested()
        return self.elements(self.shape, self.dtype())

    def axis(self) -> Any:
        """An axis, sometimes out of range."""
        return self.pick(
            None, 0, 0, -1, -1, 1, 1, 2, -2, 5, -7, np.int64(0), (0,), (0, 1), (-1, 0), (), (0, 0), 1.0
        )

    def arguments(self, name: str, parameter: str) -> Any:
        """A value for a parameter of a function."""
        special = _SPECIAL.get((name, parameter))
        pool = special or _POOLS.get(parameter)
        if pool is None:
            return self.array_like()
        return pool(self)


Pool = Callable[[Generator], Any]


def one_of(*values: Any) -> Pool:
    """A pool of fixed values."""
    return lambda g: g.pick(*values)


def _dtype(g: Generator) -> Any:
    return g.pick(
        None, None, "float32", "f8", np.int64, bool, complex, float, int, "int8", "no such", np.dtype("uint8")
    )


def _out(g: Generator) -> Any:
    return None if g.chance(0.4) else g.array(shape=g.pick(g.shape, g.shape[1:], g.shape[:-1], ()))


def _arrays(g: Generator) -> Any:
    rank = g.pick(1, 2, 3, 3)
    items = [g.array_like() if g.chance(0.4) else g.array(shape=g.shape) for _ in range(rank)]
    return g.pick(items, tuple(items))


def _sorted(g: Generator) -> Any:
    values = np.sort(np.unique(g.elements((4,), g.dtype())))
    return g.traced(values[:: g.pick(1, 1, -1)]) if g.chance(0.8) else g.array_like()


def _integers(g: Generator) -> Any:
    return (
        g.pick(
            *(0, 1, -1, [0, 1], [], [True, False, True], (1, 0), np.array([0, -1]), 7, -9),
            *([0, 0], slice(0, 2), 1.5, np.array([[0, 1], [1, 0]])),
        )
        if g.chance(0.6)
        else g.array(g.pick("int64", "int8", "uint8", "bool"), g.pick((), (1,), (3,), g.shape))
    )


def _where(g: Generator) -> Any:
    return g.pick(True, False) if g.chance(0.3) else g.array("bool") if g.chance(0.9) else g.array_like()


def _small(g: Generator) -> Any:
    return (
        g.traced(np.int64(g.pick(0, 1, 2)), int)
        if g.chance(0.15)
        else g.pick(0, 1, 2, 3, -1, -2, np.int64(1), 1.0)
    )


def _shape(g: Generator) -> Any:
    return g.pick(
        -1, 3, (3,), (2, 3), (3, -1), (1, 3), [3, 1], (), (6,), (0,), (-1, -1), np.int64(3), (2, 1, 3)
    )


def _weights(g: Generator) -> Any:
    return None if g.chance(0.4) else g.array()


_FLAG = one_of(True, False, True, False, np.True_, 1, 0)
_POOLS: dict[str, Pool] = {
    **dict.fromkeys(("axis", "axes"), Generator.axis),
    **dict.fromkeys(("assume_unique", "invert", "right", "equal_nan", "endpoint", "retstep"), _FLAG),
    **dict.fromkeys(("deg", "sparse", "increasing", "rowvar", "bias", "density", "returned"), _FLAG),
    **dict.fromkeys(
        ("return_index", "return_inverse", "return_counts", "include_initial", "wrap", "sorted"), _FLAG
    ),
    **dict.fromkeys(("keepdims", "subok", "copy"), one_of(True, False)),
    "dtype": _dtype,
    "out": _out,
    "where": _where,
    "initial": lambda g: g.pick(0, 1, -1, 2.5, np.inf, True, 3) if g.chance(0.8) else g.scalar(),
    "casting": one_of("no", "equiv", "safe", "same_kind", "unsafe", "wild"),
    "order": one_of("C", "F", "A", "K", None, "Z"),
    "kind": one_of(None, "quicksort", "mergesort", "heapsort", "stable", "quick", "bubble", "sort"),
    "stable": one_of(None, True, False),
    "mode": one_of("raise", "wrap", "clip", "same", "valid", "full", "edge", "constant", "nonsense"),
    "side": one_of("left", "right", "middle"),
    "method": one_of(
        "linear", "lower", "higher", "midpoint", "nearest", "hazen", "weibull", "median_unbiased", "bad"
    ),
    "interpolation": one_of(None, "lower"),
    "indexing": one_of("xy", "ij", "yx"),
    "q": lambda g: (
        g.pick(0.5, 0, 1, [0.1, 0.9], 0.25, 1.5, 30, True) if g.chance(0.7) else g.array("float64")
    ),
    "shape": _shape,
    "newshape": _shape,
    "reps": one_of(2, (2, 1), (1, 2, 1), 0, (), [2], -1, np.int64(2)),
    "repeats": lambda g: g.pick(2, 0, [1, 2, 0], [2], -1, 1.5) if g.chance(0.8) else g.array("int64"),
    "shift": lambda g: _small(g) if g.chance(0.7) else g.pick((1, 2), 2**70, [1], (1, -1)),
    **dict.fromkeys(
        ("k", "n", "offset", "axis1", "axis2", "ddof", "correction", "decimals", "source"), _small
    ),
    **dict.fromkeys(("destination", "start", "kth", "M", "ndmin"), _small),
    "N": one_of(3, 2, 0, None, -1, 2.5),
    "num": one_of(5, 1, 0, 2, -1, 2.5),
    **dict.fromkeys(("indices", "obj", "index", "ind"), _integers),
    "indices_or_sections": one_of(1, 3, 2, [1], [1, 2], 0, [5], [-1], np.array([1, 2])),
    **dict.fromkeys(("arrays", "tup", "seq"), _arrays),
    **dict.fromkeys(("bins", "xp"), _sorted),
    "range": one_of(None, (0, 4), (-1, 1), (2, 1), (0, np.nan)),
    "weights": _weights,
    **dict.fromkeys(("fweights", "aweights"), _weights),
    **dict.fromkeys(("rtol", "atol"), one_of(1e-5, 0, 1, 0.5, np.float32(0.1))),
    **dict.fromkeys(
        ("period", "left", "prepend", "append", "dx", "discont"),
        lambda g: g.pick(None, 1, 2.5) if g.chance(0.6) else g.array_like(),
    ),
    "minlength": one_of(0, 3, 9, -1),
    **dict.fromkeys(("like", "overwrite_input"), one_of(None)),
    "device": one_of(None, "cpu", "gpu"),
    "axisa": _small,
    "axisb": _small,
    "axisc": _small,
    "pad_width": one_of(1, (1, 2), ((1, 0), (0, 1)), 0, -1, ((1, 2),), [2]),
    "optimize": _FLAG,
    "subscripts": one_of("ij->ji", "i,i", "i->", "...i->...", "ij,jk", "ii", "ij"),
    "trim": one_of("fb", "f", "b", "x"),
    "prefix": one_of(None),
    "ord": one_of(None, 2, 1, np.inf, -1, "fro", "nuc", 3, 0, "x"),
    "strict": _FLAG,
    "dims": _shape,
    "stop": lambda g: g.pick(3, 4.0, 2.5, 0, -1) if g.chance(0.6) else g.array_like(),
    "step": one_of(None, 1, 2, 0.5, -1, 0),
    "fill_value": Generator.array_like,
    "dimensions": one_of((2, 3), (3,), (), (0, 2), [2, 2], 3),
}
_SPECIAL: dict[tuple[str, str], Pool] = {
    ("np.interp", "xp"): lambda g: g.traced(np.sort(g.elements((3,), np.dtype("float64")))),
    ("np.arange", "start"): lambda g: (
        g.pick(3, 4.0, 2.5, 0, 1, -1, True, np.float32(3)) if g.chance(0.7) else g.scalar()
    ),
    ("np.linspace", "start"): Generator.array_like,
    ("np.logspace", "start"): Generator.array_like,
    ("np.where", "condition"): lambda g: g.array("bool") if g.chance(0.7) else g.array_like(),
    ("np.select", "condlist"): lambda g: [g.array("bool", g.shape) for _ in range(2)],
    ("np.select", "choicelist"): lambda g: [g.array_like() for _ in range(2)],
    ("np.piecewise", "condlist"): lambda g: [g.array("bool", g.shape)],
    ("np.piecewise", "funclist"): lambda g: [1.5, 2],
    ("np.choose", "a"): lambda g: g.array(g.pick("int64", "uint8", "bool")),
    ("np.choose", "choices"): _arrays,
    ("np.lexsort", "keys"): _arrays,
    ("np.bincount", "x"): lambda g: g.traced(g.numbers.integers(0, 5, 4).astype(g.pick("int64", "uint8"))),
    ("np.clip", "a_min"): Generator.array_like,
    ("np.linalg.matrix_power", "n"): one_of(0, 1, 3, -1, 1.5),
    ("np.pad", "mode"): one_of("constant", "edge", "reflect", "wrap", "symmetric", "linear_ramp", "nonsense"),
    ("np.convolve", "mode"): one_of("full", "same", "valid", "bad"),
    ("np.correlate", "mode"): one_of("full", "same", "valid", "bad"),
    ("np.histogram", "bins"): lambda g: g.pick(3, 5, 0, 2.5) if g.chance(0.5) else _sorted(g),
    ("np.tensordot", "axes"): one_of(0, 1, 2, ((0,), (0,)), ((1,), (0,)), 5),
    ("np.block", "arrays"): lambda g: g.pick([g.array(), g.array()], [[g.array(), g.array()]], g.array()),
    ("np.unravel_index", "indices"): _integers,
    ("np.gradient", "varargs"): lambda g: g.pick(1, 2.0, 0.5),
    (".transpose", "axes"): lambda g: g.pick((1, 0), 0, (0, 1), -1),
    ("np.transpose", "axes"): one_of(None, (1, 0), (0,), (0, 1, 2), (2, 0, 1), (0, 0), [1, 0], (-1, 0)),
}


_IN_PLACE = (".put", ".fill", ".sort", ".partition", ".__setitem__", ".__iadd__")


def call_of(seed: int, target: Target | None = None) -> Call:
    """A random call."""
    g = Generator(seed)
    if target is None:
        target = g.pick(*TARGETS)
    g.shape = g.pick(*SHAPES)
    name = target.name
    args = []
    for parameter in target.required:
        if parameter == "array" and name[0] == ".":
            args.append(g.array() if g.chance(0.9) or name in _IN_PLACE else g.scalar())
        elif parameter == "array" and name.endswith(".at"):
            args.append(g.array())
        else:
            args.append(g.arguments(name, parameter))
    if target.variadic:
        args += [g.arguments(name, target.variadic) for _ in range(g.pick(0, 1, 2, 3))]
    kwargs: dict[str, Any] = {}
    positional = not target.variadic and g.chance(0.3)
    likely = min(0.35, 1.5 / max(len(target.optional), 1))
    for parameter in target.optional:
        if positional and parameter not in target.keyword_only and len(args) < 4 and g.chance(0.5):
            args.append(g.arguments(name, parameter))
            continue
        positional = False
        if g.chance(likely):
            kwargs[parameter] = g.arguments(name, parameter)
    if "cumulative" in name or "cumsum" in name or "cumprod" in name:
        kwargs.pop("out", None)  # NumPy itself crashes on some of other ranks
    if isinstance(target.function, np.ufunc) and kwargs.get("out") is None:
        kwargs.pop("where", None)  # what a ufunc leaves out without `out` may be anything
    return Call(name, target.function, args, kwargs, g.arrays)
