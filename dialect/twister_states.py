"""The state of a Mersenne Twister as words of 64 bits: of those that are made in a program, where it is data.

The words are 624 of 32 bits, two in one; how many of these are used up; whether there is a spare normal number, and the
bits of that. The first ones are as NumPy's own C structure has them.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

RANDOM_STATE, RANDOM = "randomstate", "random"
TWISTERS = {RANDOM_STATE: "numpy.random.RandomState", RANDOM: "random.Random"}
"""The classes of NumPy and Python that have such a state, by what they are called here."""

_KEYS = 624
COUNT_OF_WORDS = _KEYS // 2 + 3
_VERSION = 3
"""Of the states of Python's generators."""


def new_twister(algorithm: str, *seed: Any, **named: Any) -> Any:
    """A new object of Python's or NumPy's."""
    kind: Any = random.Random if algorithm == RANDOM else np.random.RandomState
    return kind(*seed, **named)


def words_of_twister(twister: Any) -> np.ndarray[Any, Any]:
    """The state of an object of Python's or NumPy's, as a new array.

    >>> words_of_twister(random.Random(3)).shape, words_of_twister(np.random.RandomState(3))[-3:].tolist()
    ((315,), [624, 0, 0])
    """
    spare: float | None
    if isinstance(twister, random.Random):
        _, (*keys, used), spare = twister.getstate()
    else:
        state: Any = twister.get_state(legacy=False)
        keys, used = state["state"]["key"], state["state"]["pos"]
        spare = state["gauss"] if state["has_gauss"] else None
    words = np.empty(COUNT_OF_WORDS, np.uint64)
    words[:-3] = np.array(keys, np.uint32).view(np.uint64)
    words[-3:] = used, spare is not None, np.float64(spare or 0.0).view(np.uint64)
    return words


def twister_with(algorithm: str, words: np.ndarray[Any, Any]) -> Any:
    """A new object that has a state.

    >>> one = random.Random(3)
    >>> twister_with("random", words_of_twister(one)).random() == one.random()
    True
    """
    twister = new_twister(algorithm, 0)
    keys, (used, has_spare) = np.ascontiguousarray(words[:-3]).view(np.uint32), words[-3:-1].tolist()
    spare = float(words[-1:].view(np.float64)[0])
    if algorithm == RANDOM:
        twister.setstate((_VERSION, (*keys.tolist(), used), spare if has_spare else None))
    else:
        twister.set_state(("MT19937", keys, used, has_spare, spare))
    return twister
