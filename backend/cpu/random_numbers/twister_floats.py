"""Random floats of the Mersenne Twister, as Python's `random` and NumPy's older functions make them.

Translated to native code. `addresses` is the address of the addresses of what is given and taken: where the state is,
how many numbers there are to be, and the numbers.
"""

from __future__ import annotations

from ..native_python.intrinsics import CFunction, half, set_half, set_word, word
from .given import (
    bits_of,
    cosine_of,
    float_of_python,
    is_less,
    log_of,
    minus,
    negative,
    over,
    plus,
    python_float,
    real,
    root_of,
    sine_of,
    times,
    unit,
)
from .twister_words import Py_DecRef, next_of_twister, wait_for_others

ZERO, HALF, ONE, FOUR, MINUS_TWO = map(bits_of, (0.0, 0.5, 1.0, 4.0, -2.0))
FULL_CIRCLE = bits_of(6.283185307179586)
WIDTH = bits_of(4 * 2.718281828459045**-0.5 / 2.0**0.5)

PyObject_GetAttr = CFunction(2)
PyObject_SetAttr = CFunction(3, "i32")

LINKED = ("PyObject_GetAttr", "PyObject_SetAttr")
"""The functions of Python that it calls."""


def weft_twister_uniform(addresses: int) -> int:
    """Numbers in [0, 1)."""
    home = wait_for_others(word(addresses))
    target = word(addresses + 16)
    for number in range(word(word(addresses + 8))):
        set_word(target + 8 * number, uniform_of_twister(home))
    return 0


def uniform_of_twister(home: int) -> int:
    """The next number in [0, 1): of 53 bits."""
    upper = next_of_twister(home) >> 5
    return times(real((upper << 26) + (next_of_twister(home) >> 6)), unit())


def weft_twister_normal(addresses: int) -> int:
    """Normal numbers as NumPy's older functions make them: two at a time, of which one is kept (Marsaglia, 1962)."""
    home = wait_for_others(word(addresses))
    target = word(addresses + 16)
    for number in range(word(word(addresses + 8))):
        set_word(target + 8 * number, polar(home))
    return 0


def polar(home: int) -> int:
    """The next normal number."""
    spare = word(home + 16)
    if half(spare):
        kept = word(spare + 8)
        set_half(spare, 0)
        set_word(spare + 8, ZERO)
        return kept
    one = centred(home)
    other = centred(home)
    square = plus(times(one, one), times(other, other))
    while not is_less(square, ONE) or square == ZERO:
        one = centred(home)
        other = centred(home)
        square = plus(times(one, one), times(other, other))
    factor = root_of(over(times(MINUS_TWO, log_of(square)), square))
    set_word(spare + 8, times(factor, one))
    set_half(spare, 1)
    return times(factor, other)


def centred(home: int) -> int:
    """The next number in [-1, 1)."""
    drawn = uniform_of_twister(home)
    return minus(plus(drawn, drawn), ONE)


def weft_twister_exponential(addresses: int) -> int:
    """Exponential numbers, by the inverse of their distribution."""
    home = wait_for_others(word(addresses))
    target = word(addresses + 16)
    for number in range(word(word(addresses + 8))):
        set_word(target + 8 * number, negative(log_of(minus(ONE, uniform_of_twister(home)))))
    return 0


def weft_twister_ratio_normal(addresses: int) -> int:
    """Normal numbers as Python makes them: by the ratio of uniform ones (Kinderman and Monahan, 1977)."""
    home = wait_for_others(word(addresses))
    target = word(addresses + 16)
    for number in range(word(word(addresses + 8))):
        set_word(target + 8 * number, ratio_normal(home))
    return 0


def ratio_normal(home: int) -> int:
    """The next normal number."""
    value = ZERO
    while 1:
        first = uniform_of_twister(home)
        second = minus(ONE, uniform_of_twister(home))
        value = over(times(WIDTH, minus(first, HALF)), second)
        if not is_less(negative(log_of(second)), over(times(value, value), FOUR)):
            break
    return value


def weft_twister_circle_normal(addresses: int) -> int:
    """Normal numbers as `random.gauss` makes them: two at a time, one of which is kept in Python's object."""
    home = wait_for_others(word(addresses))
    target = word(addresses + 16)
    for number in range(word(word(addresses + 8))):
        set_word(target + 8 * number, circle_normal(home))
    return 0


def circle_normal(home: int) -> int:
    """The next normal number (Box and Muller, 1958)."""
    owner = word(home + 16)
    name = word(home + 32)
    nothing = word(home + 40)
    kept = PyObject_GetAttr(owner, name)
    drawn = ZERO
    if kept == nothing:
        angle = times(uniform_of_twister(home), FULL_CIRCLE)
        radius = root_of(times(MINUS_TWO, log_of(minus(ONE, uniform_of_twister(home)))))
        drawn = times(cosine_of(angle), radius)
        spare = python_float(times(sine_of(angle), radius))
        PyObject_SetAttr(owner, name, spare)
        Py_DecRef(spare)
    else:
        drawn = float_of_python(kept)
        PyObject_SetAttr(owner, name, nothing)
    Py_DecRef(kept)
    return drawn
