"""Calls of NumPy with an odd argument, and how compiled code answers them: `python -m support.odd_calls`.

Wrong types, None, text, large and negative numbers, arrays of objects and tuples of a wrong length take the place of
one argument of a generated call. What NumPy refuses may be refused by another of weft's errors (the order of checks is
not NumPy's), but no exception of Python leaves weft from inside, and no message speaks of its insides.
"""

from __future__ import annotations

import argparse
import copy
import random
import time
from typing import Any

import numpy as np

from support.call_comparison import outcome
from support.interpreted import interpreted
from support.numpy_calls import Call, Traced, call_of, same_program
from support.numpy_targets import TARGETS, Target
from weft.dialect.errors import InternalError, WeftError

ODD: list[Any] = [
    *(None, "text", b"b", -1, -7, 99, 2**40, 1.5, True, [], (), {}, {1}, object(), 1j, slice(1), ..., int, np.float64),
    *(np.zeros(0), np.array("a"), np.array(None), [[1], [1, 2]], (1, 2, 3, 4, 5), np.nan, np.int64(1), range(3)),
    *(np.array([1, 0]), [None], ["a"], (None, None), len, np.datetime64("2000")),
]  # fmt: skip

MEANT = (TypeError, ValueError, IndexError, ArithmeticError, NotImplementedError, MemoryError)
"""What weft raises where NumPy does; an AttributeError, a KeyError and the like come from what is no array."""

INSIDES = (
    "TracedArray",
    "MLIR",
    "weft.read_ref",
    "weft.write_ref",
    "loc(",
    "NoneType' object has no attribute",
)
"""Words that the user has not written."""


def odd_call(seed: int, target: Target) -> Call:
    """A call of a function with an odd argument in one place."""
    source = random.Random(seed)
    call, value = call_of(seed, target), source.choice(ODD)
    args, kwargs = list(call.args), dict(call.kwargs)
    places: list[int | str] = [*range(len(args)), *kwargs]
    place = source.choice(places) if places and source.random() < 0.95 else None
    if isinstance(place, int):
        args[place] = value
    elif place is not None:
        kwargs[place] = value
    elif source.random() < 0.5:
        args.append(value)
    else:
        kwargs[source.choice(["axis", "out", "dtype", "where", "no_such", "keepdims"])] = value
    return Call(call.name, call.function, args, kwargs, call.arrays)


def has_data(call: Call) -> bool:
    """Whether an array of the program is among the arguments."""
    entries = [*call.args, *call.kwargs.values()]
    return any(isinstance(e, Traced) or (isinstance(e, (list, tuple)) and _holds(e)) for e in entries)


def _holds(entries: Any) -> bool:
    return any(isinstance(entry, Traced) for entry in entries)


def wrong(call: Call) -> str:
    """What is wrong with how compiled code answers a call; nothing where all is well."""
    theirs, ours = copy.deepcopy(call.arrays), copy.deepcopy(call.arrays)
    _, expected = outcome(call, theirs)
    _, error = outcome(interpreted(same_program(call)), ours)
    if error is None:
        return ""
    text = str(error).partition("\n")[0]
    if isinstance(error, InternalError):
        return f"an internal error: {text}"
    if not isinstance(error, (WeftError, *MEANT)) and not (expected and isinstance(error, type(expected))):
        return f"{error!r}, and not {expected!r}"
    if any(word in text and word not in str(expected) for word in INSIDES):
        return f"words of the inside: {text}"
    return ""


def main() -> int:
    """Make calls, and list what is wrong; the exit status is 1 where something is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--first", type=int, default=int(time.time()), help="the first seed (the time)")
    options = parser.parse_args()
    end, seed, found = time.monotonic() + options.seconds, options.first, 0
    while time.monotonic() < end:
        call = odd_call(seed, TARGETS[seed % len(TARGETS)])
        if has_data(call) and (how := wrong(call)):
            found += 1
            print(f"{call}  # seed {seed}\n    {how[:300]}")
        seed += 1
    print(f"{seed - options.first} calls, {found} go wrong")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
