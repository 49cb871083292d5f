"""A library of compiled functions as one object file, in which all that is not its interface is hidden."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ....dialect.callbacks import COLLECTIVES
from ....dialect.errors import InternalError, NotPortable, WeftValueError
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
from .lapack import Lapack, is_loop_of_lapack
from .levels import dispatch_assembly, for_level, level_name, levels_of
from .needed import (
    WIDE_PRODUCT,
    allocator_assembly,
    called_assembly,
    needed_assembly,
)
from .places import place_text
from .runtime import constant_assembly, runtime_assembly
from .wasm_module import wasm_module
from .windows import OF_WINDOWS, of_windows_assembly

Array: TypeAlias = "np.ndarray[Any, Any]"
OPTIONS = {"link-runtime": "python=false", "read-argument-table": "data=0", "check-scratch": "of-loops=true"}
"""Of passes, for code that is called by addresses, without Python in the process."""


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


class How(NamedTuple):
    """How a library is made."""

    is_checked: bool = False
    has_threads: bool = False
    lapack: Lapack | None = None
    """What functions may call for linear algebra."""
    form: str = "object"
    """Or "llvm" or "wasm"."""


class Built(NamedTuple):
    """A library as machine code."""

    library: Library
    content: bytes
    """An object file, or LLVM assembly."""
    calls: tuple[str, ...]
    """The functions of the C library that it calls."""
    target: Target
    levels: Sequence[Target] = ()
    """Several levels of processors that it has code for, the target the lowest; none for one."""
    libraries: tuple[str, ...] = ()
    """What it is linked with besides C's."""


def build(
    name: str,
    sources: Sequence[Source],
    state: tuple[StateArray, ...],
    constants: Sequence[Array],
    targets: Sequence[str],
    how: How,
) -> Built:
    """Compile a library for a target or for several levels of processors.

    Raises `NotPortable` where a function needs what other programs do not have.
    """
    levels = levels_of(targets) if len(targets) > 1 else []
    first, *others = [level.name for level in levels] or targets
    copies = [[_copied(source) for source in sources] for _ in others]
    with compiling_for(first) as machine, context(), ir.Location.unknown():
        known = list(constants)
        functions: list[CFunction] = []
        modules = []
        common = failures_of_all(how.is_checked)
        place = 1 + len(common)
        for source in sources:
            own = source._replace(name=level_name(source.name, machine)) if levels else source
            function, module = _compiled(own, place, how, known)
            place += len(function.plan.sites)
            functions.append(function._replace(name=source.name))
            modules.append(module)
        library = Library(
            name, tuple(functions), state, how.is_checked, how.has_threads, common, has_levels=bool(levels)
        )
        for target, copied in zip(others, copies, strict=True):
            modules += _of_level(target, copied, functions, how, known)
        return linked(library, modules, known, list(_needed(library)), levels, how, machine)


def _of_level(
    name: str, sources: Sequence[Source], functions: Sequence[CFunction], how: How, known: list[Array]
) -> Iterator[Any]:
    """The modules of functions of another level than the lowest, whose functions there are given."""
    for source, function in zip(sources, functions, strict=True):
        with compiling_for(name) as level:
            own = source._replace(name=level_name(source.name, level))
            variant, module = _compiled(own, function.first_site, how, known)
            text = for_level(str(module), level)
        if (variant.outputs, variant.plan.sites) != (function.outputs, function.plan.sites):
            raise InternalError(f"{function.name} has another interface for {name} than for the lowest level")
        yield llvm.parsed(text)


def linked(
    library: Library,
    modules: Sequence[Any],
    constants: Sequence[Array],
    needed: Sequence[str],
    levels: Sequence[Target],
    how: How,
    machine: Target,
) -> Built:
    """The functions, and the assembly that they need, as one file."""
    twice = [name for name, count in Counter(library.names()).items() if count > 1]
    if twice:
        raise WeftValueError(
            f"two functions or types of the library would be called {twice[0]}: give one another name"
        )
    whole, *others = modules
    signatures = list(_signatures(library, whole, others, levels)) if levels else []
    for module in others:
        whole.link_in(module)
    if levels:
        text = dispatch_assembly(library.name, signatures, levels)
        whole.link_in(llvm.optimise(text, llvm.ScalarLoops()))
    for number, array in enumerate(constants):
        whole.link_in(llvm.parsed(constant_assembly(number, array.tobytes())))
    for text in needed:
        whole.link_in(llvm.optimise(text, llvm.ScalarLoops()))
    for text in called_assembly(llvm.external_symbols(whole), how.lapack):  # which has loops
        whole.link_in(llvm.optimise(text))
    exported = [*library.symbols()]
    if how.form == "wasm":
        whole.link_in(llvm.optimise(allocator_assembly(), llvm.ScalarLoops()))
        exported += ["malloc", "free"]
    llvm.internalize(whole, {*exported, WIDE_PRODUCT, *OF_WINDOWS})
    declared = llvm.external_symbols(whole)
    libraries = (how.lapack.library,) if how.lapack is not None and how.lapack.is_called(declared) else ()
    if how.form == "llvm":
        return Built(library, str(whole).encode(), tuple(sorted(declared)), machine, levels, libraries)
    code = llvm.object_code(whole, for_linker=True)
    calls = {*declared, *called_by_instructions(code)}
    if how.form == "wasm":
        code, imported = wasm_module(code, exported)
        calls = set(imported)
    return Built(library, code, tuple(sorted(calls)), machine, levels, libraries)


