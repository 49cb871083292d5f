"""`weft.from_mlir`: IR that `weft-opt` or a person wrote, as a function."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ...dialect.errors import WeftError, WeftValueError
from ...dialect.mlir import Module, Operation, ir
from ...dialect.parsing import first_unquoted_op
from ...dialect.register import context
from .checked_modules import functions_of, guard, name_of
from .described_functions import described
from .foreign_ir import place_that_is_no_text, require_known_form
from .recorded import Recorded
from .recorded_function import RecordedFunction


def from_mlir(source: str | os.PathLike[str], name: str | None = None) -> RecordedFunction:
    """The function of a module of MLIR, a text or a file that ends in `.mlir`, at stage "weft" or "optimized".

    One at stage "linalg" is taken if it writes no argument. It takes and returns arrays of the types in the module; one
    that is a `!weft.ref` is written in place. `name` tells which function, if the module has several that are not
    private. It is compiled for the sizes of its calls, and differentiated as far as its ops are. Ops of weft check
    their sizes and `tensor.extract` its indices; other ops do as they say: read only texts that you trust (of what
    `weft.save` wrote, all is checked). Raises `ValueError` with line and column for texts that are no such module.

    >>> twice = weft.from_mlir('''
    ... func.func @twice(%x: tensor<?xf64>) -> tensor<?xf64> {
    ...   %y = "weft.add"(%x, %x) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    ...   return %y : tensor<?xf64>
    ... }
    ... ''')
    >>> twice(np.arange(3.0))
    array([0., 2., 4.])
    """
    is_file = isinstance(source, os.PathLike) or str(source).endswith(".mlir")
    text = Path(source).read_text(encoding="utf-8") if is_file else str(source)
    place = os.fspath(source) if is_file else "text"
    with context(), ir.Location.unknown():
        module = parsed(text, place)
        entry = entry_of(module, name, place)
        description = described(entry, place)
        guard(module)
    recorded = Recorded(description, text)
    recorded.module = module
    return RecordedFunction(description.symbol, [recorded], {})


def parsed(text: str, place: str) -> Module:
    """The module of a text; what is wrong with it is told as a compiler does."""
    at = place_that_is_no_text(text)
    if at is not None:
        raise _error(text, place, text.count("\n", 0, at) + 1, 1, "a name or string is not UTF-8")
    try:
        module = ir.Module.parse(text)
        require_known_form(module)
    except ir.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            line, column = _line_and_column(str(diagnostic.location))
            raise _error(text, place, line, column, diagnostic.message) from None
        op = first_unquoted_op(text)
        if op is None:
            raise WeftValueError(f"{place} is no module of MLIR") from error
        raise _error(text, place, op.line, op.column, op.message) from None
    except WeftError as error:
        raise WeftValueError(f"{place}: {error}") from error
    return module


_PLACE = re.compile(r'"-":(\d+):(\d+)')


def _line_and_column(location: str) -> tuple[int, int]:
    """Where in the text something is; 0 of what says that it is of a line elsewhere."""
    found = _PLACE.search(location)
    return (0, 0) if found is None else (int(found[1]), int(found[2]))


def _error(text: str, place: str, line: int, column: int, message: str) -> WeftValueError:
    lines = text.splitlines()
    if not 0 < line <= len(lines):
        return WeftValueError(f"{place}: {message}")
    return WeftValueError(f"{place}:{line}:{column}: {message}\n  {lines[line - 1]}\n  {' ' * (column - 1)}^")


def entry_of(module: Module, name: str | None, place: str, usual: str | None = None) -> Operation:
    """The function that is meant: of a name, else the only one that is not private, else the one that usually is."""
    functions = {name_of(f): f for f in functions_of(module) if f.name == "func.func"}
    if name is not None and name in functions:
        return functions[name]
    public = [n for n, f in functions.items() if "sym_visibility" not in f.attributes]
    if name is None and len(public) == 1:
        return functions[public[0]]
    if name is None and usual in functions:
        return functions[usual]
    if not functions:
        raise WeftValueError(f"{place} has no function")
    known = ", ".join(functions)
    if name is None:
        raise WeftValueError(f"{place} has the functions {known}: say which by name=")
    raise WeftValueError(f"{place} has no function {name!r}; it has: {known}")
