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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext as _BuildExtensions

from ....backend.cpu.export.interface import require_c_name
from ....dialect.errors import WeftTypeError
from ..references import concrete_function
from .exporting import Options, write_extension_sources

LIMITED = sys.version_info >= (3, 11)
"""Whether modules are for this version of Python and all later ones: the first whose limited interface has buffers."""


def extension(
    name: str,
    functions: Mapping[str, Any],
    *,
    target: str | None = None,
    threads: bool = False,
) -> CompiledExtension:
    """An extension module for `setup(ext_modules=[...])`, whose functions need neither weft nor Python's compiler.

    `functions` are references by the names that they get: "package.module:function" for one with an
    `input_signature`, or a pair of that and of types, as in `("package.module:scaled", ["f64[?]", "f64"])`. They are
    compiled when the package is built, for `target`, which is a processor that most machines have if none is named.
    The module takes arrays by the buffer protocol and returns NumPy's; it raises what the functions raise. Give
    `setup` the argument `cmdclass={"build_ext": weft.build.build_ext}`, too.
    """
    for function, reference in functions.items():
        require_c_name(function)
        if not isinstance(reference, (str, tuple)):
            raise WeftTypeError(
                f"weft.build.extension: {function} is no 'package.module:function', nor a pair of that and types: "
                f"{reference!r}"
            )
    return CompiledExtension(name, dict(functions), Options("object", target, threads))


class CompiledExtension(Extension):  # type: ignore[misc]
    """An extension module that is not written yet."""

    def __init__(self, name: str, functions: Mapping[str, Any], options: Options) -> None:
        # What fails to be compiled where setup() has no cmdclass.
        needed = "setup() needs cmdclass={'build_ext': weft.build.build_ext}"
        macros: list[tuple[str, str | None]] = [("Py_LIMITED_API", "0x030B0000")] if LIMITED else []
        super().__init__(name, sources=[needed], define_macros=macros, py_limited_api=LIMITED)
        self.functions = functions
        self.options = options


class build_ext(_BuildExtensions):  # type: ignore[misc]
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
            concretes = {}
            for name, reference in ext.functions.items():
                path, specs = (reference, ()) if isinstance(reference, str) else reference
                concretes[name] = concrete_function(path, list(specs))
            module = ext.name.rpartition(".")[2]
            source, built = write_extension_sources(folder, module, concretes, ext.options)
            ext.sources = [str(source)]
            ext.extra_objects = [*(ext.extra_objects or ()), str(built)]
        super().build_extension(ext)

    def _find_packages(self) -> None:
        """Let the packages that are being built be imported."""
        folders: Mapping[str, str] = self.distribution.package_dir or {}
        for folder in (folders.get("", ""), ""):
            path = os.path.abspath(folder)
            if path not in sys.path:
                sys.path.insert(0, path)


__all__ = ["CompiledExtension", "build_ext", "extension"]
