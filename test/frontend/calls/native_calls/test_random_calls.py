"""Random signatures: native calls give what Python gives, whatever is passed next."""

from __future__ import annotations

import copy
import gc
import random
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import F32, Pair, Point, native_calls, same
from support.outcomes import seeds
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")

DTYPES = [np.float32, np.float64, np.int64, np.uint8, np.complex64, np.bool_]
CONSTANTS: list[Any] = [
    0,
    1,
    -5,
    2.5,
    -0.0,
    True,
    False,
    None,
    "text",
    "",
    b"b",
    1j,
    (),
    [],
    {},
    np.float32,
    len,
]


def random_array(choose: random.Random) -> Any:
    shape = tuple(choose.choice([0, 1, 2, 3]) for _ in range(choose.randrange(4)))
    dtype = choose.choice(DTYPES)
    array = np.resize(np.arange(7), shape).astype(dtype)
    layout = choose.randrange(6)
    if layout == 0 and shape:
        return np.repeat(array, 2, axis=0)[::2]
    if layout == 1:
        return np.asfortranarray(array)
    if layout == 2:
        return array[()] if not shape else array.astype(array.dtype.newbyteorder())
    return array


def random_value(choose: random.Random, depth: int) -> Any:
    kind = choose.randrange(9 if depth else 4)
    if kind < 3:
        return random_array(choose)
    if kind == 3:
        return choose.choice(CONSTANTS)
    parts = [random_value(choose, depth - 1) for _ in range(choose.randrange(4))]
    if kind == 4:
        return parts
    if kind == 5:
        return tuple(parts)
    if kind == 6:
        return {choose.choice(["a", "b", 3, "key"]): part for part in parts}
    pair = (random_value(choose, depth - 1), random_value(choose, depth - 1))
    return Point(*pair) if kind == 7 else Pair(*pair)


def changed(value: Any, choose: random.Random) -> Any:
    """The value with another one somewhere inside."""
    if choose.random() < 0.3:
        return random_value(choose, 1)
    if isinstance(value, list) and value:
        at = choose.randrange(len(value))
        return [*value[:at], changed(value[at], choose), *value[at + 1 :]]
    if type(value) is tuple and value:
        return tuple(changed(list(value), choose))
    if isinstance(value, dict) and value:
        key = choose.choice(list(value))
        return {**value, key: changed(value[key], choose)}
    if isinstance(value, Pair):
        return Pair(changed(value.left, choose), value.right)
    if isinstance(value, Point):
        return Point(value.x, changed(value.y, choose))
    return copy.deepcopy(value)


def program(x: Any, tree: Any, *rest: Any, flag: Any = None) -> Any:
    return {"x": x + 1, "tree": tree, "rest": rest, "flag": (flag, x)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=[pytest.mark.soak] if number else []) for number, seed in enumerate(seeds(3))],
)
def test_random_signatures(seed: int):
    choose = random.Random(seed)
    function = weft.function(program)
    x = np.arange(3, dtype=F32)
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    for _ in range(6):
        rest = [random_value(choose, 1) for _ in range(choose.randrange(3))]
        keywords = {"flag": random_value(choose, 2)} if choose.random() < 0.5 else {}
        calls.append(((x + choose.randrange(3), random_value(choose, 3), *rest), keywords))
        args, keywords = choose.choice(calls)
        at = choose.randrange(1, len(args))
        calls.append(((*args[:at], changed(args[at], choose), *args[at + 1 :]), keywords))
    for turn in range(5):
        choose.shuffle(calls)
        for args, keywords in calls:
            if turn == 3:
                gc.collect()
            same(function(*args, **keywords), program(*args, **keywords))
    assert native_calls(function) > 2 * len(calls)
