"""Imports of much code: all at once, or not before it is needed.

A room whose modules most programs do not need says so in its `__init__.py`, by `load_on_first_use`. Other modules
import such a module as a module, `from ..exceptions import tries`, and the first `tries.try_` loads it; a name that is
imported from it, as in `from ..exceptions.tries import try_`, loads it at once. A package of which users take names has
them from `names_on_first_use`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Do not look for garbage inside of the `with` block: what is imported stays.

    Python would look through all new objects again and again, which takes as long as half of the imports. Afterwards it
    takes them for old ones, as if it had looked.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # the user's own frozen objects stay so
            gc.freeze()
            gc.unfreeze()
        gc.enable()


_has_begun: list[bool] = []


@contextlib.contextmanager
def uncollected_once() -> Iterator[None]:
    """As `uncollected`, for the first block of a process alone: the first compilation imports something all along."""
    is_first = not _has_begun
    _has_begun[:] = [True]
    with uncollected() if is_first else contextlib.nullcontext():
        yield


_KNOWN_BEFORE = {"__class__", "__name__", "__spec__", "_describe", "_load"}
"""What Python's imports ask of a module that is there, and what loads it."""


class _Unloaded(ModuleType):
    """A module that is loaded when something is asked of it: a name of its own, or all that it has, as by `vars`.

    Not `importlib.util.LazyLoader`: it looks for the file at once, and before Python 3.12 other threads see half a
    module.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        super().__getattribute__("__dict__")["_lock"] = threading.RLock()

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__
        if name not in _KNOWN_BEFORE:
            with found("_lock"):  # other threads wait until all is there
                if found("__spec__") is None:
                    self._load()
        return ModuleType.__getattribute__(self, name)

    def _load(self) -> None:
        package = sys.modules[self.__name__.rpartition(".")[0]]
        spec = PathFinder.find_spec(self.__name__, package.__path__)
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(f"No module named {self.__name__!r}", name=self.__name__)
        self._describe(spec)
        try:
            with uncollected():
                spec.loader.exec_module(self)
        except BaseException:
            self.__spec__ = None  # the next who asks gets the same error
            raise
        self.__class__ = ModuleType  # type: ignore[assignment]

    def _describe(self, spec: ModuleSpec) -> None:
        """Set what importing a module sets."""
        self.__spec__, self.__loader__, self.__package__ = spec, spec.loader, spec.parent
        self.__dict__.update(__file__=spec.origin, __cached__=spec.cached)
        if spec.submodule_search_locations is not None:  # a package
            self.__path__ = spec.submodule_search_locations


def load_on_first_use(package: str, *names: str) -> None:
    """Let modules of a package be loaded when something of them is used, and not when they are imported."""
    for name in names:
        module = _Unloaded(f"{package}.{name}")
        if sys.modules.setdefault(module.__name__, module) is module:
            setattr(sys.modules[package], name, module)


def is_loaded(module: ModuleType) -> bool:
    """Whether a module is loaded: as long as it is not, there are no objects of its classes."""
    return type(module) is not _Unloaded


class _Awaited:
    """Looks for one module as Python does, and does something with it when it has been imported."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module's own spec, whose loader is followed by what is to be done."""
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        loader = None if spec is None else spec.loader
        if loader is not None:
            run = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                del loader.exec_module
                run(module)
                self._then(module)

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def when_imported(name: str, then: Callable[[ModuleType], None]) -> None:
    """Do something with a module of another package: now if it is imported, else when it will be, which may be never.

    >>> when_imported("sys", lambda module: print(module.__name__))
    sys
    """
    module = sys.modules.get(name)
    if module is None:
        sys.meta_path.insert(0, _Awaited(name, then))
    else:
        then(module)


def names_on_first_use(
    package: dict[str, Any], names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions `__getattr__` and `__dir__` of a package, and `__all__`; its names are loaded when they are used.

    `package` are its globals, `names` tells for each module what is in it, as in `{".graphs": "graph"}`. What type
    checkers read is the stub beside the package, which `docs/generate.py` makes.
    """
    modules = {name: module for module, found in names.items() for name in found.split()}
    own = package["__name__"]

    def __getattr__(name: str) -> Any:
        if name not in modules:
            from .errors import no_attribute

            raise no_attribute(f"module {own!r} has no attribute {name!r}", name, modules)
        value = package[name] = getattr(importlib.import_module(modules[name], own), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*package, *modules})

    return __getattr__, __dir__, sorted(modules)
