"""Random programs, with branches, loops and cells, done for all rows: each row has what it has by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.interpreter import interpret
from support.outcomes import Outcome, is_near, seeds
from support.programs import NAME, Builder, build, same_bits, transform
from support.random_programs import Emission, Program, argument_type, random_program
from support.random_regions import random_regions
from weft.dialect.errors import BatchingError, WeftError
from weft.dialect.mlir import Module
from weft.dialect.types import TensorType

ROWS = 3

UNSAFE = ("weft.eig", "weft.svd", "weft.lstsq")
"""What LAPACK does not end well on NaNs, which programs look for before they call it."""


def row_of(array: Any, number: int) -> Any:
    """Another value of the same kind for each row, from the same range."""
    if array.ndim:
        return np.roll(array, number)
    if array.dtype == np.bool_:
        return np.asarray(array ^ bool(number % 2))
    return (
        array
        if number % 2 == 0
        else np.asarray(array // 2).astype(array.dtype)
        if array.dtype.kind in "iu"
        else array
    )


def for_one(program: Program) -> Module:
    """The program, of which the cells are its own."""
    types = [argument_type(array, False) for array in program.arguments]
    return build(types, lambda b, *arguments: _run(b, program, arguments, dynamic=False), lambda _: None)


def for_all(program: Program, *, dynamic: bool) -> Module:
    """The program on rows, between the marks."""
    extent = None if dynamic else ROWS
    types = [TensorType((extent, *array.shape), array.dtype) for array in program.arguments]

    def body(b: Builder, *arguments: Any) -> list[Any]:
        rows = [b("lane", argument, axis=0, number=1) for argument in arguments]
        count = b("constant", value=np.asarray(ROWS))
        if dynamic:
            count = b("dim", arguments[0], axis=0)
        size = -1 if dynamic else ROWS
        found = _run(b, program, rows, dynamic=False)
        return [b("lanes", y, count, axis=0, size=size, stacked=True, number=1) for y in found]

    return build(types, body, lambda _: None)


def _run(b: Builder, program: Program, arguments: Any, *, dynamic: bool) -> list[Any]:
    own = [b("alloc_ref", a) if ref else a for a, ref in zip(arguments, program.refs, strict=True)]
    emission = Emission(b, own, dynamic=dynamic)
    emission.run(program.instructions)
    return [emission.values[number] for number in program.returned]


def outcome(module: Module, arguments: list[Any]) -> Outcome:
    """What a call gives."""
    try:
        return Outcome(interpret(module, NAME, [a.copy() for a in arguments]), "", [])
    except WeftError:
        raise
    except ValueError as error:
        return Outcome([], str(error), [])


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "unknown"])
@pytest.mark.parametrize("draw", [random_program, random_regions])
@pytest.mark.parametrize("seed", seeds(4))
def test_rows_together_are_what_they_are_alone(seed: int, draw: Any, dynamic: bool) -> None:
    program = draw(seed)
    if not program.arguments or program.functions:
        return
    rows = [[row_of(array, number) for array in program.arguments] for number in range(ROWS)]
    single = for_one(program)
    if any(name in str(single) for name in UNSAFE):
        return
    transform(single, "promote-refs")
    expected = [outcome(single, row) for row in rows]
    module = for_all(program, dynamic=dynamic)
    try:
        transform(module, "promote-refs,weft-batch")
    except BatchingError:
        return  # sizes that values decide
    got = outcome(module, [np.stack(column) for column in zip(*rows, strict=True)])
    errors = [one.error for one in expected if one.error]
    if errors:
        assert got.error in errors or "has the size" in got.error, str(module)
        return
    if "has the size" in got.error:
        return
    assert not got.error, str(module)
    for number, one in enumerate(expected):
        for place, (found, wanted) in enumerate(zip(got.results, one.results, strict=True)):
            inexact = program.inexact[place]
            same = is_near(found[number], wanted) if inexact else same_bits(found[number], wanted)
            assert same, (
                f"{for_all(program, dynamic=dynamic)}\nresult {place} of row {number}:\n{found[number]}\n{wanted}"
            )
