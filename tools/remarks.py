"""`--remarks-filter`: what passes decided, and why, as remarks at the lines that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ..dialect.errors import WeftValueError
from ..passes.notes import noting
from .diagnostics import STANDARD_INPUT, Collector, Diagnostic


@contextmanager
def remarking(kinds: str, collector: Collector) -> Iterator[None]:
    """Report the decisions of a `with` block whose kinds ("vector", "threads") a regular expression finds.

    >>> from ..passes.notes import note
    >>> with remarking("copy", collector := Collector("a.mlir")):
    ...     note("copy", 'loc("-":3:5)', "is copied")
    ...     note("vector", 'loc("-":3:5)', "runs in vectors of 8")
    >>> collector.diagnostics
    [Diagnostic(severity='remark', file='a.mlir', line=3, column=5, message='copy: an array is copied', notes=())]
    """
    try:
        wanted = re.compile(kinds)
    except re.error as error:
        raise WeftValueError(f"--remarks-filter={kinds} is no regular expression: {error}") from None
    if not kinds:
        yield
        return
    with noting([]) as notes:
        yield
    from ..frontend.compiling.explanation import decisions_of

    for note in dict.fromkeys(notes):
        if wanted.search(note.kind):
            file, line, column, _ = note.place
            (decision,) = decisions_of([note], file)
            place = collector.input_name if file in ("", STANDARD_INPUT) else file
            message = f"{note.kind}: {decision.sentence}"
            collector.diagnostics.append(Diagnostic("remark", place, line, column, message))
