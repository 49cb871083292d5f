"""What converted code calls instead of functions that draw random numbers, or make what draws them.

Generators that are compiled have methods of their own (`frontend/random/`), as have the functions of `np.random` and of
Python's `random`. All others are called when the program runs, in their order.
"""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from .....dialect.bit_generators import ALGORITHMS, is_generator
from .....dialect.errors import UnsupportedError
from .....dialect.twister_states import RANDOM, RANDOM_STATE
from ....numpy_api.arguments import axis_index, write_into
from ....random import making, pythons, run_time_calls
from ....random.generator import TracedGenerator, TracedSource
from ....random.twister import FLOAT64, NotCompiled, Twister, twister_of
from ....source.modules import told
from ....tracing.array import TracedArray
from ....tracing.current import current_trace, required_trace
from ....tracing.extents import known_extent
from ....tracing.recorder import Recorder
from ....tracing.staging import raise_if
from ..interface import operators
from ..lists import computed_lengths, dynamic_lists
from ..values.optional import Optional
from ..values.ranges import Range
from .converted_functions import converted

Function = Callable[..., Any]


def method_of(function: Any) -> Function | None:
    """What to call instead of a function that draws random numbers, or makes a generator; None for others."""
    trace = current_trace()
    if trace is None:
        return None
    owner = told(function, "__self__")
    if isinstance(owner, random.Random):
        return _of_python(trace, function)
    if function is random.Random or function is random.SystemRandom:
        return functools.partial(_makers()[id(function)], trace)
    if sys.modules.get("numpy.random") is None:
        return None
    if isinstance(owner, TracedGenerator):
        return functools.partial(_shuffle_compiled, owner) if function.__name__ == "shuffle" else None
    if isinstance(owner, np.random.RandomState):
        return _of_numpy(trace, function)
    if isinstance(owner, np.random.Generator):
        return functools.partial(_shuffle if function.__name__ == "shuffle" else _draw, function)
    found = _makers().get(id(function))
    if found is not None:
        return functools.partial(found, trace)
    name = told(function, "__name__", "")
    if (
        name and vars(np.random.Generator).get(name) is function
    ):  # its own: what it inherits is every object's
        return lambda generator, *args, **kwargs: operators().call(
            operators().attr(generator, name), *args, **kwargs
        )
    if name in OF_NUMPY and function is getattr(np.random, name):
        return _of_numpy(trace, getattr(np.random.mtrand._rand, OF_NUMPY[name]))
    return None


def _of_python(trace: Recorder, function: Function) -> Function:
    """What to call instead of a method of a `random.Random`."""
    name = function.__name__
    by_python = functools.partial(_OF_PYTHON.get(name, _draw), function)
    twister = _twister_of(trace, function)
    if twister is not None and name in _WRITTEN_IN_PYTHON:
        return functools.partial(_written_in_python, name, twister.owner)
    found = pythons.METHODS.get(name) or _ITEMS_OF_PYTHON.get(name)
    return by_python if twister is None or found is None else _unless_refused(found, twister, by_python)


def _twister_of(trace: Recorder, method: Function) -> Twister | None:
    """What a method draws of, where that is a Mersenne Twister; None for another one."""
    owner = method.__self__  # type: ignore[attr-defined]
    if isinstance(owner, TracedSource):
        from ....random.own_twisters import twister_in_trace

        return twister_in_trace(owner)
    return twister_of(trace, owner)


def _written_in_python(name: str, owner: random.Random, *args: Any, **kwargs: Any) -> Any:
    """Draw by a method of Python's that is converted."""
    drawn = converted(getattr(random.Random, name))(owner, *args, **kwargs)
    if isinstance(drawn, Optional):
        drawn = drawn.value  # as loops that end by `return` only seem to end otherwise, too
    kind = int if name == "binomialvariate" else float
    return drawn._like_python(kind) if isinstance(drawn, TracedArray) else drawn


