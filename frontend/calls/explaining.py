"""`Function.explain`: what became of a function, with all that is compiled of it now."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...dialect.errors import WeftValueError
from ...passes.notes import CATEGORIES, KINDS, NOWHERE, Note
from ..logs import is_logged, log
from ..settings import settings
from .explained_specialisation import file_of

if TYPE_CHECKING:
    from ..compiling.explanation import Explanation  # which calls do without
    from .concrete import ConcreteFunction
    from .known_specialisations import Compiled, KnownSpecialisations


class Explained:
    """What `Function` tells of itself."""

    __slots__ = ()
    _known: KnownSpecialisations
    name: str
    python_function: Callable[..., Any]

    def explain(self) -> Explanation:
        """What became of the function, in sentences with its lines; prints as text, and shows as HTML in notebooks.

        When and why it was compiled, the last 16 times, and for everything that is compiled now what
        `ConcreteFunction.explain` says. `decisions` of what it returns has the sentences with kind, file and line.

        >>> weft.function(lambda x: x + 1, name="shifted").explain()
        shifted was not compiled yet: call it, or give shifted.get_concrete_function the types of its arguments.
        """
        from ..compiling.explanation import Explanation, decisions_of

        file, summary = file_of(self), self._summary()  # what is explained may be traced once more
        notes = [_note_of(compiled) for compiled in self._known.compiled]
        parts = [concrete.explain() for concrete in self._known.concretes]
        return Explanation(summary, decisions_of(notes, file), parts, file)

    def _repr_html_(self) -> str:
        """What was compiled and why, in notebooks; `explain` says what became of it."""
        from ..compiling.explanation import Explanation, decisions_of

        notes = [_note_of(compiled) for compiled in self._known.compiled]
        signatures = self.pretty_printed_concrete_signatures()
        title = f"{self._summary()}\n\n{signatures}" if signatures else self._summary()
        return Explanation(title, decisions_of(notes, ""))._repr_html_()

    def _summary(self) -> str:
        """How much of it is compiled, in a sentence."""
        count = len(self._known.concretes)
        if not count and not self._known.compiled:
            return (
                f"{self.name} was not compiled yet: call it, or give {self.name}.get_concrete_function the types of "
                "its arguments."
            )
        return (
            f"{self.name}: compiled for {_count(count, 'signature')}, traced "
            f"{_count(self._known.traces, 'time')}, found compiled by {_count(self._known.info().hits, 'call')}"
        )

    def save_html(self, path: str | os.PathLike[str], **options: Any) -> int:
        """Write the page of what was compiled last: `ConcreteFunction.save_html`, with its options.

        Raises `ValueError` where nothing is compiled.

        >>> weft.function(lambda x: x + 1, name="shifted").save_html("shifted.html")
        Traceback (most recent call last):
        ...
        weft.dialect.errors.WeftValueError: shifted was not compiled yet, so there is nothing to show: call it, or \
        give shifted.get_concrete_function the types of its arguments, and write the page of what that returns
        """
        size: int = self._compiled_last("write the page of what that returns").save_html(path, **options)
        return size

    def _compiled_last(self, advice: str) -> Any:
        """What was compiled last. Raises where nothing is, and says what to do with what is made then."""
        concretes = self._known.concretes
        if not concretes:
            raise WeftValueError(
                f"{self.name} was not compiled yet, so there is nothing to show: call it, or give "
                f"{self.name}.get_concrete_function the types of its arguments, and {advice}"
            )
        latest = [found for compiled in self._known.compiled if (found := compiled.concrete()) is not None]
        return [*concretes, *latest][-1]

    def explain_retrace(self) -> str:
        """Why the function was traced last: a first call, other arguments, or what changed outside of them.

        >>> @weft.function
        ... def scaled(x, factor):
        ...     return x * factor
        >>> for factor in (2, 3):
        ...     y = scaled(np.ones(2), factor)
        >>> scaled.explain_retrace()
        "argument 'factor' changed from 2 to 3; 'factor' is from now on data, read at each call"
        """
        return self._known.reason

    def pretty_printed_concrete_signatures(self) -> str:
        """The signatures compiled so far, one below the other; empty before the first call.

        >>> weft.function(lambda x: x + 1).pretty_printed_concrete_signatures()
        ''
        """
        return "\n\n".join(concrete.pretty_printed_signature() for concrete in self._known.concretes)


_EVENTS = ("trace", "cache", "conversion", "code")
"""What is logged when it happens, and not told of what is compiled."""


def told(concrete: ConcreteFunction) -> ConcreteFunction:
    """Print and log what became of a function, if that is wanted; returns it."""
    wanted = [category for category in CATEGORIES if is_logged(category) and category not in _EVENTS]
    if settings.explain:
        print(concrete.explain(), file=sys.stderr)
    if wanted:
        explanation = concrete.explain()
        for decision in explanation.decisions:
            if KINDS[decision.kind].category in wanted:
                text = f"{concrete.name}: {explanation.where(decision)}{decision.sentence}"
                log(KINDS[decision.kind].category, text)
    return concrete


def _note_of(compiled: Compiled) -> Note:
    """A call that had to compile, in words."""
    clock = time.strftime("%H:%M:%S", time.localtime(compiled.when))
    how = "compiled" if compiled.traces else "loaded from the disk cache"
    concrete = compiled.concrete()
    what = (
        "what was given up since"
        if concrete is None
        else concrete.pretty_printed_signature().partition("\n")[0]
    )
    text = f"{clock}, {how} in {1e3 * compiled.seconds:,.0f} ms: {compiled.reason}; {what}"
    return Note("trace", NOWHERE, "{}", (text,))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
