"""FileCheck for Python tests: CHECK comments written inside the function whose IR they describe.

@filecheck(stage="optimized", specs=[weft.TensorSpec((4,), "float32")])
def test_double_negation(x):
    # CHECK-LABEL: func.func @test_double_negation
    # CHECK-NOT: weft.negative
    return -(-x)
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Sequence
from typing import Any

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

import weft


def check_text(
    text: str, directives: str, *, file: str = "<directives>", first_line: int = 1, prefix: str = "CHECK"
) -> None:
    """Match `text` against the CHECK lines in `directives`, the lines of `file` from `first_line` on.

    On a mismatch, AssertionError shows the directive with its file and line, where the search stood, and the
    whole text. Directives that hold no CHECK line are a mismatch too.

    >>> check_text("one two three", "CHECK: two")
    """
    __tracebackhide__ = True
    options = Options(match_filename=file, check_prefixes=[prefix])
    numbered_as_in_file = "\n" * (first_line - 1) + directives
    parser = Parser(options, io.StringIO(numbered_as_in_file), *pattern_for_opts(options))
    matcher = Matcher(options, FInput("<text>", FInput.canonicalize_line_ends(text)), parser)
    matcher.stderr = report = io.StringIO()
    if matcher.run() != 0:
        raise AssertionError(f"{report.getvalue().rstrip()}\n\n--- the whole text ---\n{text}")


def filecheck(
    *, stage: str, specs: Sequence[Any] = (), prefix: str = "CHECK", **options: Any
) -> Callable[[Callable[..., Any]], Callable[[], None]]:
    """Turn a function with CHECK comments in its body into a test of the IR that weft makes of it.

    The function is compiled by `weft.function(**options)` for `specs` (TensorSpecs or example values), and
    the text of `stage` is matched against the comments. What pytest collects takes no arguments.
    """

    def decorate(function: Callable[..., Any]) -> Callable[[], None]:
        def test() -> None:
            __tracebackhide__ = True
            concrete = weft.function(function, **options).get_concrete_function(*specs)
            lines, first_line = inspect.getsourcelines(function)
            file = inspect.getsourcefile(function) or "<unknown>"
            check_text(
                concrete.as_text(stage), "".join(lines), file=file, first_line=first_line, prefix=prefix
            )

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(test, name, getattr(function, name))
        return test

    return decorate
