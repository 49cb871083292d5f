"""Random floats of the Mersenne Twister, as Python's `random` and NumPy's older functions make them.

Translated to native code. `addresses` is the address of the addresses of what is given and taken: where the state is,
how many numbers there are to be, and the numbers.
"""

from __future__ import annotations

from ..native_python.intrinsics import (
    CFunction,
    FloatFunction,
    bits,
    from_bits,
    half,
    root,
    set_half,
    set_word,
    stack,
    word,
)
from .given import drawn, float_of_python, python_float, unit
from .twister_words import FRAME, Py_DecRef, home_of, next_of_twister, numbers_of

FULL_CIRCLE = 6.283185307179586
WIDTH = 4 * 2.718281828459045**-0.5 / 2.0**0.5

log, cos, sin = map(FloatFunction, ("log", "cos", "sin"))
PyObject_GetAttr = CFunction(2)
PyObject_SetAttr = CFunction(3, "i32")

LINKED = ("PyObject_GetAttr", "PyObject_SetAttr")
"""The functions of Python that it calls."""


def weft_twister_floats(addresses: int) -> int:
    """Numbers of a distribution, which `drawn` stands for."""
    home = home_of(addresses, 1, stack(FRAME))
    target = numbers_of(addresses, 1)
    for number in range(word(word(addresses + 8))):
        set_word(target + 8 * number, bits(drawn(home)))
    return 0


def uniform(home: int) -> float:
    """The next number in [0, 1): of 53 bits."""
    upper = next_of_twister(home) >> 5
    return float((upper << 26) + (next_of_twister(home) >> 6)) * unit()


def normal(home: int) -> float:
    """The next normal number of NumPy's older functions: two at a time, one of which is kept (Marsaglia, 1962)."""
    spare = word(home + 16)
    if half(spare):
        kept = from_bits(word(spare + 8))
        set_half(spare, 0)
        set_word(spare + 8, 0)
        return kept
    one = centred(home)
    other = centred(home)
    square = one * one + other * other
    while not square < 1.0 or square == 0.0:
        one = centred(home)
        other = centred(home)
        square = one * one + other * other
    factor = root(-2.0 * log(square) / square)
    set_word(spare + 8, bits(factor * one))
    set_half(spare, 1)
    return factor * other


def centred(home: int) -> float:
    """The next number in [-1, 1)."""
    number = uniform(home)
    return number + number - 1.0


def exponential(home: int) -> float:
    """The next exponential number, by the inverse of the distribution."""
    return -log(1.0 - uniform(home))


def ratio_normal(home: int) -> float:
    """The next normal number as Python makes them: by the ratio of uniform ones (Kinderman and Monahan, 1977)."""
    value = 0.0
    while 1:
        first = uniform(home)
        second = 1.0 - uniform(home)
        value = WIDTH * (first - 0.5) / second
        if not -log(second) < value * value / 4.0:
            break
    return value


def circle_normal(home: int) -> float:
    """The next normal number as `random.gauss` makes them: two at a time, one is kept (Box and Muller, 1958)."""
    owner = word(home + 16)
    name = word(home + 32)
    if name == 0:
        return circle_normal_of_data(home, owner)
    nothing = word(home + 40)
    kept = PyObject_GetAttr(owner, name)
    made = 0.0
    if kept == nothing:
        angle = uniform(home) * FULL_CIRCLE
        radius = root(-2.0 * log(1.0 - uniform(home)))
        made = cos(angle) * radius
        spare = python_float(sin(angle) * radius)
        PyObject_SetAttr(owner, name, spare)
        Py_DecRef(spare)
    else:
        made = float_of_python(kept)
        PyObject_SetAttr(owner, name, nothing)
    Py_DecRef(kept)
    return made


def circle_normal_of_data(home: int, spare: int) -> float:
    """The next normal number, where the one that is kept is data."""
    if half(spare):
        set_half(spare, 0)
        return from_bits(word(spare + 8))
    angle = uniform(home) * FULL_CIRCLE
    radius = root(-2.0 * log(1.0 - uniform(home)))
    set_word(spare + 8, bits(sin(angle) * radius))
    set_half(spare, 1)
    return cos(angle) * radius
