"""The lowering of the weft dialect to linalg on tensors, one module per op family."""

from __future__ import annotations

import importlib
import pkgutil

from ...dialect.op import Op
from ...dialect.ops import FAMILIES
from .conversion import LOWERINGS, Lowering

_FILES = {
    "arrangement": ("shape",),
    "comparison": ("elementwise",),
    "elementary": ("elementwise",),
    "fourier": ("ufunc_loops",),
    "linear_algebra": ("ufunc_loops",),
    "overflow": ("elementwise",),
    "reductions": ("reductions", "arg_reductions"),
    "shape": ("shape", "reshapes"),
    "slicing": ("indexing",),
    "special": ("elementwise",),
}
"""Where the ops of a family are lowered, if not in the file of the same name: most programs need few of the files."""


def lowering_of(op_class: type[Op]) -> Lowering | None:
    """What lowers an op to linalg; None for ops that are not lowered."""
    if op_class not in LOWERINGS:
        for file in files_of(op_class):
            importlib.import_module(f"{__name__}.{file}")
        if op_class.lowering:
            importlib.import_module(op_class.lowering)
    return LOWERINGS.get(op_class)


def files_of(op_class: type[Op]) -> tuple[str, ...]:
    """The modules that lower the ops of a family."""
    family = op_class.__module__.rpartition(".")[2]
    return _FILES.get(family, (family,)) if family in FAMILIES else ()


def load_families() -> None:
    """Register the lowerings of all families."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


__all__ = ["files_of", "load_families", "lowering_of"]
