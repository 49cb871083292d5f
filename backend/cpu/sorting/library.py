"""The native code of sorting in this process: made when code that sorts is loaded, kept on disk, never freed."""

from __future__ import annotations

import importlib
import inspect
import threading
from collections.abc import Mapping
from types import MappingProxyType

from ...cache.objects import cached_object
from ...target import compiling_for
from ..machine.native_code import link_forever

FUNCTIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "weft_sort_32": ("32", "weft_sort"),
        "weft_sort_64": ("64", "weft_sort"),
        "weft_prepare_32": ("32", "weft_prepare"),
        "weft_prepare_64": ("64", "weft_prepare"),
        "weft_select_32": ("32", "weft_select"),
        "weft_select_64": ("64", "weft_select"),
        "weft_finish_32": ("32", "weft_finish"),
        "weft_finish_64": ("64", "weft_finish"),
        "weft_argsort_32": ("places", "weft_sort"),
        "weft_argsort_64": ("pairs", "weft_sort_pairs"),
    }
)
"""What compiled code calls: which library it is in, and the name there."""

_lock = threading.Lock()
_linked: dict[str, dict[str, int]] = {}


def sorting_address(name: str) -> int:
    """The address of one of the functions."""
    variant, function = FUNCTIONS[name]
    with _lock:
        if variant not in _linked:
            _linked[variant] = _link(variant)
        return _linked[variant][function]


def _link(variant: str) -> dict[str, int]:
    names = [function for owner, function in FUNCTIONS.values() if owner == variant]
    return link_forever(cached_object(_key(variant), lambda: _object_code(variant)), names, (), {})


def _key(variant: str) -> str:
    """What the code is made of: it is not made to find out whether it is there."""
    modules = ("control", "networks", "primitives", "vector_code", "..native_python.translator")
    sources = [_source(f".{module}" if module[0] != "." else module) for module in modules]
    return "\n".join([variant, *sources])


def _source(module: str) -> str:
    package = __package__ or ""
    return inspect.getsource(importlib.import_module(module, package))


def _object_code(variant: str) -> bytes:
    from ..machine.llvm import object_code, optimise

    with compiling_for("native"):
        return object_code(optimise(assembly(variant)))


def assembly(variant: str) -> str:
    """The LLVM assembly of a library, "32", "64", "places" or "pairs"."""
    from ..native_python.translator import translate
    from . import control, intrinsics
    from .primitives import primitives
    from .vector_code import Layout

    layout = {
        "32": Layout(32),
        "64": Layout(64),
        "places": Layout(64, with_places=True),
        "pairs": Layout(64, with_payloads=True),
    }[variant]
    names = [function for owner, function in FUNCTIONS.values() if owner == variant]
    called = [name for name in vars(intrinsics) if not name.startswith("_")]
    return primitives(layout) + translate([control], names, 0, called)


__all__ = ["FUNCTIONS", "assembly", "sorting_address"]
