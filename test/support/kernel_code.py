"""Compile single kernels from linalg text and call them on arrays, without the rest of the backend."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from weft.backend.cpu.execution.symbols import addresses
from weft.backend.cpu.machine import llvm
from weft.backend.cpu.machine.code import Code
from weft.backend.cpu.pipeline import ALL_PASSES, steps_of
from weft.backend.llvm_compatibility.translation import REPAIRS, translate
from weft.dialect.mlir import Module, ir
from weft.dialect.register import context
from weft.passes.pipeline import run_pipeline, run_text_passes

MLIR_TYPES = {
    "bool": "i8",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
}


@dataclass
class Tensor:
    """A value in the text of a kernel."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    dynamic: bool

    @property
    def element(self) -> str:
        """The element type in MLIR."""
        return MLIR_TYPES[self.dtype]

    def type(self, kind: str) -> str:
        """The type as tensor or memref."""
        sizes = ["?" if self.dynamic else str(size) for size in self.shape]
        return f"{kind}<{'x'.join([*sizes, self.element])}>"


@dataclass
class KernelText:
    """Builds the text of a function `kernel` on memrefs; with `dynamic` no size is known to the compiler."""

    dynamic: bool = False
    arguments: list[Tensor] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def argument(self, shape: Sequence[int], dtype: str) -> Tensor:
        """An input."""
        memref = self._argument(shape, dtype)
        tensor = Tensor(self._name(), memref.shape, dtype, self.dynamic)
        self.lines.append(
            f"{tensor.name} = bufferization.to_tensor {memref.name} restrict :"
            f" {memref.type('memref')} to {tensor.type('tensor')}"
        )
        return tensor

    def result(self, value: Tensor) -> None:
        """Store a value in a further argument."""
        memref = self._argument(value.shape, value.dtype)
        self.lines.append(
            f"bufferization.materialize_in_destination {value.name} in restrict writable {memref.name} :"
            f" ({value.type('tensor')}, {memref.type('memref')}) -> ()"
        )

    def generic(
        self,
        inputs: Sequence[Tensor],
        maps: Sequence[str],
        body: str,
        shape: Sequence[int],
        dtype: str,
        initial: str | None = None,
    ) -> Tensor:
        """A linalg.generic: `maps` are strings of loop letters like "ik", "kj", "ij", the last one is the result.

        The body uses %x0, %x1, ... and %acc, and ends with a yield; letters that the result lacks are summed over.
        """
        *_, last = maps
        letters = list(dict.fromkeys("".join([last, *maps])))
        result = Tensor(self._name(), tuple(shape), dtype, self.dynamic)
        destination = self._empty(result, inputs, maps)
        if initial is not None:
            destination = self._filled(destination, result, initial)
        kinds = ", ".join('"parallel"' if letter in last else '"reduction"' for letter in letters)
        affine = ", ".join(f"affine_map<({', '.join(letters)}) -> ({', '.join(map_)})>" for map_ in maps)
        arguments = ", ".join(
            [f"%x{number}: {value.element}" for number, value in enumerate(inputs)]
            + [f"%acc: {result.element}"]
        )
        names = ", ".join(value.name for value in inputs)
        types = ", ".join(value.type("tensor") for value in inputs)
        ins = f"ins({names} : {types}) " if inputs else ""
        self.lines.append(
            f"{result.name} = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}} {ins}"
            f"outs({destination} : {result.type('tensor')}) {{\n^bb0({arguments}):\n{body}\n}}"
            f" -> {result.type('tensor')}"
        )
        return result

    def text(self) -> str:
        """The module."""
        arguments = ", ".join(f"{memref.name}: {memref.type('memref')}" for memref in self.arguments)
        body = "\n".join(self.lines)
        return f"func.func @kernel({arguments}) {{\n{body}\nreturn\n}}"

    def compile(self) -> Callable[..., None]:
        """The kernel as a function of arrays: inputs, then results, in the order in which they were made."""
        return compile_kernel(self.text())

    def _argument(self, shape: Sequence[int], dtype: str) -> Tensor:
        memref = Tensor(f"%arg{len(self.arguments)}", tuple(shape), dtype, self.dynamic)
        self.arguments.append(memref)
        return memref

    def _name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _empty(self, result: Tensor, inputs: Sequence[Tensor], maps: Sequence[str]) -> str:
        name, sizes = self._name(), []
        for letter in maps[-1] if self.dynamic else "":
            source, axis = next(
                (v, m.index(letter)) for v, m in zip(inputs, maps, strict=False) if letter in m
            )
            size = self._name()
            self.lines.append(f"{size}_axis = arith.constant {axis} : index")
            self.lines.append(f"{size} = tensor.dim {source.name}, {size}_axis : {source.type('tensor')}")
            sizes.append(size)
        self.lines.append(f"{name} = tensor.empty({', '.join(sizes)}) : {result.type('tensor')}")
        return name

    def _filled(self, destination: str, result: Tensor, initial: str) -> str:
        name, type = self._name(), result.type("tensor")
        constant = f"arith.constant {initial}"
        if "complex" in result.dtype:
            part = result.element.removeprefix("complex<").removesuffix(">")
            constant = f"complex.constant [{initial}.0 : {part}, 0.0 : {part}]"
        self.lines.append(f"{name}_scalar = {constant} : {result.element}")
        self.lines.append(
            f"{name} = linalg.fill ins({name}_scalar : {result.element}) outs({destination} : {type}) -> {type}"
        )
        return name


def lower(module: Module, pipeline: str, verify: bool = True) -> None:
    """Run a pipeline of the backend on a module, in place."""
    run_pipeline(module, steps_of(pipeline), passes=ALL_PASSES, verify=verify)


def compile_kernel(text: str, verify: bool = True) -> Callable[..., None]:
    """Compile a module with a function `kernel` on memrefs and bind it to arrays of the right types."""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        lower(module, "buffers-to-loops", verify)
        lower(module, "loops-to-llvm", verify)
        (kernel,) = (op for op in module.body.operations if '"kernel"' in str(op.attributes["sym_name"]))
        takes_pointers = "llvm.bareptr" in kernel.attributes
        assembly = run_text_passes(translate(module), REPAIRS)
    optimised = llvm.optimise(assembly)
    symbols = addresses(llvm.external_symbols(optimised))
    code = Code(llvm.object_code(optimised), ["kernel"], symbols)
    return partial(_call, code, takes_pointers)


def _call(code: Code, takes_pointers: bool, *arrays: np.ndarray[Any, Any]) -> None:
    words = [word for array in arrays for word in _descriptor(array)[: 1 if takes_pointers else None]]
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(words))(code.address("kernel"))(*words)


def _descriptor(array: np.ndarray[Any, Any]) -> list[int]:
    strides = [stride // array.itemsize for stride in array.strides]
    return [array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides]
