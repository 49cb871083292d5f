"""What a caller sees of random programs, interpreted and compiled, and whether it is the same."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.interpreter import interpret
from support.linalg_programs import compile_module
from support.op_uses import is_close
from support.programs import NAME, same_bits, transform
from support.random_programs import Program
from weft.backend.cpu.execution.executable import RuntimeFailure
from weft.dialect.errors import WeftError
from weft.dialect.mlir import Module, ir
from weft.dialect.op import OPS
from weft.dialect.register import context


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
        executable = compile_module(module, NAME, result_dtypes=dtypes)
    try:
        return Outcome(executable(*arguments), "", arguments)
    except RuntimeFailure as failure:
        return Outcome([], failure.message, arguments)


def assert_same(got: Outcome, expected: Outcome, program: Program, what: str) -> None:
    """Compare everything a caller sees; exact ops have exact results."""

    def text() -> str:
        return f"{what}\n{program.module()}\ncalled with {program.arguments}"

    assert got.error == expected.error, text()
    pairs = zip(got.results, expected.results, program.inexact, strict=False)
    for index, (g, e, inexact) in enumerate(pairs):
        same = is_near(g, e) if inexact else same_bits(g, e)
        assert same, f"result {index} is\n{g}\nand not\n{e}\n{text()}"
    for index, (g, e) in enumerate(zip(got.arguments, expected.arguments, strict=True)):
        assert same_bits(g, e), f"argument {index} is then\n{g}\nand not\n{e}\n{text()}"


def is_near(got: Any, expected: Any) -> bool:
    """Whether what inexact ops made of any numbers is the same, where it did not overflow on the way."""
    finite = np.isfinite(expected) & np.isfinite(got)
    return got.shape == expected.shape and is_close(OPS["sum"], got[finite], expected[finite])
