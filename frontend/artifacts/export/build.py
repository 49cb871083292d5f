"""`weft.build`: extension modules of compiled functions in packages of others, made by setuptools.

from setuptools import setup
import weft

setup(
    ext_modules=[weft.build.extension("package._kernels", {"softmax": ("package.kernels:softmax", ["f32[?,?]"])})],
    cmdclass={"build_ext": weft.build.build_ext},
)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext as _BuildExtensions

from ....backend.cpu.export.interface import require_c_name
from ....dialect.errors import WeftTypeError, WeftValueError
from ..references import concrete_function
from .exporting import Options, write_extension_sources

LIMITED = sys.version_info >= (3, 11)
"""Whether modules are for this version of Python and all later ones: the first whose limited interface has buffers."""


def extension(
    name: str,
    functions: Mapping[str, Any],
    *,
    target: str | Sequence[str] | None = None,
    threads: bool = False,
    lapack: str | None = None,
) -> CompiledExtension:
    """An extension module for `setup(ext_modules=[...])`, whose functions need neither weft nor Python's compiler.

    `functions` are references by the names that they get: "package.module:function" for one with an
    `input_signature`, or a pair of that and of types, as in `("package.module:scaled", ["f64[?]", "f64"])`. They are
    compiled when the package is built, for `target`, which is a processor that most machines have if none is named;
    of several levels, `["x86-64-v2", "x86-64-v3"]`, the highest that a machine has runs there. `lapack` names what they
    call for linear algebra, as for `weft.export`.
    The module takes arrays by the buffer protocol and returns NumPy's; it raises what the functions raise. Give
    `setup` the argument `cmdclass={"build_ext": weft.build.build_ext}`, too.
    """
    if not functions:
        raise WeftValueError('weft.build.extension: name a function, as in {"pick": "package.kernels:pick"}')
    references = {}
    for function, reference in functions.items():
        require_c_name(function)
        references[function] = _reference(function, reference)
    return CompiledExtension(name, references, Options("object", target, threads, lapack=lapack))


def _reference(name: str, given: Any) -> tuple[str, list[str]]:
    """A function by its name and types."""
    path, specs = given if isinstance(given, tuple) and len(given) == 2 else (given, [])
    if not isinstance(path, str) or ":" not in path:
        raise WeftTypeError(
            f"weft.build.extension: {name} is no 'package.module:function', nor a pair of that and types: {given!r}"
        )
    return path, [specs] if isinstance(specs, str) else list(specs)


class CompiledExtension(Extension):  # type: ignore[misc] # setuptools tells no types
    """An extension module that is not written yet."""

    def __init__(self, name: str, functions: Mapping[str, tuple[str, list[str]]], options: Options) -> None:
        # What fails to be compiled where setup() has no cmdclass.
        needed = "setup() needs cmdclass={'build_ext': weft.build.build_ext}"
        macros: list[tuple[str, str | None]] = [("Py_LIMITED_API", "0x030B0000")] if LIMITED else []
        super().__init__(name, sources=[needed], define_macros=macros, py_limited_api=LIMITED)
        self.functions = functions
        self.options = options


class build_ext(_BuildExtensions):  # type: ignore[misc] # as above
    """The command of setuptools that builds extension modules, those of weft, too."""

    extensions: list[Extension] | None

    def get_source_files(self) -> list[str]:
        """The sources that there are before anything is built."""
        own = self.extensions
        self.extensions = [e for e in own or () if not isinstance(e, CompiledExtension)]
        try:
            found: list[str] = super().get_source_files()
        finally:
            self.extensions = own
        return found

    def build_extension(self, ext: Extension) -> None:
        """Compile the functions, and then the module around them."""
        if isinstance(ext, CompiledExtension):
            folder = Path(self.build_temp, *ext.name.split("."))
            self._find_packages()
            concretes = {
                name: concrete_function(path, specs) for name, (path, specs) in ext.functions.items()
            }
            module = ext.name.rpartition(".")[2]
            source, built, libraries = write_extension_sources(folder, module, concretes, ext.options)
            ext.sources = [str(source)]
            ext.extra_objects = [*(ext.extra_objects or ()), str(built)]
            ext.libraries = [*(ext.libraries or ()), *libraries]
        super().build_extension(ext)

    def _find_packages(self) -> None:
        """Let the packages that are being built be imported."""
        folders: Mapping[str, str] = self.distribution.package_dir or {}
        for folder in (folders.get("", ""), ""):
            path = os.path.abspath(folder)
            if path not in sys.path:
                sys.path.insert(0, path)


__all__ = ["CompiledExtension", "build_ext", "extension"]
