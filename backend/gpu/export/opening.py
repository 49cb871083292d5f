"""Native code that opens a library for a context, and closes it: the driver, modules, constants, and states."""

from __future__ import annotations

from ...cpu.native_python.intrinsics import byte, call_int, half, set_word, stack, word
from ...cpu.native_python.layout import WORD
from ..driver.library import MINIMUM_DRIVER
from ..driver.memory import KEPT_PART
from ..driver.modules import NOT_THIS_CODE
from ..driver.signatures import Attribute, Code, PoolAttribute
from .device_calls import drop_frame, program_row
from .driver_calls import driver_function, driver_name, enter, find_driver, leave
from .failures import Number
from .given import allocate, device_plan, give_back, refuse
from .layout import PLACES, Driver, Handle, Plan, State

POOL_WORDS = 11
"""Of CUmemPoolProps."""
PINNED = 1
"""In both of its first pairs: pinned memory, and memory of a device."""
OTHER_CODES = len(NOT_THIS_CODE)


def weft_device_open(context: int, file: int, place: int, error: int) -> int:
    """Make a handle for a context, or for the one that is current; a result code."""
    if place == 0:
        return refuse(error, Number.NO_PLACE, 0, 0)
    set_word(place, 0)
    result = find_driver(file, error)
    if result != 0:
        return result
    code = call_int(driver_function(Driver.INIT), 0)
    if code != 0:
        return refused(error, code, Driver.INIT)
    version = stack(1)
    set_word(version, 0)
    code = call_int(driver_function(Driver.VERSION), version)
    if code != 0:
        return refused(error, code, Driver.VERSION)
    if half(version) < MINIMUM_DRIVER:
        return refuse(error, Number.OLD, half(version) // 1000, half(version) % 1000 // 10)
    before = stack(1)
    set_word(before, 0)
    code = call_int(driver_function(Driver.GET_CONTEXT), before)
    if code != 0:
        return refused(error, code, Driver.GET_CONTEXT)
    wanted = context if context != 0 else word(before)
    if wanted == 0:
        return refuse(error, Number.NO_CONTEXT, 0, 0)
    code = call_int(driver_function(Driver.SET_CONTEXT), wanted)
    if code != 0:
        return refused(error, code, Driver.SET_CONTEXT)
    result = open_current(wanted, place, error)
    if wanted != word(before):
        call_int(driver_function(Driver.SET_CONTEXT), word(before))
    return result


def refused(error: int, code: int, number: int) -> int:
    """Tell that a function of the driver gave a code; the result code."""
    return refuse(error, Number.REFUSED, code, driver_name(number))


def open_current(context: int, place: int, error: int) -> int:
    """Make a handle for the context that is current."""
    device = stack(1)
    set_word(device, 0)
    code = call_int(driver_function(Driver.GET_DEVICE), device)
    if code != 0:
        return refused(error, code, Driver.GET_DEVICE)
    number = half(device)
    result = fits(number, error)
    if result != 0:
        return result
    plan = device_plan()
    words = Handle.LENGTH + word(plan + WORD * Plan.MODULES) + word(plan + WORD * Plan.KERNELS)
    words += word(plan + WORD * Plan.CONSTANTS) + PLACES * word(plan + WORD * Plan.PROGRAMS)
    handle = allocate(WORD * words)
    if handle == 0:
        return refuse(error, Number.NO_HOST_MEMORY, 0, WORD * words)
    for index in range(words):
        set_word(handle + WORD * index, 0)
    set_word(handle + WORD * Handle.CONTEXT, context)
    modules = handle + WORD * Handle.LENGTH
    set_word(handle + WORD * Handle.MODULES, modules)
    kernels = modules + WORD * word(plan + WORD * Plan.MODULES)
    set_word(handle + WORD * Handle.KERNELS, kernels)
    constants = kernels + WORD * word(plan + WORD * Plan.KERNELS)
    set_word(handle + WORD * Handle.CONSTANTS, constants)
    set_word(handle + WORD * Handle.FRAMES, constants + WORD * word(plan + WORD * Plan.CONSTANTS))
    failed = stack(2)
    set_word(failed, 0)
    make_pool(handle, number, failed)
    load_modules(handle, failed)
    find_kernels(handle, failed)
    copy_constants(handle, failed)
    if word(failed) != 0:
        release(handle, stack(2))
        return refused(error, word(failed), word(failed + WORD))
    set_word(place, handle)
    return 0


def ask(failed: int, code: int, number: int) -> int:
    """Note the code of a function of the driver if it is the first; whether all is well."""
    if code != 0 and word(failed) == 0:
        set_word(failed + WORD, number)
        set_word(failed, code)
    return word(failed) == 0


def attribute(device: int, number: int) -> int:
    """An attribute of a device; 0 where the driver does not tell."""
    found = stack(1)
    set_word(found, 0)
    call_int(driver_function(Driver.ATTRIBUTE), found, number, device)
    return half(found)


def fits(device: int, error: int) -> int:
    """Whether a device runs the code, as a result code."""
    plan = device_plan()
    major = attribute(device, Attribute.ARCH_MAJOR)
    minor = attribute(device, Attribute.ARCH_MINOR)
    found = 10 * major + minor
    wanted = 10 * word(plan + WORD * Plan.MAJOR) + word(plan + WORD * Plan.MINOR)
    if found < wanted or (word(plan + WORD * Plan.IS_EXACT) != 0 and found != wanted):
        return refuse(error, Number.OTHER_GPU, major, minor)
    if attribute(device, Attribute.MEMORY_POOLS) == 0:
        return refuse(error, Number.NO_POOLS, 0, 0)
    return 0


def make_pool(handle: int, device: int, failed: int) -> None:
    """Make a pool that keeps some of what is freed."""
    properties = stack(POOL_WORDS)
    for index in range(POOL_WORDS):
        set_word(properties + WORD * index, 0)
    set_word(properties, PINNED)
    set_word(properties + WORD, PINNED | (device << 32))
    pool = handle + WORD * Handle.POOL
    total = stack(1)
    set_word(total, 0)
    if not ask(failed, call_int(driver_function(Driver.MAKE_POOL), pool, properties), Driver.MAKE_POOL):
        return
    ask(failed, call_int(driver_function(Driver.TOTAL), total, device), Driver.TOTAL)
    set_word(total, word(total) // KEPT_PART)
    threshold = PoolAttribute.RELEASE_THRESHOLD
    ask(failed, call_int(driver_function(Driver.TUNE_POOL), word(pool), threshold, total), Driver.TUNE_POOL)


def load_modules(handle: int, failed: int) -> None:
    """Load the modules: machine code where there is some that the device takes, else PTX."""
    plan = device_plan()
    for index in range(word(plan + WORD * Plan.MODULES)):
        if word(failed) != 0:
            return
        place = word(handle + WORD * Handle.MODULES) + WORD * index
        row = word(plan + WORD * Plan.MODULE_TABLE) + 2 * WORD * index
        code = Code.INVALID_IMAGE
        if word(row) != 0:
            code = call_int(driver_function(Driver.LOAD), place, word(row), 0, 0, 0)
        if is_other_code(code):
            code = call_int(driver_function(Driver.LOAD), place, word(row + WORD), 0, 0, 0)
        ask(failed, code, Driver.LOAD)


def is_other_code(code: int) -> int:
    """Whether the driver did not take machine code, and may take PTX."""
    for index in range(OTHER_CODES):
        if code == word(word(device_plan() + WORD * Plan.OTHER_CODES) + WORD * index):
            return 1
    return 0


def find_kernels(handle: int, failed: int) -> None:
    """Find the kernels in the modules, and tell the driver what launches of them ask for."""
    plan = device_plan()
    modules = word(handle + WORD * Handle.MODULES)
    kernels = word(handle + WORD * Handle.KERNELS)
    for index in range(word(plan + WORD * Plan.KERNELS)):
        if word(failed) != 0:
            return
        row = word(plan + WORD * Plan.KERNEL_TABLE) + 2 * WORD * index
        module = word(modules + WORD * word(row))
        found = kernels + WORD * index
        code = call_int(driver_function(Driver.FUNCTION), found, module, word(row + WORD))
        ask(failed, code, Driver.FUNCTION)
    for index in range(word(plan + WORD * Plan.ATTRIBUTES)):
        row = word(plan + WORD * Plan.ATTRIBUTE_TABLE) + 3 * WORD * index
        kernel = word(kernels + WORD * word(row))
        if word(failed) == 0:
            code = call_int(
                driver_function(Driver.SET_ATTRIBUTE), kernel, word(row + WORD), word(row + 2 * WORD)
            )
            ask(failed, code, Driver.SET_ATTRIBUTE)


def copy_constants(handle: int, failed: int) -> None:
    """Copy the constants to the device."""
    plan = device_plan()
    for index in range(word(plan + WORD * Plan.CONSTANTS)):
        if word(failed) != 0:
            return
        row = word(plan + WORD * Plan.CONSTANT_TABLE) + 2 * WORD * index
        place = word(handle + WORD * Handle.CONSTANTS) + WORD * index
        copy_to_new(place, word(row), word(row + WORD), failed)


def copy_to_new(place: int, source: int, size: int, failed: int) -> None:
    """Copy bytes to a new block of the device, whose address is stored."""
    code = call_int(driver_function(Driver.ALLOCATE), place, max(size, 1))
    if ask(failed, code, Driver.ALLOCATE) and size > 0:
        ask(failed, call_int(driver_function(Driver.WRITE), word(place), source, size, 0), Driver.WRITE)
        ask(failed, call_int(driver_function(Driver.WAIT), 0), Driver.WAIT)


def weft_device_close(handle: int, error: int) -> int:
    """Wait for the device, and give back all that a handle has; a result code."""
    if handle == 0:
        return 0
    before = stack(1)
    code = enter(handle, before)
    if code != 0:
        return refused(error, code, Driver.SET_CONTEXT)
    failed = stack(2)
    set_word(failed, 0)
    ask(failed, call_int(driver_function(Driver.SYNCHRONIZE)), Driver.SYNCHRONIZE)
    context = word(handle + WORD * Handle.CONTEXT)
    release(handle, failed)
    if word(before) != context:
        call_int(driver_function(Driver.SET_CONTEXT), word(before))
    if word(failed) != 0:
        return refused(error, word(failed), word(failed + WORD))
    return 0


def release(handle: int, failed: int) -> None:
    """Give back what there is of a handle, and itself."""
    plan = device_plan()
    for program in range(word(plan + WORD * Plan.PROGRAMS)):
        for place in range(PLACES):
            frame = word(word(handle + WORD * Handle.FRAMES) + WORD * (PLACES * program + place))
            if frame != 0:
                drop_frame(frame, program_row(program))
    for index in range(word(plan + WORD * Plan.CONSTANTS)):
        block = word(word(handle + WORD * Handle.CONSTANTS) + WORD * index)
        if block != 0:
            ask(failed, call_int(driver_function(Driver.FREE), block), Driver.FREE)
    for index in range(word(plan + WORD * Plan.MODULES)):
        module = word(word(handle + WORD * Handle.MODULES) + WORD * index)
        if module != 0:
            ask(failed, call_int(driver_function(Driver.UNLOAD), module), Driver.UNLOAD)
    pool = word(handle + WORD * Handle.POOL)
    if pool != 0:
        ask(failed, call_int(driver_function(Driver.DESTROY_POOL), pool), Driver.DESTROY_POOL)
    give_back(handle)


def weft_device_free(handle: int, stream: int, block: int, error: int) -> int:
    """Free a block that a call has made, behind all that a stream was asked for; a result code."""
    if block == 0:
        return 0
    if handle == 0:
        return refuse(error, Number.NO_DEVICE, 0, 0)
    before = stack(1)
    code = enter(handle, before)
    if code != 0:
        return refused(error, code, Driver.SET_CONTEXT)
    code = call_int(driver_function(Driver.GIVE), block, stream)
    leave(handle, before)
    return refused(error, code, Driver.GIVE) if code != 0 else 0


# States


def weft_device_new(handle: int, place: int, error: int) -> int:
    """Make a state as the program had it; a result code."""
    if place == 0:
        return refuse(error, Number.NO_PLACE, 0, 0)
    set_word(place, 0)
    if handle == 0:
        return refuse(error, Number.NO_DEVICE, 0, 0)
    plan = device_plan()
    state = allocate(WORD * State.LENGTH)
    if state == 0:
        return refuse(error, Number.NO_HOST_MEMORY, 0, WORD * State.LENGTH)
    before = stack(1)
    failed = stack(2)
    set_word(failed, 0)
    set_word(state + WORD * State.DEVICE, handle)
    set_word(state + WORD * State.ADDRESS, 0)
    if ask(failed, enter(handle, before), Driver.SET_CONTEXT):
        size = word(plan + WORD * Plan.STATE_BYTES)
        copy_to_new(state + WORD * State.ADDRESS, word(plan + WORD * Plan.STATE), size, failed)
        if word(failed) != 0 and word(state + WORD * State.ADDRESS) != 0:
            call_int(driver_function(Driver.FREE), word(state + WORD * State.ADDRESS))
        leave(handle, before)
    if word(failed) != 0:
        give_back(state)
        if word(failed) == Code.OUT_OF_MEMORY:
            return refuse(error, Number.NO_MEMORY, Code.OUT_OF_MEMORY, word(plan + WORD * Plan.STATE_BYTES))
        return refused(error, word(failed), word(failed + WORD))
    set_word(place, state)
    return 0


def weft_device_delete(state: int, error: int) -> int:
    """Free a state; a result code."""
    if state == 0:
        return 0
    handle = word(state + WORD * State.DEVICE)
    before = stack(1)
    failed = stack(2)
    set_word(failed, 0)
    if ask(failed, enter(handle, before), Driver.SET_CONTEXT):
        ask(failed, call_int(driver_function(Driver.FREE), word(state + WORD * State.ADDRESS)), Driver.FREE)
        leave(handle, before)
    give_back(state)
    return refused(error, word(failed), word(failed + WORD)) if word(failed) != 0 else 0


def weft_device_save(state: int, stream: int, buffer: int, error: int) -> int:
    """Write a state as a file, once a stream is done with it; a result code."""
    if state == 0:
        return refuse(error, Number.NO_STATE, 0, 0)
    plan = device_plan()
    length = word(plan + WORD * Plan.STATE_HEADER_BYTES)
    for index in range(length // WORD):  # which it is a multiple of
        set_word(buffer + WORD * index, word(word(plan + WORD * Plan.STATE_HEADER) + WORD * index))
    return move(state, stream, buffer + length, Driver.READ, error)


def weft_device_load(state: int, stream: int, buffer: int, size: int, error: int) -> int:
    """Take what was saved; a result code."""
    if state == 0:
        return refuse(error, Number.NO_STATE, 0, 0)
    plan = device_plan()
    length = word(plan + WORD * Plan.STATE_HEADER_BYTES)
    if size != length + word(plan + WORD * Plan.STATE_BYTES):
        return refuse(error, Number.NOT_SAVED, 0, 0)
    for index in range(length):
        if byte(buffer + index) != byte(word(plan + WORD * Plan.STATE_HEADER) + index):
            return refuse(error, Number.NOT_SAVED, 0, 0)
    return move(state, stream, buffer + length, Driver.WRITE, error)


def move(state: int, stream: int, buffer: int, function: int, error: int) -> int:
    """Copy the arrays of a state from or to the host, and wait; a result code."""
    handle = word(state + WORD * State.DEVICE)
    address = word(state + WORD * State.ADDRESS)
    size = word(device_plan() + WORD * Plan.STATE_BYTES)
    before = stack(1)
    failed = stack(2)
    set_word(failed, 0)
    if ask(failed, enter(handle, before), Driver.SET_CONTEXT):
        if size > 0:
            target = buffer if function == Driver.READ else address
            source = address if function == Driver.READ else buffer
            ask(failed, call_int(driver_function(function), target, source, size, stream), function)
        ask(failed, call_int(driver_function(Driver.WAIT), stream), Driver.WAIT)
        leave(handle, before)
    return refused(error, word(failed), word(failed + WORD)) if word(failed) != 0 else 0
