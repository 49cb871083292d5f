"""`weft build`: functions of Python modules as libraries for C."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..dialect.errors import WeftError, WeftTypeError, WeftValueError

_KINDS = {
    **dict.fromkeys((".so", ".dylib", ".dll"), "shared"),
    ".a": "static",
    ".o": "object",
    ".wasm": "wasm",
    ".ll": "llvm",
}
"""What is made, by the ending of its name."""

_EPILOG = """\
examples:
  weft build package.module:predict --spec 'f32[?,8]' -o build/libpredict.so
  weft build package.module:fit package.module:predict -o libmodel.a     (both have an input_signature)

The header and a manifest are written beside it. Exit status: 0, 1 where that cannot be made of the functions or
there is no linker, 2 for options that are missing or unknown.
"""


def add_build_command(commands: Any) -> None:
    """Add the arguments of the command."""
    parser = commands.add_parser(
        "build",
        help="a library for C from functions of a Python module",
        description="Compile functions of Python modules to a library that needs no Python, with a header for C.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("functions", nargs="+", metavar="module:function", help="what is exported")
    parser.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="TYPE",
        help="an argument's type, as in 'f32[?,3]', or a constant, as in 3 or \"{'w': f32[3]}\"; functions with an "
        "input_signature need none",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="what is written: a .so, .dylib, .dll, .a, .o, .wasm or .ll file",
    )
    parser.add_argument("--name", help="of a single function in C; its own name, if none is given")
    parser.add_argument("--library", help="of all of it; that of the file, if none is given")
    parser.add_argument(
        "--target",
        help="the processor, or level of processors; x86-64-v2 or aarch64, if none is given; of several "
        "levels with commas, the highest that a machine has runs there",
    )
    parser.add_argument(
        "--lapack", help="the LAPACK that linear algebra calls: system, openblas, mkl, or another library"
    )
    parser.add_argument("--threads", action="store_true", help="share loops among threads")
    parser.add_argument(
        "--checked", action="store_true", help="let functions look at the arrays that they are given"
    )
    parser.add_argument(
        "--linker",
        help="what links shared libraries, instead of CC or cc: a compiler, or zig, which links for any system",
    )


def build(wanted: argparse.Namespace) -> int:
    """Run the command; returns the exit status."""
    try:
        files = _build(wanted)
    except WeftError as error:
        print(f"weft: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"weft: cannot write {wanted.output}: {error.strerror}", file=sys.stderr)
        return 1
    print("\n".join(files.values()))
    return 0


def _build(wanted: argparse.Namespace) -> dict[str, str]:
    from ..backend.cpu.export.interface import c_name
    from ..frontend.artifacts.export.exporting import Options, export_files
    from ..frontend.artifacts.references import concrete_function
    from .python_functions import is_function_reference

    output = Path(wanted.output)
    if output.suffix not in _KINDS:
        raise WeftValueError(f"{wanted.output} ends in none of {', '.join(_KINDS)}, which tell what to make")
    several = len(wanted.functions) > 1
    if several and (wanted.spec or wanted.name):
        raise WeftValueError(
            "--spec and --name are for one function; let several have an input_signature each"
        )
    functions = {}
    for reference in wanted.functions:
        if not is_function_reference(reference):
            raise WeftValueError(f"{reference!r} names no function: write package.module:function")
        name = wanted.name or reference.rpartition(":")[2].rpartition(".")[2]
        if name in functions:
            raise WeftValueError(f"two functions are called {name}")
        try:
            functions[name] = concrete_function(reference, wanted.spec)
        except WeftTypeError as error:
            if "missing a required argument" not in str(error):
                raise
            raise WeftTypeError(
                f"{error}: tell its type by --spec, or let the function have an input_signature"
            ) from error
    kind = _KINDS[output.suffix]
    stem = output.stem if kind in ("object", "llvm", "wasm") else output.stem.removeprefix("lib")
    options = Options(
        kind, wanted.target, wanted.threads, wanted.checked, wanted.linker, wanted.lapack, output.name
    )
    return export_files(output.parent, functions, wanted.library or c_name(stem), options)
