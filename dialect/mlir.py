"""The one place that says where the MLIR Python bindings come from.

Everything else imports `ir`, `PassManager` and the dialect modules from here, and only modules that are loaded
on the first compilation may import this one: `import weft` must not load MLIR.
"""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType
from typing import Any, TypeAlias

from .errors import MissingPackageError
from .imports import uncollected

try:
    from torch_mlir import ir as ir
    from torch_mlir._mlir_libs import _mlir, _mlirDialectsIRDL, _mlirDialectsLLVM
    from torch_mlir.passmanager import PassManager as PassManager
except ImportError as error:
    raise MissingPackageError(
        f"to compile a function needs the package torch-mlir, which `pip install weft` brings along; without it, "
        f"files run that have machine code (weft.save with code=): {error}"
    ) from error

_mlir.globals.dialect_search_modules = [f"{__package__}.untyped", *_mlir.globals.dialect_search_modules]

# The bindings carry no type information; these names document what a function takes all the same.
Value: TypeAlias = Any
Operation: TypeAlias = Any
Module: TypeAlias = Any
Type: TypeAlias = Any
Attribute: TypeAlias = Any
Location: TypeAlias = Any
Block: TypeAlias = Any


def translate_to_llvm(module: Module) -> str:
    """The LLVM assembly of a module in the LLVM dialect; an op of another dialect ends the process."""
    text: str = _mlirDialectsLLVM.translate_module_to_llvmir(module.operation)
    return text


def load_dialects(module: Module) -> None:
    """Define the dialects of a module of IRDL in the module's context."""
    _mlirDialectsIRDL.load_dialects(module)


@cache
def dialect(name: str) -> ModuleType:
    """Import the Python module of an upstream dialect, when it is needed (`linalg` alone costs 30 ms)."""
    with uncollected():
        return importlib.import_module(f"torch_mlir.dialects.{name}")