def _of_numpy(trace: Recorder, function: Function) -> Function:
    """What to call instead of a method of a `RandomState`."""
    from ....random import older  # which needs much of the namespace

    name = function.__name__
    by_python = functools.partial(_shuffle if name == "shuffle" else _draw, function)
    twister = _twister_of(trace, function)
    if twister is None:
        return by_python
    if name == "shuffle":
        return functools.partial(_shuffle_older, twister)
    found = older.METHODS.get(name)
    return by_python if found is None else _unless_refused(found, twister, by_python)


def _unless_refused(found: Function, twister: Twister, by_python: Function) -> Function:
    """Draw by native code; by Python what is not compiled."""

    def draw(*args: Any, **kwargs: Any) -> Any:
        try:
            return found(twister, *args, **kwargs)
        except NotCompiled:
            return by_python(*args, **kwargs)

    return draw


@functools.cache
def _makers() -> dict[int, Function]:
    """What makes generators, by the identities of what it is called instead of."""
    kinds = {id(getattr(np.random, name)): algorithm for algorithm, name in ALGORITHMS.items()}
    unknown = (
        np.random.MT19937,
        np.random.SFC64,
        np.random.SeedSequence,
    )
    return {
        id(np.random.default_rng): making.default_rng,
        id(np.random.Generator): making.generator,
        id(np.random.RandomState): _twister(RANDOM_STATE),
        id(random.Random): _twister(RANDOM),
        **{key: _bit_generator(algorithm) for key, algorithm in kinds.items()},
        **{id(kind): functools.partial(_refuse, kind) for kind in (*unknown, random.SystemRandom)},
    }


def are_generators(values: Sequence[Any]) -> bool:
    """Whether values are random generators, all of them."""
    return all(isinstance(value, TracedSource) or is_generator(value) for value in values)


def _bit_generator(algorithm: str) -> Function:
    return lambda trace, *args, **kwargs: making.bit_generator(trace, algorithm, *args, **kwargs)


def _twister(algorithm: str) -> Function:
    def make(trace: Recorder, *args: Any, **kwargs: Any) -> Any:
        from ....random.own_twisters import make_twister  # few programs make one

        return make_twister(trace, algorithm, *args, **kwargs)

    return make


def _refuse(kind: type, trace: Any, *args: Any, **kwargs: Any) -> NoReturn:
    making.refuse_object(kind)


def _draw(function: Function, *args: Any, **kwargs: Any) -> Any:
    trace = required_trace()
    owner = told(function, "__self__")
    if isinstance(owner, TracedSource):
        return run_time_calls.drawn_by_python(owner.stream, function.__name__)(*args, **kwargs)
    return run_time_calls.draw_later(trace, function, args, kwargs)


def _shuffle(function: Function, x: Any, axis: int = 0) -> None:
    """Shuffle an array or a list in the order that a generator of Python's gives."""
    trace = required_trace()
    if isinstance(told(function, "__self__"), TracedSource):
        raise UnsupportedError(
            f"a generator that is made in compiled code shuffles a {type(x).__name__}: shuffle a list, or make the "
            "generator outside of the compiled function"
        )
    if isinstance(x, list):
        _put_in_order(x, run_time_calls.order_later(trace, function, len(x)))
        return
    if not isinstance(x, (np.ndarray, TracedArray)):
        raise UnsupportedError(f"shuffle changes a {type(x).__name__}, which compiled code does not follow")
    axis = axis_index(axis, x.ndim)
    order = run_time_calls.order_later(trace, function, known_extent(x, axis, "shuffle"))
    from ....numpy_api.indexing import take  # which needs much of the namespace

    write_into(x, take(x, order, axis))


def _shuffle_compiled(generator: TracedGenerator, x: Any, axis: int = 0) -> None:
    """Shuffle an array, or a list of anything."""
    if _is_list(x) and axis == 0:
        from ....random.arrangements import places

        _put_in_order(x, places(generator.stream, _count(x)))
    else:
        generator.shuffle(x, axis)


def _shuffle_older(twister: Twister, x: Any) -> None:
    """Shuffle an array, or a list of anything, as NumPy's older functions do."""
    from ....random import arrangements

    if _is_list(x):
        _put_in_order(x, arrangements.places(twister, _count(x)))
    else:
        arrangements.shuffle(twister, x, 0)


