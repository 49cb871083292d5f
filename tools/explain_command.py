"""`weft explain`: what became of a function of a Python module, in sentences or on a page."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..dialect.errors import WeftError, WeftTypeError, WeftValueError

_EPILOG = """\
examples:
  weft explain package.module:softmax --spec 'f32[?,?]'                     prints the sentences
  weft explain package.module:softmax --spec 'f32[?,?]' -o softmax.html     writes a page for a browser
  weft explain package.module:softmax --spec 'f32[?,?]' --open              shows it in one
  weft explain package.module:softmax --spec 'f32[?,?]' --passes --line 12  what each pass did to it
  weft explain package.module:fit -o fit.html                               (it has an input_signature)

Exit status: 0, 1 where the function cannot be compiled or the page not be written, 2 for options that are missing or
unknown.
"""


def add_explain_command(commands: Any) -> None:
    """Add the arguments of the command."""
    parser = commands.add_parser(
        "explain",
        help="what became of a function of a Python module: sentences, or a page with every stage",
        description="Compile a function of a Python module, and say or show what became of its lines.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("function", metavar="module:function", help="what is explained")
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
        metavar="FILE",
        help="write a page: every stage and pass beside the Python lines, in one .html file",
    )
    parser.add_argument(
        "--open", action="store_true", help="show the page in a browser; without -o it is a temporary file"
    )
    parser.add_argument(
        "--target",
        default="native",
        help="the machine to compile for, if not this one: a level of processors, or a GPU as sm_90a",
    )
    parser.add_argument(
        "--passes",
        action="store_true",
        help="print what each pass changed instead, weft's, MLIR's and LLVM's, with the rewrites that did it",
    )
    parser.add_argument(
        "--line", type=int, metavar="N", help="print only what is about a line of the program"
    )
    parser.add_argument(
        "--no-passes", action="store_true", help="leave what each pass changed out of the page"
    )


def explain(wanted: argparse.Namespace) -> int:
    """Run the command; returns the exit status."""
    try:
        print(_explain(wanted))
    except WeftError as error:
        print(f"weft: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"weft: cannot write {wanted.output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _explain(wanted: argparse.Namespace) -> str:
    from ..frontend.artifacts.references import explained, traced_for
    from .python_functions import is_function_reference

    reference = wanted.function
    if not is_function_reference(reference):
        raise WeftValueError(f"{reference!r} names no function: write package.module:function")
    with explained(reference):
        try:
            concrete = traced_for(reference, wanted.spec, wanted.target)
        except WeftTypeError as error:
            if "missing a required argument" not in str(error):
                raise
            raise WeftTypeError(
                f"{error}: tell its type by --spec, as in --spec 'f32[?,3]', or let the function have an "
                "input_signature"
            ) from error
    if wanted.output is None and not wanted.open:
        return _told(concrete, wanted)
    if wanted.passes or wanted.line is not None:
        raise WeftValueError(
            "--passes and --line are for what is printed: the page of -o and --open has all passes and lines"
        )
    path = wanted.output or os.path.join(tempfile.mkdtemp(prefix="weft-"), f"{concrete.name}.html")
    size = concrete.save_html(path, passes=not wanted.no_passes)
    if wanted.open:
        _open(path)
    return f"{path}: {size:,} bytes"


def _open(path: str) -> None:
    """Show a page in the browser of this machine."""
    import webbrowser  # few pages are opened from here

    if not webbrowser.open(Path(os.path.abspath(path)).as_uri()):
        raise WeftValueError(
            f"there is no browser here that could show {path}, which is written: copy it to a machine that has one, or "
            "name one in the variable BROWSER"
        )


def _told(concrete: Any, wanted: argparse.Namespace) -> str:
    """What is printed: what passes changed, or sentences."""
    if wanted.passes:
        from ..frontend.pages.pass_text import passes_text

        return passes_text(concrete, wanted.line)
    return str(concrete.explain() if wanted.line is None else concrete.explain().about(wanted.line))
