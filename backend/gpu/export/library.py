"""A library of functions for a GPU as one object file of the host, with the code of the device in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ....dialect.errors import NotPortable
from ....dialect.mlir import Module, ir
from ....dialect.records import NamedTuple
from ....dialect.register import context
from ...cpu.export.interface import CFunction, Library, StateArray
from ...cpu.export.library import (
    OPTIONS,
    Array,
    Built,
    How,
    Source,
    function_of,
    functions_by_convention,
    linked,
    optimised,
    places_of_loops,
)
from ...cpu.machine import llvm
from ...cpu.stages import Convention
from ...planning.plan import DeviceKernel, Plan, plan_of
from ...target import compiling_for, current
from ..machine.assembler import assemble, find_assembler
from ..machine.call_context import DRIVER_SYMBOLS
from ..machine.host_program import HostLowering
from ..stages import Lowering
from .entry import AddDeviceFunctions
from .failures import failures_of
from .runtime import DeviceProgram, needed_of_device


class DeviceLibrary(NamedTuple):
    """A library as machine code, and what is known of each function on the device."""

    built: Built
    arch: str
    programs: tuple[DeviceProgram, ...]


class _Compiled(NamedTuple):
    function: CFunction
    module: Any
    program: DeviceProgram


def build_for_device(
    name: str,
    sources: Sequence[Source],
    state: tuple[StateArray, ...],
    constants: Sequence[Array],
    target: str,
    how: How,
) -> DeviceLibrary:
    """Compile a library for a GPU. Raises `NotPortable` with all reasons."""
    with context(), ir.Location.unknown(), compiling_for(target) as machine:
        common = failures_of(machine.cpu)
        compiled: list[_Compiled] = []
        reasons: list[str] = []
        first = 1 + len(common)
        for source in sources:
            try:
                found = _compiled(source, len(compiled), first, how)
            except NotPortable as error:
                reasons.append(str(error))
                continue
            compiled.append(found)
            first += len(found.function.plan.sites)
        if reasons:
            raise NotPortable("\n".join(reasons))
        functions = tuple(found.function for found in compiled)
        programs = tuple(found.program for found in compiled)
        library = Library(name, functions, state, how.is_checked, False, common, is_for_device=True)
        with compiling_for(machine.host) as host:
            modules = [found.module for found in compiled]
            sizes = [array.nbytes for array in constants]
            needed = needed_of_device(library, programs, sizes, machine.cpu, dict(_driver_calls(modules)))
            built = linked(library, modules, constants, list(needed), [], how, host)
        return DeviceLibrary(built, machine.cpu, programs)


def _compiled(source: Source, number: int, first_site: int, how: How) -> _Compiled:
    """A function as a module of LLVM for the host of the current target, with its kernels."""
    loops_of_ufuncs = places_of_loops(source.module)
    lowering = Lowering(source.module, verify=False)
    for _ in lowering.stages():
        pass
    function = function_of(source, plan_of(lowering.plans, source.symbol), first_site, [])

    def entries(module: Module, plans: Sequence[Plan]) -> AddDeviceFunctions:
        return AddDeviceFunctions(function, number, how.is_checked, *functions_by_convention(module))

    with compiling_for(current().host):
        host = HostLowering(source.module, False, convention=Convention(OPTIONS, entries))
        needs = host.to_assembly()
        module = optimised(source, function, host, loops_of_ufuncs, how, DRIVER_SYMBOLS)
    kernels = _assembled(needs.numbered(lowering.kernels))
    reads = "cuMemcpyDtoHAsync_v2" in llvm.external_symbols(module)
    return _Compiled(function, module, DeviceProgram(kernels, needs, reads))


def _assembled(kernels: tuple[DeviceKernel, ...]) -> tuple[DeviceKernel, ...]:
    """The kernels with machine code, where there is an assembler."""
    if find_assembler() is None:
        return kernels
    code = {ptx: assemble(ptx, arch).cubin for ptx, arch in {k.ptx: k.arch for k in kernels}.items()}
    return tuple(kernel._replace(cubin=code[kernel.ptx]) for kernel in kernels)


def _driver_calls(modules: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """The functions of the driver that modules call, with their types as LLVM writes them: `i32 (ptr, i64)`."""
    for module in modules:
        for function in module.functions:
            if function.is_declaration and function.name in DRIVER_SYMBOLS:
                found = re.search(r"declare (.*?)@\w+\((.*?)\)", str(function))
                assert found is not None
                yield function.name, f"{found[1]}({found[2]})"
