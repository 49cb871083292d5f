"""Random words: the Mersenne Twister of Python's `random` and of NumPy's older functions.

Translated to native code. `home` is the address of what says where the state is, in NumPy's or Python's own object: the
addresses of the 624 words of 32 bits, and of the number of those that are used up. Of NumPy's object, the addresses of
the spare normal number and of the word that tells who holds the lock, the bits of it that do, and what waits for the
lock; of Python's, the object, no lock, and the name and the value that an attribute has for no spare number. A state
that is data of the program (`dialect/twister_states.py`) has what NumPy's object has, without a lock.
"""

from __future__ import annotations

from ..native_python.intrinsics import CFunction, half, set_half, set_word, word
from .given import is_data
from .words import LOWER

PyThread_get_thread_ident = CFunction(0)
PyObject_CallNoArgs = CFunction(1)
Py_DecRef = CFunction(1, "void")

LINKED = ("PyThread_get_thread_ident", "PyObject_CallNoArgs", "Py_DecRef")
"""The functions of Python that it calls."""

LENGTH = 624
MIDDLE = 397
MIXED = 0x9908B0DF
UPPER_BIT, LOWER_BITS = 0x80000000, 0x7FFFFFFF


def wait_for_others(home: int) -> int:
    """Wait until no other thread draws: NumPy's functions do without the interpreter's lock, but with one of their own.

    None of them begins while this code has the interpreter's lock.
    """
    lock = word(home + 24)
    while lock:
        holder = word(lock) & word(home + 32)
        if holder == 0 or holder == PyThread_get_thread_ident():
            break
        Py_DecRef(PyObject_CallNoArgs(word(home + 40)))
    return home


def next_of_twister(home: int) -> int:
    """The next 32 bits."""
    keys = word(home)
    used = word(home + 8)
    place = half(used)
    if place >= LENGTH:
        mix(keys)
        place = 0
    set_half(used, place + 1)
    drawn = key_at(keys, place)
    drawn = drawn ^ (drawn >> 11)
    drawn = drawn ^ ((drawn << 7) & 0x9D2C5680)
    drawn = drawn ^ ((drawn << 15) & 0xEFC60000)
    return drawn ^ (drawn >> 18)


def key_at(keys: int, place: int) -> int:
    """A word of the state."""
    return half(keys + 4 * place) & LOWER


def mix(keys: int) -> int:
    """Make the next words of all."""
    for place in range(LENGTH - MIDDLE):
        mix_one(keys, place, place + 1, place + MIDDLE)
    for number in range(MIDDLE - 1):
        place = LENGTH - MIDDLE + number
        mix_one(keys, place, place + 1, number)
    mix_one(keys, LENGTH - 1, 0, MIDDLE - 1)
    return 0


def mix_one(keys: int, place: int, following: int, other: int) -> int:
    """Make the next word of one, of the bits that follow and of another one."""
    bits = (key_at(keys, place) & UPPER_BIT) | (key_at(keys, following) & LOWER_BITS)
    set_half(keys + 4 * place, key_at(keys, other) ^ (bits >> 1) ^ (MIXED if bits & 1 else 0))
    return 0


def next_pair(home: int) -> int:
    """The next 64 bits, upper ones first."""
    upper = next_of_twister(home)
    return (upper << 32) | next_of_twister(home)


FRAME = 6
"""The words of memory that `home_of` needs."""
STATE = 315
"""The words of 64 bits of a state that is data of the program."""


def home_of(addresses: int, others: int, frame: int) -> int:
    """What says where the state is: what is given, when no other thread draws, or a frame for a state that is data.

    That is taken, too, behind `others` operands that are given besides; the state that is given stays as it is.
    """
    given = word(addresses)
    if is_data() == 0:
        return wait_for_others(given)
    state = word(addresses + 8 * (others + 1))
    for number in range(STATE):
        set_word(state + 8 * number, word(given + 8 * number))
    set_word(frame, state)
    set_word(frame + 8, state + 4 * LENGTH)
    set_word(frame + 16, state + 4 * LENGTH + 8)
    set_word(frame + 24, 0)
    set_word(frame + 32, 0)
    return frame


def numbers_of(addresses: int, others: int) -> int:
    """Where the numbers go that are drawn."""
    return word(addresses + 8 * (others + 1 + is_data()))
