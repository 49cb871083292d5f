"""Random generators that a trace finds outside of the arguments: their states are inputs, which each call writes."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...dialect.bit_generators import is_generator
from ...dialect.errors import UnsupportedError
from ..guards.guards import Same
from ..guards.handles import Handle, Item, State
from ..signature.generators import generator_of, parts_of_generator
from ..source.modules import told
from .class_state import ClassState

DRAWN_WHILE_TRACING = (
    "random numbers are drawn while the function is traced, by code that is not converted: they would be the same at "
    "each call. Pass the generator as an argument, or let the code be converted (no autograph=False)"
)


class Generators:
    """The generators that one trace has found."""

    def __init__(self, found: ClassState) -> None:
        self._found = found
        self._before: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        """The states of generators that were met, and what they were then."""
        self._traced: dict[int, tuple[Any, Any, Handle]] = {}
        """By the identities of the arrays of their states: these, what stands for the generator, and a place of it."""

    def traced(self, generator: Any) -> Any:
        """What stands for a generator; it itself if its algorithm is not compiled."""
        parts = parts_of_generator(generator)
        if parts is None:
            return generator
        known = self._traced.get(id(parts.words))
        if known is not None:
            return known[1]
        places = list(self._places(generator, parts.algorithm))
        if not places:
            raise UnsupportedError(
                "this uses a random generator that compiled code cannot find again at the next call: keep "
                "it in a variable or an attribute, or pass it as an argument"
            )
        made = generator_of(parts.algorithm, self._found.state_input(places[0], parts.words))
        self._traced[id(parts.words)] = (parts.words, made, places[0])
        return made

    def meet(self, value: Any) -> None:
        """Take note of what a place holds, which may be a generator."""
        parts = parts_of_generator(value)
        if parts is not None:
            self._before.append((parts.words, parts.words.copy()))

    def states(self) -> list[np.ndarray[Any, Any]]:
        """The states of the generators that were met, as they are now."""
        return [words.copy() for words, _ in self._before]

    def accept(self, states: list[np.ndarray[Any, Any]]) -> None:
        """Take what was drawn since there were some states for drawn before, unless something was by then."""
        for number, known in enumerate(states):
            words, before = self._before[number]
            if np.array_equal(known, before):
                self._before[number] = words, words.copy()

    def settle(self) -> None:
        """Guard that all places which were read and held one generator hold one at later calls, too.

        Raises where one was drawn of while tracing, by code that is not converted.
        """
        drawn = [(words, before) for words, before in self._before if not np.array_equal(words, before)]
        for words, before in drawn:
            words[...] = before
        if drawn:
            raise UnsupportedError(DRAWN_WHILE_TRACING)
        for words, made, place in self._traced.values():
            generator = generator_of(made.stream.algorithm, words)
            for other in self._places(generator, made.stream.algorithm):
                if other.key != place.key:
                    self._found.guards.append(Same(place, other))

    def _places(self, generator: Any, algorithm: str) -> Iterator[Handle]:
        """How the state of a generator is found: in all places that were read."""
        seen = set()
        for handle in self._found.handles_of(generator):
            place = State(handle, algorithm)
            if place.key not in seen:
                seen.add(place.key)
                yield place


class DrawnMeanwhile(BaseException):
    """The global generators were drawn of while a function was traced, by it or by another thread: the trace has to
    begin again, and is watched.
    """


class Watch:
    """Whether a thread draws of Python's global generator; as a context."""

    def __init__(self) -> None:
        self._before = state_of_functions()
        self._is_watching = False
        self._has_drawn = False

    def __enter__(self) -> Watch:
        # Nothing is watched where a profiler does so, as there is one at a time.
        self._is_watching = sys.getprofile() is None
        if self._is_watching:
            sys.setprofile(self._look)
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_watching:
            sys.setprofile(None)

    def _look(self, frame: Any, event: str, called: Any) -> None:
        if event == "c_call":
            self._has_drawn = self._has_drawn or told(called, "__self__") is _GLOBAL
        elif (
            event == "call" and frame.f_code.co_filename == random.__file__
        ):  # `gauss` draws two and keeps one
            self._has_drawn = self._has_drawn or frame.f_locals.get("self") is _GLOBAL

    def require_no_draws(self) -> None:
        """Raise if this thread has drawn of a global generator, or may have."""
        *legacy, of_python = state_of_functions()
        *legacy_before, of_python_before = self._before
        changed = of_python != of_python_before
        if legacy != legacy_before or self._has_drawn or (changed and not self._is_watching):
            raise UnsupportedError(DRAWN_WHILE_TRACING)


_GLOBAL = getattr(random.random, "__self__", None)
"""The generator of the functions of `random`."""


def state_of_functions() -> tuple[Any, ...]:
    """The states of what the functions of `np.random` and of Python's `random` draw of."""
    legacy = getattr(sys.modules.get("numpy.random.mtrand"), "_rand", None)
    known = {} if legacy is None else legacy.get_state(legacy=False)
    return (*_parts_of(known), random.getstate())


def _parts_of(state: Any) -> Iterator[Any]:
    """What is in the nested dicts that tell a state, with the contents of arrays."""
    if isinstance(state, dict):
        for value in state.values():
            yield from _parts_of(value)
    else:
        yield state.tobytes() if isinstance(state, np.ndarray) else state


def handles_inside(handle: Handle, value: Any, wanted: Any, depth: int = 8) -> Iterator[Handle]:
    """The places of a generator's state in what a handle holds, also in its lists, tuples and dicts."""
    if is_generator(value) and value.bit_generator is wanted.bit_generator:
        yield handle
    elif depth and isinstance(value, (list, tuple, dict)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from handles_inside(Item(f"{handle.name}[{key!r}]", handle, key), item, wanted, depth - 1)
