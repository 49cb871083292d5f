"""The passes on scf keep what programs do: each function of the FileCheck tests, before and after."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.interpreter import interpret
from support.programs import same_bits, transform
from weft.dialect.attributes import type_from_mlir
from weft.dialect.errors import PythonNumberError, WeftError
from weft.dialect.mlir import Module, ir
from weft.dialect.register import context
from weft.dialect.types import RefType

HERE = Path(__file__).parent
CALLS = 12
WITHOUT_BODY = re.compile(r"func\.func private @\w+\([^{]*\)$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What a caller sees of a call: results or the error, and the arguments afterwards."""

    results: list[Any]
    error: str
    arguments: list[Any]


def modules() -> list[Any]:
    """The parts of the FileCheck tests, each with the pass that is tested."""
    found = []
    for path in sorted([*HERE.glob("*.mlir"), *(HERE.parent / "raising").glob("*.mlir")]):
        for number, text in enumerate(path.read_text(encoding="utf-8").split("// -----")):
            found.append(pytest.param(path.stem.replace("_", "-"), text, id=f"{path.stem}-{number}"))
    return found


def parse(text: str) -> Module:
    with context(), ir.Location.unknown():
        return ir.Module.parse(text)


def arguments_for(function: Any, generator: np.random.Generator) -> list[Any]:
    """Random arguments; run-time extents are equal, most integers small."""
    extent = int(generator.integers(0, 7))
    arguments = []
    for argument in function.regions[0].blocks[0].arguments:
        declared = type_from_mlir(argument.type)
        tensor = declared.tensor if isinstance(declared, RefType) else declared
        shape = tuple(extent if size is None else size for size in tensor.shape)
        drawn = generator.integers(-3, 9, shape)
        if generator.integers(0, 4) == 0 and tensor.dtype.kind == "i":
            drawn = np.full(shape, extent)
        arguments.append(np.asarray(drawn % 2 if tensor.dtype.kind == "b" else drawn).astype(tensor.dtype))
    return arguments


def call(module: Module, name: str, given: list[Any]) -> Outcome:
    arguments = [array.copy() for array in given]
    try:
        return Outcome(interpret(module, name, arguments), "", arguments)
    except PythonNumberError:  # where it is found, and by what words, passes may change
        return Outcome([], PythonNumberError.__name__, arguments)
    except WeftError:
        raise
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        return Outcome([], f"{type(error).__name__}: {error}", arguments)


def assert_same(got: Outcome, expected: Outcome, what: str) -> None:
    assert got.error == expected.error, what
    assert len(got.results) == len(expected.results)
    for g, e in zip([*got.results, *got.arguments], [*expected.results, *expected.arguments], strict=True):
        assert same_bits(np.asarray(g), np.asarray(e)), f"{g}\nand not\n{e}\n{what}"


@pytest.mark.parametrize(("name", "text"), modules())
@pytest.mark.sampled(4)
def test_functions_do_the_same(name: str, text: str) -> None:
    generator = np.random.default_rng(len(text))
    for pipeline in (name, f"{name},{name}", f"cse,canonicalize,{name},canonicalize"):
        before, after = parse(text), parse(text)
        transform(after, pipeline)
        for view in before.body.operations:
            if view.operation.name != "func.func" or view.is_external:
                continue
            for _ in range(CALLS):
                given = arguments_for(view, generator)
                got, expected = (call(module, view.name.value, given) for module in (after, before))
                assert_same(got, expected, f"{view.name.value} of\n{after}\ncalled with {given}")
