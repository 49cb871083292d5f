"""Native code that finds the driver, and calls it: its functions are looked up when a library is opened.

Translated to native code (see `cpu/native_python/translator.py`), as its neighbours are: every value is a 64-bit
integer. A library has one driver in a process, so that its functions are looked up again and again, but are the same.
"""

from __future__ import annotations

from ...cpu.export.describe import put, put_integer
from ...cpu.export.messages import TEXT
from ...cpu.native_python.intrinsics import (
    CFunction,
    Order,
    Static,
    atomic_load,
    byte,
    call_int,
    compare_exchange,
    set_word,
    stack,
    word,
)
from ...cpu.native_python.layout import WORD
from .failures import Number
from .given import device_plan, refuse, usual_driver
from .layout import FUNCTIONS, Driver, Handle, Plan

dlopen = CFunction(2)
dlsym = CFunction(2)
dlclose = CFunction(1, "i32")

COUNT = len(FUNCTIONS)
DRIVER_TABLE = Static(COUNT)
"""The addresses of its functions, by their numbers."""
DRIVER_LIBRARY = Static(1)
"""What dlopen gave."""
BIND_NOW = 2
COLON, SPACE = ord(":"), ord(" ")


def driver_function(number: int) -> int:
    """The address of a function of the driver."""
    return word(DRIVER_TABLE + WORD * number)


def driver_name(number: int) -> int:
    """The address of its name."""
    return word(word(device_plan() + WORD * Plan.NAMES) + WORD * number)


def find_driver(file: int, error: int) -> int:
    """Load the driver, if it is not loaded yet; a result code."""
    library = dlopen(file if file != 0 else usual_driver(), BIND_NOW)
    if library == 0:
        return refuse(error, Number.NO_SUCH_DRIVER if file != 0 else Number.NO_DRIVER, 0, 0)
    for number in range(COUNT):
        if dlsym(library, driver_name(number)) == 0:
            dlclose(library)
            return refuse(error, Number.LACKING, driver_name(number), 0)
    if not compare_exchange(DRIVER_LIBRARY, 0, library, Order.RELAXED, Order.RELAXED):
        dlclose(library)
        if atomic_load(DRIVER_LIBRARY, Order.RELAXED) != library:
            return refuse(error, Number.OTHER_DRIVER, 0, 0)
    for number in range(COUNT):  # whoever comes at the same time stores the same
        set_word(DRIVER_TABLE + WORD * number, dlsym(library, driver_name(number)))
    return 0


def enter(device: int, before: int) -> int:
    """Make the context of a handle current; the driver's code. What was current is stored."""
    set_word(before, 0)
    code = call_int(driver_function(Driver.GET_CONTEXT), before)
    wanted = word(device + WORD * Handle.CONTEXT)
    if code == 0 and word(before) != wanted:
        code = call_int(driver_function(Driver.SET_CONTEXT), wanted)
    return code


def leave(device: int, before: int) -> None:
    """Make the context current that was."""
    if word(before) != word(device + WORD * Handle.CONTEXT):
        call_int(driver_function(Driver.SET_CONTEXT), word(before))


def put_other(text: int, size: int, length: int, value: int, kind: int) -> int:
    """Write a text, or what the driver calls a code, behind others; how many characters there are."""
    if kind == TEXT:
        return put_text(text, size, length, value)
    if driver_function(Driver.ERROR_NAME) == 0:
        return put_integer(text, size, length, value)
    found = stack(1)
    set_word(found, 0)
    call_int(driver_function(Driver.ERROR_NAME), value, found)
    if word(found) == 0:
        return put_integer(text, size, length, value)
    length = put_text(text, size, length, word(found))
    set_word(found, 0)
    call_int(driver_function(Driver.ERROR_STRING), value, found)
    if word(found) != 0:
        length = put(text, size, put(text, size, length, COLON), SPACE)
        length = put_text(text, size, length, word(found))
    return length


def put_text(text: int, size: int, length: int, other: int) -> int:
    """Write a text that ends with a zero."""
    while byte(other) != 0:
        length = put(text, size, length, byte(other))
        other += 1
    return length