def _shuffle_of_python(twister: Twister, x: Any, *rest: Any) -> None:
    """`random.shuffle(x)`."""
    if rest or not _is_list(x):
        raise NotCompiled
    _put_in_order(x, pythons.order(twister, _count(x)))


def _choice_of_python(twister: Twister, seq: Any) -> Any:
    """`random.choice(seq)`."""
    count = _count(seq)
    if isinstance(seq, dynamic_lists.GrowingList):
        raise_if(np.equal(count, 0), "IndexError", "Cannot choose from an empty sequence")
    elif count == 0:
        raise NotCompiled
    return operators().item(seq, pythons.below(twister, count))


def _sample_of_python(twister: Twister, population: Any, k: Any, *, counts: Any = None) -> list[Any]:
    """`random.sample(population, k)`."""
    is_open = isinstance(population, (dynamic_lists.GrowingList, Range))
    if counts is not None or not (is_open or isinstance(population, Sequence)) or not isinstance(k, int):
        raise NotCompiled
    return _items_at(population, pythons.sample(twister, _count(population), k, operators().if_exp), k)


def _choices_of_python(
    twister: Twister, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
) -> list[Any]:
    """`random.choices(population, weights, k=k)`."""
    is_weighted = weights is not None or cum_weights is not None
    count = len(population) if is_weighted else _count(population)
    if (isinstance(count, int) and count == 0) or not isinstance(k, int):
        raise NotCompiled
    if is_weighted:
        return _items_at(population, pythons.weighted(twister, weights, cum_weights, count, k), k)
    numbers = twister.drawn("uniform", (), k, FLOAT64)
    return _items_at(population, np.floor(numbers * count).astype(np.int64), k)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, dynamic_lists.GrowingList))


def _count(items: Any) -> Any:
    """How many items there are: a traced number where only the program knows it."""
    return items.length if isinstance(items, (dynamic_lists.GrowingList, Range)) else len(items)


def _put_in_order(items: Any, order: Any) -> None:
    if type(items) is list and not any(map(computed_lengths.is_text, items)):
        items = computed_lengths.as_written(items)
    if isinstance(items, dynamic_lists.GrowingList):
        items.adopt(items.taken(order))
    elif len(items) > 1:
        items[:] = _items_at(tuple(items), order, len(items))


def _items_at(items: Any, order: Any, count: int) -> list[Any]:
    """The items at places that are known at run time."""
    return [operators().item(items, order[number]) for number in range(count)]


def _choice(function: Function, seq: Any) -> Any:
    """`random.choice(seq)`."""
    return operators().item(seq, _draw(function, range(len(seq))))


def _sample(function: Function, population: Any, k: int, **kwargs: Any) -> list[Any]:
    """`random.sample(population, k)`."""
    return _items_at(population, _draw(function, range(len(population)), k, **kwargs), k)


def _choices(
    function: Function, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
) -> list[Any]:
    """`random.choices(population, weights, k=k)`."""
    drawn = _draw(function, range(len(population)), weights, cum_weights=cum_weights, k=k)
    return _items_at(population, drawn, k)


OF_NUMPY = {"seed": "seed", "ranf": "random_sample", "sample": "random_sample"}
"""Functions of `np.random` that are no methods, and the methods that they call."""

_OF_PYTHON: dict[str, Function] = {
    "shuffle": _shuffle, "choice": _choice, "sample": _sample, "choices": _choices,
}  # fmt: skip
"""Methods of Python's generators that get or give items of any kind: these are found at places that are drawn."""


_WRITTEN_IN_PYTHON = frozenset({
    "betavariate", "gammavariate", "lognormvariate", "paretovariate", "triangular", "vonmisesvariate", "weibullvariate",
    "binomialvariate",
})  # fmt: skip
"""Methods of Python's generators that are compiled from their own code, which draws by others."""


_ITEMS_OF_PYTHON: dict[str, Function] = {
    "shuffle": _shuffle_of_python, "choice": _choice_of_python, "choices": _choices_of_python,
    "sample": _sample_of_python,
}  # fmt: skip
"""Those of them that are compiled."""
