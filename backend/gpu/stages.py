"""The stages of the GPU backend in order: what `backend_text` shows and `machine_code` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...dialect.mlir import Module, Operation
from ...passes.managers import run_passes
from ...passes.pipeline import Code, Observer, run_stage
from ...passes.rewriting import operations_in
from ..planning.debug_info import locate_calls
from ..planning.plan import DeviceKernel, Plan
from ..planning.plan_attributes import plans_of
from ..target import current
from .code.kernel import SHARED_BYTES
from .machine.assembler import assemble, can_disassemble, disassemble
from .machine.ptx import assembly_of, optimised, ptx_of, watch
from .pipeline import ALL_PASSES, steps_of

STAGES = ("linalg", "kernels", "buffers", "placed", "gpu", "nvvm", "ptx", "sass")
"""All stages that text can be asked of."""


class Lowering:
    """Takes a module from linalg to PTX, one stage after the other, in place."""

    def __init__(self, module: Module, verify: bool, observers: Sequence[Observer] = ()) -> None:
        self._module = module
        self._verify = verify
        self._observers = observers
        self.has_lines = False
        """Whether PTX tells the lines of the program: what is looked at, not what runs."""
        self.plans: list[Plan] = []
        self.kernels: tuple[DeviceKernel, ...] = ()

    def stages(self) -> Iterator[str]:
        """Run the stages up to PTX; the name of each is given when it is reached."""
        yield "linalg"
        self._run("linalg-to-device-kernels")
        yield "kernels"
        self._run("kernels-to-device-buffers")
        yield "buffers"
        self._run("buffers-to-placed")
        self.plans = plans_of(self._module)  # with words for numbers of the device
        yield "placed"
        self._run("placed-to-gpu")
        yield "gpu"
        self._run("gpu-to-nvvm")
        yield "nvvm"
        if self.has_lines:
            locate_calls(self._module)
            run_passes(self._module, _SCOPES)
        self.kernels = device_kernels(self._module)
        yield "ptx"

    def _run(self, pipeline: str) -> None:
        run_stage(
            pipeline,
            self._module,
            steps_of(pipeline),
            passes=ALL_PASSES,
            observers=self._observers,
            verify=self._verify,
        )


_SCOPES = "builtin.module(ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly})"
"""Lines in PTX; with more, LLVM marks it as for a debugger, and no assembler would optimise it."""


def device_kernels(module: Module) -> tuple[DeviceKernel, ...]:
    """The device kernels of a module at stage "nvvm", compiled."""
    found: list[DeviceKernel] = []
    for view in module.body.operations:
        if view.operation.name == "gpu.module":
            ptx = ptx_of(assembly_of(view.operation))
            found += [
                DeviceKernel(
                    function.attributes["sym_name"].value,
                    ptx,
                    current().cpu,
                    shared_bytes=_shared_bytes(function),
                )
                for function in _entries(view.operation)
            ]
    return tuple(found)


def _entries(module: Operation) -> list[Operation]:
    """The functions of a `gpu.module` that can be launched."""
    ops = operations_in(module.regions[0].blocks[0])
    return [op for op in ops if op.name == "llvm.func" and "nvvm.kernel" in op.attributes]


def _shared_bytes(function: Operation) -> int:
    """The shared memory that a launch of a kernel asks for."""
    return int(function.attributes[SHARED_BYTES].value) if SHARED_BYTES in function.attributes else 0


def ptx_text(kernels: Sequence[DeviceKernel]) -> str:
    """The PTX of kernels; those that share a module have it in common."""
    return "\n".join(dict.fromkeys(kernel.ptx for kernel in kernels))


def sass_text(kernels: Sequence[DeviceKernel], has_lines: bool = False) -> str:
    """The instructions of kernels on their GPU; raises `WeftValueError` where the tools of CUDA are not there."""
    modules = {kernel.ptx: kernel.arch for kernel in kernels}
    return "\n".join(
        disassemble(assemble(ptx, arch, has_lines).cubin, has_lines) for ptx, arch in modules.items()
    )


def stage_text(module: Module, stage: str) -> str:
    """The text of a module at a stage; the module is used up."""
    lowering = Lowering(module, verify=False)
    for reached in lowering.stages():
        if reached == stage and reached != "ptx":
            return str(module)
    return ptx_text(lowering.kernels) if stage == "ptx" else sass_text(lowering.kernels)


def visit_stages(
    module: Module, visit: Callable[[str, Code], None], observers: Sequence[Observer] = ()
) -> None:
    """Show each stage to a function, with its name; "sass" where the tools of CUDA are. The module is used up.

    PTX and instructions have the lines of the program in them, and are otherwise those of every call.
    """
    lowering = Lowering(module, False, observers)
    lowering.has_lines = True
    for reached in lowering.stages():
        if reached == "ptx":
            _visit_llvm(module, visit, observers)
        visit(reached, ptx_text(lowering.kernels) if reached == "ptx" else module)
    if can_disassemble():
        visit("sass", sass_text(lowering.kernels, has_lines=True))


def _visit_llvm(module: Module, visit: Callable[[str, Code], None], observers: Sequence[Observer]) -> None:
    """Show what LLVM makes of the kernels before they are PTX, pass by pass and at its optimiser's end."""
    views = [view for view in module.body.operations if view.operation.name == "gpu.module"]
    texts = [assembly_of(view.operation) for view in views]
    for text in texts if observers else ():
        watch(text, observers)
    for text in texts:
        visit("optimized-llvm", str(optimised(text)))
