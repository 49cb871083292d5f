"""Distributions that NumPy's own C code draws: numbers with parameters of their own, or with the same ones for all.

Translated to native code. Beside what `twister_words.py` says, `home` tells the address of NumPy's own struct.
"""

from __future__ import annotations

from ..native_python.intrinsics import set_word, stack, word
from .given import numpys_binomial, numpys_of_one, numpys_of_two
from .twister_words import wait_for_others

STATE_OF_BINOMIAL = 32
"""The words that NumPy's `binomial_t` has at most: what is computed of parameters, zero at first."""


def weft_twister_binomial(addresses: int) -> int:
    """Successes among so many trials."""
    home = wait_for_others(word(addresses))
    counts = word(addresses + 8)
    chances = word(addresses + 16)
    step = word(word(addresses + 24))
    target = word(addresses + 40)
    kept = stack(STATE_OF_BINOMIAL)
    for number in range(STATE_OF_BINOMIAL):
        set_word(kept + 8 * number, 0)
    for number in range(word(word(addresses + 32))):
        place = 8 * number * step
        drawn = numpys_binomial(word(home + 48), word(chances + place), word(counts + place), kept)
        set_word(target + 8 * number, drawn)
    return 0


def weft_twister_of_one(addresses: int) -> int:
    """Numbers of a distribution of one parameter."""
    home = wait_for_others(word(addresses))
    given = word(addresses + 8)
    step = word(word(addresses + 16))
    target = word(addresses + 32)
    for number in range(word(word(addresses + 24))):
        drawn = numpys_of_one(word(home + 48), word(given + 8 * number * step))
        set_word(target + 8 * number, drawn)
    return 0


def weft_twister_of_two(addresses: int) -> int:
    """Numbers of a distribution of two parameters."""
    home = wait_for_others(word(addresses))
    first = word(addresses + 8)
    second = word(addresses + 16)
    step = word(word(addresses + 24))
    target = word(addresses + 40)
    for number in range(word(word(addresses + 32))):
        place = 8 * number * step
        set_word(
            target + 8 * number, numpys_of_two(word(home + 48), word(first + place), word(second + place))
        )
    return 0
