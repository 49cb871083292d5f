"""The states of random generators as arrays of words, which files hold."""

from __future__ import annotations

import random
from typing import Any

import numpy as np


class SavedGenerator:
    """A random generator: what it goes on from as an array of words, and the way back."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator
        self.kind = type(generator).__name__
        """Generators of one kind have one layout of words."""
        self.words = (
            _words_of_random(generator) if isinstance(generator, random.Random) else _words(generator)
        )

    def __weft_loaded__(self) -> None:
        """Let the generator go on from the words that were written to the array."""
        generator, words = self._generator, self.words
        if isinstance(generator, random.Random):
            version, _, _ = generator.getstate()
            following = float(words[-1:].view(np.float64)[0]) if words[-2] else None
            generator.setstate((version, tuple(map(int, words[:-2])), following))
            return
        state = _state(generator)
        _fill(state, iter(map(int, words)))
        if isinstance(generator, np.random.RandomState):
            generator.set_state(state)
        else:
            generator.state = state


def generator_of(value: Any) -> Any:
    """The object that has the state of a random generator; None for any other value."""
    if isinstance(value, np.random.Generator):
        return value.bit_generator
    has_state = isinstance(value, (np.random.BitGenerator, np.random.RandomState, random.Random))
    return value if has_state and not isinstance(value, random.SystemRandom) else None


_WORD = (1 << 64) - 1


def _words_of_random(generator: random.Random) -> np.ndarray[Any, Any]:
    _, words, following = generator.getstate()
    normal = np.array([0.0 if following is None else following]).view(np.uint64)
    return np.array([*words, following is not None, normal[0]], np.uint64)


def _state(generator: Any) -> dict[str, Any]:
    """What NumPy tells of the state of a generator."""
    if isinstance(generator, np.random.RandomState):
        return dict(generator.get_state(legacy=False))
    return dict(generator.state)


def _words(generator: Any) -> np.ndarray[Any, Any]:
    """The numbers of a state in the order of its names, in two words each."""
    found: list[int] = []
    _collect(_state(generator), found)
    return np.array([word for number in found for word in (number & _WORD, number >> 64)], np.uint64)


def _collect(state: Any, found: list[int]) -> None:
    if isinstance(state, dict):
        for name in sorted(state):
            _collect(state[name], found)
    elif isinstance(state, np.ndarray):
        found.extend(map(int, state))
    elif isinstance(state, float):
        found.append(int(np.float64(state).view(np.uint64)))
    elif not isinstance(state, str):
        found.append(int(state))


def _fill(state: Any, words: Any) -> None:
    """Put words into the places that they were collected from."""
    for name in sorted(state):
        value = state[name]
        if isinstance(value, dict):
            _fill(value, words)
        elif isinstance(value, np.ndarray):
            state[name] = np.array([_next_number(words) for _ in value], value.dtype)
        elif isinstance(value, float):
            state[name] = float(np.uint64(_next_number(words)).view(np.float64))
        elif not isinstance(value, str):
            state[name] = _next_number(words)


def _next_number(words: Any) -> int:
    low: int = next(words)
    high: int = next(words)
    return low | high << 64
