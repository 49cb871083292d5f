"""Passes and ops from outside of weft: modules that `--load-pass-plugin` names, and what installed packages announce.

A package announces its passes in the entry point group `weft.passes`, as `name = "module:Class"`, and the modules that
define its ops in `weft.ops`. These are looked for when a name turns up that weft does not have, as to look takes 25 ms.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..dialect.errors import WeftValueError
from ..dialect.op import OPS
from ..passes.base import Pass
from ..passes.registry import Entry, PassTable, load_pass
from .upstream_passes import UPSTREAM

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PASSES_GROUP = "weft.passes"
OPS_GROUP = "weft.ops"

OUTSIDE: dict[str, Entry] = {}
"""The passes that were loaded, by their names."""

_WORD = re.compile(r"[A-Za-z][\w-]*")
_OP = re.compile(r'(?<![!#\w.])"?weft\.(\w+)\b(?!\s*=)')
"""An op of the dialect, and neither a type nor an attribute of it."""


def load_plugins(names: Sequence[str], known: Iterable[str]) -> None:
    """Import the modules of `--load-pass-plugin` and register their passes; their ops register themselves.

    `known` are the passes that there are. Raises `WeftValueError` for what cannot be imported, for a module that has
    neither passes nor ops, and for a pass whose name is taken.
    """
    for name in names:
        option, ops_before = f"--load-pass-plugin={name}", len(OPS)
        module = _imported(name, option)
        passes = list(_passes_of(module))
        own_ops = [
            op for op in OPS.values() if op.__module__.partition(".")[0] == module.__name__.partition(".")[0]
        ]
        if not passes and not own_ops and len(OPS) == ops_before:
            raise WeftValueError(
                f"{option}: the module has no class that is a weft Pass with a name, and defines no op"
            )
        for pass_class in passes:
            place = f"{pass_class.__module__}:{pass_class.__qualname__}"
            taken = pass_class.name in known or pass_class.name in UPSTREAM
            if taken and OUTSIDE.get(pass_class.name) != Entry(place):
                raise WeftValueError(
                    f"{option}: there is a pass {pass_class.name} already; call yours something else"
                )
            OUTSIDE[pass_class.name] = Entry(place)


def _passes_of(module: ModuleType) -> Iterator[type[Pass]]:
    for value in vars(module).values():
        is_pass = isinstance(value, type) and issubclass(value, Pass) and "name" in vars(value)
        if is_pass and not value.__module__.startswith("weft."):
            yield value


def _imported(name: str, option: str) -> ModuleType:
    """A module by its name, or by its path where it ends in `.py`."""
    try:
        if not name.endswith(".py"):
            return importlib.import_module(name)
        stem = Path(name).stem
        if stem in sys.modules:
            return sys.modules[stem]
        spec = importlib.util.spec_from_file_location(stem, name)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[stem] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[stem]
            raise
        return module
    except ModuleNotFoundError as error:
        if error.name and name.split(".")[: len(error.name.split("."))] == error.name.split("."):
            where = "give a module that Python finds (PYTHONPATH, or pip install), or the path of a .py file"
            raise WeftValueError(f"{option}: there is no module {error.name}; {where}") from error
        raise WeftValueError(
            f"{option} needs {error.name}, which is not installed: {_line(error)}"
        ) from error
    except FileNotFoundError as error:
        raise WeftValueError(f"{option}: there is no such file") from error
    except Exception as error:
        raise WeftValueError(
            f"{option} fails as it is imported: {type(error).__name__}: {error}{_line(error)}"
        ) from error


def _line(error: BaseException) -> str:
    """Where the module was when it failed: its innermost line that is not the import machinery's or weft's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        f
        for f in frames
        if not f.filename.startswith("<") and f.name != "_imported" and "weft/tools" not in f.filename
    ]
    return f" ({own[-1].filename}:{own[-1].lineno})" if own else ""


def add_installed_passes(text: str, known: Iterable[str]) -> None:
    """Register the passes of installed packages, if a text of a pipeline names what is none of weft's or upstream's."""
    if not set(_WORD.findall(text)).issubset({*known, *UPSTREAM, "builtin", "module", "func", "any"}):
        add_all_passes(known)


def add_all_passes(known: Iterable[str]) -> None:
    """Register the passes of all installed packages; those of weft keep their names."""
    for point in _entry_points(PASSES_GROUP):
        if point.name not in known:
            OUTSIDE.setdefault(point.name, Entry(point.value))


def loaded_pass(name: str, table: PassTable) -> type[Pass]:
    """The class of a pass; raises `WeftValueError`, which names where it comes from, for one that cannot be loaded."""
    if name not in OUTSIDE:
        return load_pass(name, table)
    try:
        return load_pass(name, table)
    except Exception as error:
        raise WeftValueError(
            f"the pass {name} cannot be loaded from {OUTSIDE[name].place}: "
            f"{type(error).__name__}: {error}{_line(error)}"
        ) from error


def add_installed_ops(text: str) -> None:
    """Import the modules in which installed packages define ops, if a text has one that weft does not have."""
    if not {*_OP.findall(text)}.issubset(OPS):
        add_all_ops()


def add_all_ops() -> None:
    """Import the modules in which installed packages define ops."""
    for point in _entry_points(OPS_GROUP):
        load_entry_point(point)


def load_entry_point(point: EntryPoint) -> Any:
    """What an installed package announces.

    Raises `WeftValueError`, which names the package.
    """
    try:
        return point.load()
    except Exception as error:
        package = point.dist.name if point.dist else point.value
        raise WeftValueError(
            f"{point.value}, which the installed package {package} has in {point.group}, cannot be loaded: "
            f"{type(error).__name__}: {error}{_line(error)}; update or remove it (pip uninstall {package})"
        ) from error


def outside_of(note: str) -> str:
    """Whose error an exception is, by what was done then: that of a pass from outside, or weft's own."""
    name = note.removeprefix("while running ").partition("{")[0]
    return f"error of {OUTSIDE[name].place}" if name in OUTSIDE else "internal error"


def _entry_points(group: str) -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=group)
