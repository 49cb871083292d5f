"""From texts to modules, or to the one op that `--no-implicit-module` takes, and what is checked of them at once."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..dialect.errors import PassError, WeftValueError
from ..dialect.mlir import Module, Operation, ir, load_dialects
from ..dialect.parsing import first_unquoted_op
from ..dialect.records import dataclass
from ..dialect.register import context
from ..frontend.artifacts.foreign_ir import place_that_is_no_text
from ..passes.pipeline import ROOT, Step
from .catalogue import all_passes
from .diagnostics import Collector
from .inputs import Source
from .plugins import add_all_ops, add_installed_ops

_DIALECT = re.compile(r"irdl\.dialect\s+@(\w+)")


@dataclass(frozen=True)
class Parser:
    """Reads sources, some of which have ops of dialects that were `defined` through IRDL."""

    defined: Sequence[str] = ()
    implicit_module: bool = True

    def parse(self, source: Source, collector: Collector) -> Module:
        """The module of a source all of whose names and strings are texts: the bindings end the process at others.

        What is wrong with it is a diagnostic at its place, whoever found it.
        """
        if source.bytecode is None:
            _require_texts(source, source.text)
            add_installed_ops(source.text)
        else:
            add_all_ops()
        context()  # which defines ops that there were not before
        try:
            module = self._parse(source)
        except ir.MLIRError:
            if source.bytecode is None and not collector.has_errors:
                self._refuse_unquoted_op(source)
            raise
        if source.bytecode is not None:
            _require_texts(source, module.operation.get_asm(enable_debug_info=True))
        return module

    def _parse(self, source: Source) -> Module:
        if self.implicit_module:
            return ir.Module.parse(source.content)
        if source.bytecode is not None:
            raise WeftValueError(f"--no-implicit-module is for texts, and {source.name} is bytecode")
        operation = ir.Operation.parse(source.text, source_name="-").operation
        return ir.Module.parse(source.text) if operation.name == ROOT else TopLevelOp(operation)

    def _refuse_unquoted_op(self, source: Source) -> None:
        """Give a diagnostic at the op that MLIR could not read without one."""
        op = first_unquoted_op(source.text, ("weft", *self.defined))
        if op is not None:
            ir.Location.file(source.name, op.line, op.column).emit_error(op.message)


@dataclass(frozen=True)
class TopLevelOp:
    """An op that is no module and has none around it, on which upstream's passes run."""

    operation: Operation

    @property
    def context(self) -> Any:
        """The context of the op."""
        return self.operation.context


def _require_texts(source: Source, text: str) -> None:
    place = place_that_is_no_text(text)
    if place is None:
        return
    message = f"a name or string is not UTF-8: {text[place : place + 12]}"
    if source.bytecode is None:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        ir.Location.file(source.name, line, column).emit_error(message)
    raise PassError(message)


def define_dialects(source: Source, collector: Collector) -> list[str]:
    """Define the dialects of a text in IRDL, and return their names; what is wrong goes to the collector."""
    try:
        module = ir.Module.parse(source.content)
        names = _DIALECT.findall(str(module))
        if not names:
            raise WeftValueError("there is no irdl.dialect in it")
        known = [name for name in names if context().is_dialect_loaded(name)]
        if known:
            raise WeftValueError(f"there is a dialect {known[0]} already")
        load_dialects(module)
    except (ir.MLIRError, WeftValueError) as error:
        if not collector.has_errors:
            collector.error(str(error))
        return []
    return names


def rooted_anywhere(pipeline: str) -> tuple[str, str]:
    """The op that a pipeline is written for, and the pipeline for any op.

    >>> rooted_anywhere("func.func(cse,canonicalize)")
    ('func.func', 'any(cse,canonicalize)')
    """
    root, bracket, rest = pipeline.strip().partition("(")
    return root.strip(), f"any{bracket}{rest}"


def require_root(module: Module, root: str, steps: Sequence[Step]) -> None:
    """Raise `WeftValueError` unless the passes run on the op that the input is."""
    name = module.operation.name
    if not steps or name == ROOT:
        return
    if root not in (ROOT, "any", name):
        raise WeftValueError(f"the pipeline is for {root}, and the input is a {name}")
    own = next((step.name for step in steps if step.name in all_passes()), None)
    if own is not None:
        raise WeftValueError(
            f"{own} runs on {ROOT}, and the input is a {name}: leave out --no-implicit-module"
        )


def require_roundtrip(module: Module) -> None:
    """Raise `PassError` unless a module is read as it was from its text and from its bytecode."""
    text: str = module.operation.get_asm(enable_debug_info=True)
    with _own_diagnostics("text"):
        read = _read_again(module, text)
    if read != text:
        raise PassError(
            f"--verify-roundtrip: what was printed is read as something else{_difference(text, read)}"
        )
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    with _own_diagnostics("bytecode"):
        read = ir.Module.parse(bytecode.getvalue()).operation.get_asm(enable_debug_info=True)
    expected = (
        text
        if module.operation.name == ROOT
        else ir.Module.parse(text).operation.get_asm(enable_debug_info=True)
    )
    if read != expected:
        raise PassError(f"--verify-roundtrip: bytecode is read as something else{_difference(text, read)}")


def _read_again(module: Module, text: str) -> str:
    if module.operation.name == ROOT:
        again = ir.Module.parse(text).operation
    else:
        again = ir.Operation.parse(text, source_name="-").operation
    shown: str = again.get_asm(enable_debug_info=True)
    return shown


@contextmanager
def _own_diagnostics(form: str) -> Iterator[None]:
    """Say of what cannot be read that it was written so: its lines are not those of the input."""
    before = context().emit_error_diagnostics
    context().emit_error_diagnostics = False
    try:
        yield
    except ir.MLIRError as error:
        reason = "; ".join(str(each.message) for each in error.error_diagnostics) or str(error)
        raise PassError(
            f"--verify-roundtrip: the {form} that was written cannot be read: {reason}"
        ) from error
    finally:
        context().emit_error_diagnostics = before


def _difference(before: str, after: str) -> str:
    for number, (old, new) in enumerate(zip(before.splitlines(), after.splitlines(), strict=False), start=1):
        if old != new:
            return f", first in line {number} of the text: {old.strip()} / {new.strip()}"
    return ", of another length"
