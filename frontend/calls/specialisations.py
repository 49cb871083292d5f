"""What was compiled for one signature: it differs in the state of Python that was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from ...dialect.errors import FallbackWarning, WeftError, WeftValueError
from ..guards.guards import place_key
from ..guards.inputs import NUMBERS, Decisions, Need, Reconsider, may_change
from ..source.locations import SourceRange, warn_at
from .concrete import ConcreteFunction

MOST = 8
"""How many values of what changes outside of the arguments are kept compiled."""

MOST_ATTEMPTS = 4
"""How often a function is traced whose state changes while that happens."""

Made = TypeVar("Made")

Compile: TypeAlias = Callable[[Decisions], ConcreteFunction]

Fitting: TypeAlias = "tuple[ConcreteFunction, Sequence[Any]]"
"""A compiled function whose guards hold, with the arrays to run it on."""


class Specialisations:
    """The compiled functions of one signature, the most recent first, and what is known of the state they read."""

    def __init__(self) -> None:
        self.concretes: list[ConcreteFunction] = []
        self._changes: Counter[Any] = Counter()
        """How often a place had changed."""
        self._decisions = Decisions()

    def fitting(self, leaves: Sequence[Any]) -> Fitting | None:
        """The compiled function whose guards hold, with the arrays to run it on."""
        for concrete in self.concretes:
            arrays = concrete.admitted(leaves)
            if arrays is not None:
                return concrete, arrays
        return None

    def learn(self, leaves: Sequence[Any]) -> str | None:
        """Note what changed since the last compilation; returns it in words."""
        return self._learn_from(self.concretes[0], leaves) if self.concretes else None

    def _learn_from(self, latest: ConcreteFunction, leaves: Sequence[Any]) -> str:
        failing = latest.failing()
        found = place_key(failing)
        if found is not None:
            key, value = found
            self._changes[key] += 1
            is_number = type(value) in NUMBERS
            if may_change(value) and (not is_number or self._changes[key] > 1):
                self._decisions.data.add(key)
            if is_number and self._decisions.is_data(key):
                self.concretes.clear()  # each was compiled for one value
        return latest.why_not(leaves)

    def compile(self, compile: Compile, leaves: Sequence[Any]) -> Fitting:
        """Compile for the present state; again if that changed meanwhile, as another thread may change it."""
        for _ in range(MOST_ATTEMPTS):
            concrete = decided(compile, self._decisions)
            arrays = concrete.admitted(leaves)
            if arrays is not None:
                self.concretes.insert(0, concrete)
                del self.concretes[MOST:]
                return concrete, arrays
            why = self._learn_from(concrete, leaves)
        raise WeftValueError(f"{concrete.name} depends on state that changes whenever it is traced: {why}")


def decided(compile: Callable[[Decisions], Made], decisions: Decisions) -> Made:
    """Compile, again with other decisions about what is data where tracing finds that they do not do."""
    said: dict[Any, SourceRange | None] = {}
    while True:
        try:
            made = compile(decisions)
        except Reconsider as again:
            decisions.reconsider(again)
        except WeftError as error:
            # Tracing may need the value of what was made data; then it is a constant under a guard.
            if not decisions.give_in():
                decisions.take_back()
                raise
            said |= dict.fromkeys(decisions.needed, getattr(error, "location", None))
        else:
            for key, place in said.items():
                _warn(decisions.constants.get(key), place)
            return made


def _warn(need: Need | None, place: SourceRange | None) -> None:
    """Say that a variable is compiled in; an array that is none may well be part of the program."""
    if need is not None and need.is_of_variable:
        message = (
            f"{need.what} needs the elements of {need.name} while the function is traced: they are compiled in, and "
            f"each change of them compiles again; {need.instead}"
        )
        warn_at(place, message, FallbackWarning)
