"""Random generators among the arguments: their state is data, the algorithm part of the structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.bit_generators import algorithm_of, generator_with, is_generator, owner_of, words_of
from ...dialect.records import NamedTuple
from ...dialect.twister_states import TWISTERS, twister_with
from .traced_value import TracedValue


class GeneratorParts(NamedTuple):
    """What a generator is taken apart into."""

    algorithm: str
    words: Any
    """The array of its state."""


class GeneratorStandIn:
    """Base of what stands for a generator in a trace."""

    __slots__ = ()


def parts_of_generator(value: Any) -> GeneratorParts | None:
    """The parts of a generator that can be compiled; None for others."""
    if not is_generator(value):
        return None
    algorithm = algorithm_of(value)
    return None if algorithm is None else GeneratorParts(algorithm, words_of(value))


def words_with(algorithm: str, value: Any) -> Any:
    """The array of a generator's state, if its algorithm is this one; else None."""
    return words_of(value) if is_generator(value) and algorithm_of(value) == algorithm else None


_makers: list[Callable[[str, Any], Any]] = []


def define_traced_generators(make: Callable[[str, Any], Any]) -> None:
    """Say what stands for a generator of an algorithm and a traced state, before the first one is needed."""
    _makers[:] = [make]


def generator_of(algorithm: str, words: Any) -> Any:
    """The generator that has a state: the one whose memory it is, a new one, or what stands for one in a trace."""
    if isinstance(words, TracedValue):
        return _makers[0](algorithm, words)
    if algorithm in TWISTERS:
        return twister_with(algorithm, np.asarray(words))
    owner = owner_of(words)
    return generator_with(algorithm, np.asarray(words)) if owner is None else owner
