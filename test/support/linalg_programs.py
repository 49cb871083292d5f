"""Linalg-stage programs that several tests of the CPU backend run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.backend.compiler import backend_text, machine_code
from weft.backend.executables import loaded
from weft.backend.gpu.devices.names import CPU
from weft.backend.gpu.devices.targets import target_of
from weft.backend.planning.failures import find
from weft.dialect.callbacks import Callback
from weft.dialect.loops import INTERRUPTIBLE
from weft.dialect.mlir import Module, ir
from weft.dialect.register import context
from weft.frontend.settings import settings

if TYPE_CHECKING:
    from weft.backend.executables import AnyExecutable


def compile_module(
    module: Module, name: str, callbacks: Sequence[Callback] = (), **options: Any
) -> AnyExecutable:
    """Compile a function of a linalg-stage module, with the verifier on; the module is used up.

    It runs where the setting `device` says.
    """
    device = None if settings.device == CPU else settings.device
    return loaded(machine_code(module, name, target_of(device), verify=True, **options), callbacks, device)


def stage_text(text: str, stage: str) -> str:
    """A linalg-stage program at a stage of the backend."""
    with context(), ir.Location.unknown():
        return backend_text(ir.Module.parse(text).operation, stage)


def compile_text(text: str, name: str = "f", *, interruptible: bool = False, **options: Any) -> AnyExecutable:
    """Compile a linalg-stage program, with the verifier on; its loops can be those of the program itself."""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        for loop in [*find(module.operation, "scf.for"), *find(module.operation, "scf.while")]:
            if interruptible:
                loop.attributes[INTERRUPTIBLE] = ir.UnitAttr.get()
        return compile_module(module, name, **options)


def matmul_chain(length: int) -> str:
    """a @ b @ b ... on 10 x 10 integers."""
    matrix = "tensor<10x10xi32>"
    lines, current = ["%zero = arith.constant 0 : i32"], "%a"
    for i in range(length):
        lines += [
            f"%e{i} = tensor.empty() : {matrix}",
            f"%c{i} = linalg.fill ins(%zero : i32) outs(%e{i} : {matrix}) -> {matrix}",
            f"%y{i} = linalg.matmul ins({current}, %b : {matrix}, {matrix}) outs(%c{i} : {matrix}) -> {matrix}",
        ]
        current = f"%y{i}"
    body = "\n".join(lines)
    return f"func.func @f(%a: {matrix}, %b: {matrix}) -> {matrix} {{\n{body}\nreturn {current} : {matrix}\n}}"


def elementwise(shape: str, element: str, operation: str, dims: str = "") -> str:
    """y = operation(x) on vectors; `operation` computes %r from %a."""
    tensor = f"tensor<{shape}x{element}>"
    size = "" if not dims else "%c0 = arith.constant 0 : index\n%n = tensor.dim %x, %c0 : " + tensor
    return f"""
    #id = affine_map<(i) -> (i)>
    func.func @f(%x: {tensor}) -> {tensor} {{
      {size}
      %e = tensor.empty({dims}) : {tensor}
      %y = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
          ins(%x : {tensor}) outs(%e : {tensor}) {{
      ^bb0(%a: {element}, %out: {element}):
        {operation}
        linalg.yield %r : {element}
      }} -> {tensor}
      return %y : {tensor}
    }}"""


def power(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], length: int) -> np.ndarray[Any, Any]:
    """What `matmul_chain` computes."""
    for _ in range(length):
        a = a @ b
    return a
