"""`ConcreteFunction.explain`: what was decided about one specialisation."""

from __future__ import annotations

import importlib
import re
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.planning.plan import HostSite
from ...passes.notes import NOWHERE, Note, place_of
from ..guards.captures import Capture
from ..guards.inputs import Input
from ..guards.unbound import UNBOUND
from .concrete_signature import captures_told

if TYPE_CHECKING:
    from ..compiling.explanation import Explanation  # which calls do without
    from ..compiling.program import Recording


class ExplainedSpecialisation:
    """What `ConcreteFunction` tells of itself."""

    notes: list[Note]
    guards: list[Any]
    _extra: list[Any]
    _executable: Any
    _callbacks: Sequence[Callable[..., Any]]
    _function: Any
    _recording: Callable[[], Recording]
    _found: tuple[Note, ...] | None = None
    """What was decided when it became machine code, once somebody has asked."""

    def pretty_printed_signature(self) -> str:
        """The signature on a few lines."""
        raise NotImplementedError

    @property
    def captured(self) -> dict[str, Any]:
        """What lies outside of the arguments."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join([self.pretty_printed_signature(), *captures_told(self.captured)])

    def explain(self) -> Explanation:
        """What became of the function for this signature, in sentences with its lines.

        Which expressions are computed in one loop and which are stored in between, what is vector code and what is not,
        what threads share, what is copied, checked while it runs, and asked of Python; what the disk cache did. The
        first time, the function is compiled once more, to be listened to: nothing is noted before somebody asks.
        """
        from ..compiling.explanation import Explanation, decisions_of

        if self._found is None:
            from ..compiling.compile_function import decisions_of_code  # which loads the compiler

            self._found = tuple(decisions_of_code(self._recording()))
        file = file_of(self._function)
        notes = [*self.notes, *_guarded(self.guards, self._extra), *self._sites(), *self._found]
        decisions = decisions_of(notes, file)
        return Explanation(self.pretty_printed_signature(), decisions, (), file)

    def _repr_html_(self) -> str:
        """Its page, in notebooks."""
        room = __name__.partition(".calls")[0]  # what shows it stands on this
        module = importlib.import_module(f"{room}.notebooks.shown")
        shown: str = module.shown_concrete(self)
        return shown

    def _sites(self) -> Iterator[Note]:
        """What is checked while it runs, and where Python is called."""
        from ...dialect.callbacks import RAISE, name_of  # which loads what operations are

        for site in self._executable.plan.sites:
            place = place_of(site.location)
            if isinstance(site, HostSite):
                name = name_of(self._callbacks[site.callback])
                if name == RAISE:
                    yield Note("check", place, "makes an exception in Python, if the program comes there")
                else:
                    yield Note("python", place, "calls {}", (f"`{name}`",))
            else:
                message = re.sub(r"\{\d*\}", "...", site.message)
                if not _OUT_OF_MEMORY.fullmatch(message):
                    yield Note("check", place, "is checked, and raises {}", (f"{site.error}: {message}",))


def _guarded(guards: Iterable[Any], inputs: Iterable[Any]) -> Iterator[Note]:
    """What is compiled in of Python's state, and what is read at each call."""
    for guard in guards:
        if isinstance(guard, Capture):
            name = guard.name if guard.handle is None else guard.handle.name
            if guard.is_own():
                yield Note("guard", NOWHERE, "{} is a constant of the code", (guard.name,))
            elif guard.content is not None:
                yield Note(
                    "guard", NOWHERE, "{} is a constant of the code: other elements compile again", (name,)
                )
            continue
        for handle in guard.handles:
            value = handle.get()
            if value is UNBOUND or isinstance(value, np.ndarray) or handle.name.endswith(_OF_CALLS):
                continue
            if not callable(value) and not isinstance(value, types.ModuleType):
                other = "value" if isinstance(value, _PLAIN) else "object"
                reason = "{} is a constant of the code: another {} compiles again"
                yield Note("guard", NOWHERE, reason, (handle.name, other))
    for found in inputs:
        if isinstance(found, Input):
            yield Note("guard", NOWHERE, "{} is read at each call", (found.name,))


_OF_CALLS = (".__defaults__", ".__kwdefaults__")
"""How the names end of what hardly ever changes."""

_OUT_OF_MEMORY = re.compile(r"the arrays of .* need a block of .* bytes of memory")
"""What any array may raise."""

_PLAIN = (bool, int, float, complex, str, bytes, type(None), tuple, list, dict, set, frozenset, np.generic)
"""What is compared by its value."""


def file_of(function: Any) -> str:
    """The file that a function is written in."""
    code = getattr(getattr(function.python_function, "__func__", function.python_function), "__code__", None)
    return "" if code is None else code.co_filename
