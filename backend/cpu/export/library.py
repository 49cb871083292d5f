"""A library of compiled functions as one object file, in which all that is not its interface is hidden."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ....dialect.errors import NotPortable, WeftValueError
from ....dialect.mlir import Module, ir
from ....dialect.ops.ufunc_loops import CallLoop
from ....dialect.records import NamedTuple
from ....dialect.register import context
from ....passes.rewriting import operations_of
from ...planning.names import ALLOWED, is_own_name, loop_of_name
from ...planning.plan import HostSite, Plan, plan_of
from ...target import Target, compiling_for, current
from ..execution.symbols import called_by_instructions
from ..lowering.argument_table import BY_TABLE
from ..lowering.parameters import BY_POINTER
from ..machine import llvm
from ..stages import Convention, Lowering
from .entry import AddCFunctions
from .interface import CFunction, Input, Library, Output, Place, StateArray, failures_of_all
from .needed import (
    USES_FLOATS,
    WIDE_PRODUCT,
    allocator_assembly,
    called_assembly,
    floats_assembly,
    needed_assembly,
)
from .places import place_text
from .runtime import constant_assembly, runtime_assembly
from .wasm_module import wasm_module

Array: TypeAlias = "np.ndarray[Any, Any]"
_OPTIONS = {"link-runtime": "python=false", "read-argument-table": "data=0"}


class Source(NamedTuple):
    """A function that is to be exported."""

    name: str
    module: Module
    """At stage "linalg"; it is used up."""
    symbol: str
    """The function in the module; another name than that of the C function."""
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    same: tuple[tuple[str, str], ...]


class Built(NamedTuple):
    """A library as machine code."""

    library: Library
    content: bytes
    """An object file, or LLVM assembly."""
    calls: tuple[str, ...]
    """The functions of the C library that it calls."""
    target: Target


def build(
    name: str,
    sources: Sequence[Source],
    state: tuple[StateArray, ...],
    constants: Sequence[Array],
    target: str,
    *,
    is_checked: bool,
    has_threads: bool,
    form: str = "object",
) -> Built:
    """Compile a library for a target, to the form "object", "llvm" or "wasm".

    Raises `NotPortable` where a function needs what other programs do not have.
    """
    with compiling_for(target) as machine, context(), ir.Location.unknown():
        functions: list[CFunction] = []
        modules = []
        known = list(constants)
        first = 1 + len(failures_of_all(is_checked))
        for source in sources:
            function, module = _compiled(source, first, is_checked, known)
            first += len(function.plan.sites)
            functions.append(function)
            modules.append(module)
        library = Library(name, tuple(functions), state, is_checked, has_threads)
        twice = [name for name, count in Counter(library.names()).items() if count > 1]
        if twice:
            raise WeftValueError(
                f"two functions or types of the library would be called {twice[0]}: give one another name"
            )
        whole, *others = modules
        for module in others:
            whole.link_in(module)
        for number, array in enumerate(known):
            whole.link_in(llvm.parsed(constant_assembly(number, array.tobytes())))
        for text in _needed(library):
            whole.link_in(llvm.optimise(text, llvm.ScalarLoops()))
        for text in called_assembly(llvm.external_symbols(whole)):  # which has loops
            whole.link_in(llvm.optimise(text))
        exported = [*library.symbols()]
        if form == "wasm":
            whole.link_in(llvm.optimise(allocator_assembly(), llvm.ScalarLoops()))
            exported += ["malloc", "free"]
        llvm.internalize(whole, {*exported, WIDE_PRODUCT, USES_FLOATS})
        declared = llvm.external_symbols(whole)
        if form == "llvm":
            return Built(library, str(whole).encode(), tuple(sorted(declared)), machine)
        code = llvm.object_code(whole, for_linker=True)
        calls = {*declared, *called_by_instructions(code)}
        if form == "wasm":
            code, imported = wasm_module(code, exported)
            calls = set(imported)
        return Built(library, code, tuple(sorted(calls)), machine)


def _compiled(
    source: Source, first_site: int, is_checked: bool, constants: list[Array]
) -> tuple[CFunction, Any]:
    """A function with its C entry as a module of LLVM, optimised; packed copies are added to the constants."""
    made: list[CFunction] = []

    def entries(module: Module, plans: Sequence[Plan]) -> AddCFunctions:
        function = _function_of(source, plan_of(plans, source.symbol), first_site, constants)
        made.append(function)
        names = {
            attribute: frozenset(
                view.operation.attributes["sym_name"].value
                for view in module.body.operations
                if attribute in view.operation.attributes
            )
            for attribute in (BY_POINTER, BY_TABLE)
        }
        return AddCFunctions(function, is_checked, names[BY_POINTER], names[BY_TABLE])

    loops_of_ufuncs = _places_of_loops(source.module)
    lowering = Lowering(source.module, False, convention=Convention(_OPTIONS, entries))
    for _ in lowering.stages():
        pass
    (function,) = made
    loops = lowering.scalar_loops
    own = {function.name, f"{function.name}_sizes"}
    if loops is not None:  # the planned function becomes a part of these
        inner = set(function.plan.entries)
        loops = llvm.ScalarLoops(
            {*loops.counted, *(own if inner & set(loops.counted) else ())},
            {*loops.others, *(own if inner & set(loops.others) else ())},
        )
    module = llvm.optimise(lowering.llvm_text, loops)
    _require_known(source, module, loops_of_ufuncs)
    llvm.internalize(module, own)  # other functions have kernels of the same names
    return function, module


def _function_of(source: Source, plan: Plan, first_site: int, constants: list[Array]) -> CFunction:
    python = [site.location for site in plan.sites if isinstance(site, HostSite)]
    if python:
        raise NotPortable(f"{source.name} calls Python at {', '.join(python)}")
    outputs = tuple(
        output._replace(place=Place.BLOCK) if number in plan.on_heap else output
        for number, output in enumerate(source.outputs)
    )
    results = [r.with_dtype(o.type.dtype) for r, o in zip(plan.results, outputs, strict=True)]
    known = tuple(o._replace(type=r) for o, r in zip(outputs, results, strict=True))
    inputs = list(source.inputs)
    for packed in plan.packed:
        constant = inputs[packed.argument]
        made = packed.layout.pack(constants[constant.offset])
        type = constant.type.with_shape(made.shape)
        inputs.append(Input(f"{constant.name}.packed", type, Place.CONSTANT, False, len(constants)))
        constants.append(made)
    return CFunction(source.name, tuple(inputs), known, plan, first_site, source.same)


def _needed(library: Library) -> Iterator[str]:
    """The assembly of what every library has."""
    yield runtime_assembly(library)
    if "windows-msvc" in current().triple:
        yield floats_assembly()
    yield from needed_assembly(library, current().triple.startswith("wasm32"))


def _require_known(source: Source, module: Any, loops: Mapping[str, str]) -> None:
    """Refuse what other programs do not have: code of NumPy and SciPy."""
    reasons = []
    for name in llvm.external_symbols(module):
        loop = loop_of_name(name)
        if loop is not None:
            reasons.append(f"it calls {loop[0]}, which is code of NumPy or SciPy{loops.get(loop[0], '')}")
        elif name not in _OF_C and not is_own_name(name) and not name.startswith("weft_"):
            reasons.append(f"it calls {name}, which other programs do not have")
    if reasons:
        lines = "".join(f"\n  {reason}" for reason in dict.fromkeys(reasons))
        raise NotPortable(f"{source.name} cannot leave this process:{lines}")


def _places_of_loops(module: Module) -> dict[str, str]:
    """Where a module asks for loops of ufuncs."""
    found: dict[str, str] = {}
    for op in operations_of(module.operation):
        if op.name == CallLoop.mlir_name():
            place = place_text(str(op.location))
            found.setdefault(op.attributes["function"].value, f" ({place})" if place else "")
    return found


_OF_C = {name for name in ALLOWED if not re.match("Py|timespec", name)} | {"snprintf", "strtod"}
"""The functions of C that a library may call."""

__all__ = ["Built", "Source", "build"]
