"""`%load_ext weft`: the cell magic `%%weft`, which compiles the functions of a cell and shows what they became."""

from __future__ import annotations

import ast
import html
import importlib
import sys
from types import FunctionType
from typing import Any

from ...dialect.errors import WeftValueError
from ..compiling.explanation import Decision
from ..function import Function, function
from .tinted import tinted

_USAGE = "%%weft [-a | --annotate]: compile the functions of the cell; with -a, show what its lines became"


def load_ipython_extension(shell: Any) -> None:
    """Make `%%weft` known to IPython: this is what `%load_ext weft` calls.

    >>> from types import SimpleNamespace
    >>> magics = []
    >>> weft.load_ipython_extension(SimpleNamespace(register_magic_function=lambda *magic: magics.append(magic)))
    >>> [(function.__name__, kind) for function, kind in magics]
    [('weft', 'cell')]
    """

    def weft(line: str, cell: str) -> Any:
        __tracebackhide__ = True
        return run_cell(shell, line, cell)

    weft.__doc__ = run_cell.__doc__
    shell.register_magic_function(weft, "cell")


def run_cell(shell: Any, line: str, cell: str) -> Any:
    """Run a cell whose functions are compiled; with `-a` show its lines, tinted by what they became.

    All functions that the cell defines at its top are made `weft.function`s, but for those with decorators and methods.
    What was compiled by calls in the cell is shown. Raises `ValueError` for other options.
    """
    __tracebackhide__ = True
    options = line.split()
    unknown = [option for option in options if option not in ("-a", "--annotate")]
    if unknown:
        raise WeftValueError(f"%%weft has no option {unknown[0]!r}; {_USAGE}")
    source = shell.transform_cell(cell)
    file = shell.compile.cache(source, _number(shell), raw_code=cell)
    *statements, last = ast.parse(source, filename=file).body or [ast.Pass()]
    ends_in_value = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
    compiled = _run(shell, file, statements if ends_in_value else [*statements, last])
    value = None
    if isinstance(last, ast.Expr) and ends_in_value:
        value = eval(compile(ast.Expression(last.value), file, "eval", dont_inherit=True), shell.user_ns)
    if options:
        _show(source, file, compiled)
    return value


def _run(shell: Any, file: str, statements: list[ast.stmt]) -> list[Function[Any, Any]]:
    """Run statements one by one; functions are compiled where they are defined. Returns these and decorated ones."""
    __tracebackhide__ = True
    found: list[Function[Any, Any]] = []
    names = shell.user_ns
    for statement in statements:
        code = compile(ast.Module([statement], []), file, "exec", dont_inherit=True)
        exec(code, names)
        if isinstance(statement, ast.FunctionDef):
            made = names[statement.name]
            if isinstance(made, FunctionType) and not statement.decorator_list:
                made = names[statement.name] = function(made)
            if isinstance(made, Function):
                found.append(made)
    return found


def _number(shell: Any) -> int:
    """The number of the cell that runs, which newer versions of IPython have counted already."""
    numbers: dict[str, int] = getattr(shell.compile, "_filename_map", {})
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename not in numbers:
        frame = frame.f_back  # type: ignore[assignment]
    return numbers[frame.f_code.co_filename] if frame is not None else int(shell.execution_count)


def _show(source: str, file: str, compiled: list[Function[Any, Any]]) -> None:
    show: Any = importlib.import_module("IPython.display").display_html
    decisions: list[Decision] = []
    for made in compiled:
        concretes = made._known.concretes
        if not concretes:
            told = f"{made.name} was not compiled: call it in this cell to see what it becomes."
            show(f"<p>{html.escape(told)}</p>", raw=True)
        decisions += [said for concrete in concretes for said in concrete.explain().decisions]
    show(tinted(source, file, dict.fromkeys(decisions)), raw=True)
