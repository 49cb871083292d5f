"""Random programs: every pass, and the compiled result, against the reference interpreter.

`WEFT_TEST_SEEDS=1000:50` runs the programs of the seeds 1000 to 1049, as `make soak` does.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from support.op_uses import is_close
from support.programs import NAME, same_bits, transform
from support.random_programs import Program, random_program
from weft.backend.cpu.machine.executable import RuntimeFailure, compile_module
from weft.dialect.errors import WeftError
from weft.dialect.interpreter import interpret
from weft.dialect.mlir import Module, ir
from weft.dialect.op import OPS
from weft.dialect.register import context

PIPELINES = (
    "promote-refs",
    "weft-fold",
    "weft-fold{max-elements=4}",
    "weft-simplify",
    "cse",
    "cse,weft-simplify",
    "canonicalize",
    "weft-optimize",
    "weft-optimize,weft-optimize",
)


def seeds(count: int) -> range:
    """The seeds that the environment asks for, or the first few."""
    first, _, asked = os.environ.get("WEFT_TEST_SEEDS", "").partition(":")
    return range(int(first), int(first) + int(asked)) if asked else range(count)


@dataclass(frozen=True)
class Outcome:
    """What a caller sees of a call: results or the error's text, and the arguments afterwards."""

    results: list[Any]
    error: str
    arguments: list[Any]


def interpreted(module: Module, program: Program) -> Outcome:
    """Call by the reference interpreter."""
    arguments = program.inputs()
    try:
        return Outcome(interpret(module, NAME, arguments), "", arguments)
    except WeftError:
        raise
    except ValueError as error:
        return Outcome([], str(error), arguments)


def compiled(module: Module, program: Program, expected: Outcome) -> Outcome:
    """Call compiled code."""
    transform(module, "weft-optimize,weft-to-linalg")
    arguments = program.inputs()
    dtypes = None if expected.error else [array.dtype for array in expected.results]
    with context(), ir.Location.unknown():
        executable = compile_module(module, NAME, result_dtypes=dtypes, verify=True)
    try:
        return Outcome(executable(*arguments), "", arguments)
    except RuntimeFailure as failure:
        return Outcome([], failure.message, arguments)


def assert_same(got: Outcome, expected: Outcome, program: Program, what: str) -> None:
    """Compare everything a caller sees; exact ops have exact results."""
    text = f"{what}\n{program.module()}\ncalled with {program.arguments}"
    assert got.error == expected.error, text
    pairs = zip(got.results, expected.results, program.inexact, strict=False)
    for index, (g, e, inexact) in enumerate(pairs):
        same = is_near(g, e) if inexact else same_bits(g, e)
        assert same, f"result {index} is\n{g}\nand not\n{e}\n{text}"
    for index, (g, e) in enumerate(zip(got.arguments, expected.arguments, strict=True)):
        assert same_bits(g, e), f"argument {index} is then\n{g}\nand not\n{e}\n{text}"


def is_near(got: Any, expected: Any) -> bool:
    """Whether what inexact ops made of any numbers is the same, where it did not overflow on the way."""
    finite = np.isfinite(expected) & np.isfinite(got)
    return got.shape == expected.shape and is_close(OPS["sum"], got[finite], expected[finite])


@pytest.mark.parametrize("seed", seeds(40))
def test_passes_keep_what_programs_do(seed: int) -> None:
    program = random_program(seed)
    expected = interpreted(program.module(), program)
    for pipeline in PIPELINES:
        for module in (program.module(), program.dynamic_module()):
            transform(module, pipeline)
            assert_same(interpreted(module, program), expected, program, pipeline)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", seeds(12))
def test_compiled_programs_do_what_the_reference_does(seed: int, dynamic: bool) -> None:
    program = random_program(seed)
    module = program.dynamic_module() if dynamic else program.module()
    expected = interpreted(program.module(), program)
    assert_same(compiled(module, program, expected), expected, program, "compiled")


def test_programs_use_every_op() -> None:
    used: set[str] = set()
    for seed in range(400):
        used |= {instruction.op.name for instruction in random_program(seed).instructions}
    assert used == set(OPS)


def test_a_seed_gives_one_program() -> None:
    first, second = random_program(3), random_program(3)
    assert str(first.module()) == str(second.module())
    assert all(
        np.array_equal(a, b, equal_nan=True) for a, b in zip(first.arguments, second.arguments, strict=True)
    )