def _copied(source: Source) -> Source:
    """A function whose module is another one."""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(source.module.operation.get_asm(enable_debug_info=True))
    return source._replace(module=module)


def _signatures(
    library: Library, first: Any, others: Sequence[Any], levels: Sequence[Target]
) -> Iterator[tuple[str, str]]:
    """The functions of C and their types, which are those of the lowest level."""
    names = [f.name for f in library.functions] + [f"{f.name}_sizes" for f in library.functions if f.sized]
    types = {f.name: str(f.global_value_type) for module in (first, *others) for f in module.functions}
    for name in names:
        yield name, types[level_name(name, levels[0])]


def _compiled(source: Source, first_site: int, how: How, constants: list[Array]) -> tuple[CFunction, Any]:
    """A function with its C entry as a module of LLVM, optimised; packed copies are added to the constants."""
    made: list[CFunction] = []

    def entries(module: Module, plans: Sequence[Plan]) -> AddCFunctions:
        function = function_of(source, plan_of(plans, source.symbol), first_site, constants)
        made.append(function)
        return AddCFunctions(function, how.is_checked, *functions_by_convention(module))

    loops_of_ufuncs = places_of_loops(source.module)
    lowering = Lowering(source.module, False, convention=Convention(OPTIONS, entries))
    for _ in lowering.stages():
        pass
    (function,) = made
    return function, optimised(source, function, lowering, loops_of_ufuncs, how)


def functions_by_convention(module: Module) -> tuple[frozenset[str], frozenset[str]]:
    """The functions of a module in the LLVM dialect that take pointers alone, and those that take a table."""
    by_pointer, by_table = (
        frozenset(
            view.operation.attributes["sym_name"].value
            for view in module.body.operations
            if attribute in view.operation.attributes
        )
        for attribute in (BY_POINTER, BY_TABLE)
    )
    return by_pointer, by_table


def optimised(
    source: Source,
    function: CFunction,
    lowering: Lowering,
    loops_of_ufuncs: Mapping[str, str],
    how: How,
    others: Collection[str] = (),
) -> Any:
    """The module of a function, which may call `others` besides what every library has."""
    loops = lowering.scalar_loops
    own = {function.name, f"{function.name}_sizes"}
    if loops is not None:  # the planned function becomes a part of these
        inner = set(function.plan.entries)
        loops = llvm.ScalarLoops(
            {*loops.counted, *(own if inner & set(loops.counted) else ())},
            {*loops.others, *(own if inner & set(loops.others) else ())},
        )
    module = llvm.optimise(lowering.llvm_text, loops)
    _require_known(source, module, loops_of_ufuncs, how, others)
    llvm.internalize(module, own)  # other functions have kernels of the same names
    return module


def function_of(source: Source, plan: Plan, first_site: int, constants: list[Array]) -> CFunction:
    """The C function of a planned one."""
    calls = [site for site in plan.sites if isinstance(site, HostSite)]
    together = [site.location for site in calls if site.callback >= COLLECTIVES]
    if together:
        raise NotPortable(
            f"{source.name} works together with other ranks at {', '.join(together)}, which libraries without Python "
            "do not; export what each rank does between"
        )
    python = [site.location for site in calls]
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
        yield of_windows_assembly(current().triple)
    yield from needed_assembly(library, current().triple.startswith("wasm32"))


def _require_known(
    source: Source, module: Any, loops: Mapping[str, str], how: How, others: Collection[str]
) -> None:
    """Refuse what other programs do not have: code of NumPy and SciPy."""
    reasons = []
    for name in llvm.external_symbols(module):
        loop = loop_of_name(name)
        if loop is not None:
            is_known = is_loop_of_lapack(name)
            if is_known and how.lapack is not None:
                continue
            reason = f"it calls {loop[0]}, which is code of NumPy or SciPy{loops.get(loop[0], '')}"
            reasons.append(f'{reason}: lapack="system" calls a LAPACK instead' if is_known else reason)
        elif (
            name not in _OF_C
            and name not in others
            and not is_own_name(name)
            and not name.startswith("weft_")
        ):
            reasons.append(f"it calls {name}, which other programs do not have")
    if reasons:
        lines = "".join(f"\n  {reason}" for reason in dict.fromkeys(reasons))
        raise NotPortable(f"{source.name} cannot leave this process:{lines}")


def places_of_loops(module: Module) -> dict[str, str]:
    """Where a module asks for loops of ufuncs."""
    found: dict[str, str] = {}
    for op in operations_of(module.operation):
        if op.name == CallLoop.mlir_name():
            place = place_text(str(op.location))
            found.setdefault(op.attributes["function"].value, f" ({place})" if place else "")
    return found


_OF_C = {name for name in ALLOWED if not re.match("Py|timespec", name)} | {"snprintf", "strtod"}
"""The functions of C that a library may call."""
