"""Modules from files: only what weft itself records, with the types that the file says, and no read outside of arrays.

What is written is text, not bytecode: MLIR's reader of bytecode ends the process at damaged files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import ArtifactError, PassError, WeftError
from ...dialect.mlir import Module, Operation, ir
from ...dialect.op import OPS
from ...dialect.parsing import first_unquoted_op
from ...dialect.register import context
from ...dialect.types import RefType, TensorType, ValueType, compatible_shapes
from ...passes.pipeline import run_pipeline
from ...passes.rewriting import operations_of
from .descriptions import Argument, Description, StateArray
from .foreign_ir import place_that_is_no_text, require_known_form

UPSTREAM = frozenset(
    {
        "arith.constant",
        "arith.index_cast",
        "func.call",
        "func.func",
        "func.return",
        "scf.condition",
        "scf.for",
        "scf.if",
        "scf.while",
        "scf.yield",
        "tensor.cast",
        "tensor.extract",
        "tensor.from_elements",
    }
)
"""The ops of other dialects that traces are made of."""

_PLACE = re.compile(r'"(?:[^"\\]*[/\\])?([^"/\\]*)":(\d+):(\d+)')


def text_of(module: Operation) -> str:
    """The text of a recorded module, with the lines of its program; of their files the names only, not the folders."""
    text = str(module.get_asm(enable_debug_info=True, print_generic_op_form=True))
    return _PLACE.sub(lambda match: f'"{match[1]}":{match[2]}:{match[3]}', text)


def checked_module(
    text: str, symbol: str, inputs: list[TensorType], written: list[bool], outputs: Sequence[TensorType]
) -> Module:
    """The module of a text, in which a function takes and may write arrays of some types, and gives others.

    Raises `ArtifactError` for anything that weft does not record. Call it in the context of the dialect.
    """
    require_readable(text)
    try:
        module = ir.Module.parse(text)
        if not module.operation.verify():
            raise ArtifactError("the module does not verify")
        require_known_form(module)
        _require_allowed(module)
        _require_entry(module, symbol, inputs, written, outputs)
        guard(module)
    except ir.MLIRError as error:
        op = first_unquoted_op(text)
        reason = str(error).replace("\n", " ") if op is None else op.message
        raise ArtifactError(f"the module cannot be read: {reason[:400]}") from error
    except ArtifactError:
        raise
    except (WeftError, PassError) as error:
        raise ArtifactError(f"the module is not one that weft records: {error}") from error
    return module


def require_readable(text: str) -> None:
    """Refuse texts at which MLIR's reader or its bindings would end the process."""
    if place_that_is_no_text(text) is not None:
        raise ArtifactError("a name or string of the module is not UTF-8")
    if _depth(text) > _DEEPEST:
        raise ArtifactError("the module is nested too deep")


def guard(module: Module) -> None:
    """Let a module check what its ops read and the sizes that they rely on, as the traces of programs do."""
    run_pipeline(module, "builtin.module(guard-extracts,guard-sizes)")


_BRACKETS = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|->|([\[({<])|[\])}>]|(affine_(?:map|set)\s*<)')
_MOST_OPS = 1 << 20
"""How many ops a function may have when what it calls is written into it."""
_DEEPEST = 2000
"""How deep brackets may lie in each other: MLIR's reader calls itself for each, and ends the process at very many."""


def _depth(text: str) -> int:
    """How deep brackets lie in each other; raises for expressions of MLIR's that nest without brackets."""
    depth = deepest = 0
    for found in _BRACKETS.finditer(text):
        if found[2]:
            raise ArtifactError("the module has affine expressions, which weft does not record")
        if found[1]:
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in ")]}>":
            depth -= 1
    return deepest


def functions_of(module: Module) -> Iterator[Operation]:
    """The functions of a module."""
    return (view.operation for view in module.body.operations)


def name_of(function: Operation) -> str:
    """What a function is called."""
    found: str = function.attributes["sym_name"].value
    return found


def _require_allowed(module: Module) -> None:
    names = {name_of(f) for f in functions_of(module) if f.name == "func.func"}
    for op in operations_of(module.operation):
        of_weft = OPS.get(op.name.removeprefix("weft."))
        if op.name not in UPSTREAM and (of_weft is None or not of_weft.recorded):
            raise ArtifactError(f"the module has an op {op.name}, which weft does not record")
        if op.name == "func.func" and not op.regions[0].blocks:
            raise ArtifactError(f"the function {name_of(op)} has no body")
        if op.name == "func.call" and op.attributes["callee"].value not in names:
            raise ArtifactError(f"the module calls {op.attributes['callee'].value}, which it does not have")
        for region in op.regions:
            if len(region.blocks) > 1:
                raise ArtifactError(f"a region of {op.name} has several blocks")
    _require_small(module)


def _require_small(module: Module) -> None:
    """Refuse functions that are very much when all that they call is written into them.

    What calls itself, by others or not, is called when it runs, and ends as the stack does.
    """
    functions = {name_of(f): list(operations_of(f)) for f in functions_of(module) if f.name == "func.func"}
    called = {
        name: [op.attributes["callee"].value for op in ops if op.name == "func.call"]
        for name, ops in functions.items()
    }
    sizes: dict[str, int] = {}
    while ready := [n for n in functions if n not in sizes and sizes.keys() >= {*called[n]}]:
        for name in ready:
            sizes[name] = len(functions[name]) + sum(sizes[callee] for callee in called[name])
            if sizes[name] > _MOST_OPS:
                raise ArtifactError(
                    f"the function {name} has more than {_MOST_OPS} ops with all that it calls"
                )


def _require_entry(
    module: Module, symbol: str, inputs: list[TensorType], written: list[bool], outputs: Sequence[TensorType]
) -> None:
    entry = next((f for f in functions_of(module) if f.name == "func.func" and name_of(f) == symbol), None)
    if entry is None:
        raise ArtifactError(f"the module has no function {symbol}")
    found = [type_from_mlir(argument.type) for argument in entry.regions[0].blocks[0].arguments]
    expected = [RefType(t) if is_written else t for t, is_written in zip(inputs, written, strict=True)]
    if found != expected:
        told, are = (", ".join(map(str, types)) or "nothing" for types in (expected, found))
        raise ArtifactError(f"the function {symbol} takes {are}, where the file says {told}")
    given = [type_from_mlir(t) for t in ir.FunctionType(entry.attributes["function_type"].value).results]
    if len(given) != len(outputs) or not all(map(_is_of, given, outputs)):
        told, are = (", ".join(map(str, types)) or "nothing" for types in (outputs, given))
        raise ArtifactError(f"the function {symbol} gives {are}, where the file says {told}")


def _is_of(given: ValueType, told: TensorType) -> bool:
    if not isinstance(given, TensorType):
        return False
    return given.dtype == told.dtype and compatible_shapes(told.shape, given.shape)


def parse(text: str, description: Description) -> Module:
    """The module of a text in which a function is that of a description; raises as `checked_module` does."""
    own = [description.arguments[position] for position in description.distinct]
    inputs: list[Argument | StateArray] = [*own, *description.state]
    with context(), ir.Location.unknown():
        return checked_module(
            text,
            description.symbol,
            [i.tensor for i in inputs],
            [i.is_written for i in inputs],
            description.outputs,
        )
