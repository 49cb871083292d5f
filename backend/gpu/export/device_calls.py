"""Native code around a call of an exported function: what it needs of the driver, from its beginning to its end.

Errors of the driver go to the record of the call, where those of the program go; the first one stays.
"""

from __future__ import annotations

from ...cpu.native_python.intrinsics import (
    Order,
    atomic_exchange,
    call_int,
    compare_exchange,
    set_word,
    stack,
    word,
)
from ...cpu.native_python.layout import WORD
from ...planning.plan import ENTRY_WORDS
from ..machine.call_context import (
    CONSTANTS,
    COPY,
    DEVICE_BYTES,
    DEVICE_RECORD,
    DEVICE_WORDS,
    DRIVER_FAILED,
    FREE,
    FUNCTIONS,
    GRAPHS,
    OUT_OF_MEMORY,
    POOL,
    READ,
    RESERVE_DEVICE,
    RESERVE_HOST,
    STREAM,
    TRIPS,
    WRITE,
)
from .driver_calls import driver_function, enter, leave
from .failures import KEEP_RECORD, SET_CONTEXT, Number
from .given import allocate, device_plan, give_back, refuse, told
from .layout import PLACES, Call, Driver, Frame, Graph, Handle, Plan, Program


def weft_device_begin(device: int, stream: int, record: int, program: int) -> int:
    """Begin a call; not 0 if it cannot."""
    row = program_row(program)
    set_word(record + WORD * Call.DEVICE, device)
    set_word(record + WORD * Call.PROGRAM, program)
    set_word(record + WORD * STREAM, stream)
    set_word(record + WORD * POOL, word(device + WORD * Handle.POOL))
    kernels = word(device + WORD * Handle.KERNELS) + WORD * word(row + WORD * Program.FIRST_KERNEL)
    set_word(record + WORD * FUNCTIONS, kernels)
    constants = word(device + WORD * Handle.CONSTANTS) + WORD * word(row + WORD * Program.FIRST_CONSTANT)
    set_word(record + WORD * CONSTANTS, constants)
    code = enter(device, record + WORD * Call.BEFORE)
    if code != 0:
        return fail(record, code, SET_CONTEXT, 0)
    set_word(record + WORD * Call.IS_OPEN, 1)
    if frame_words(row) > Frame.LENGTH or word(row + WORD * Program.HAS_CHECKS) != 0:
        frame = take_frame(device, record, row, program)
        set_word(record + WORD * Call.FRAME, frame)
        if frame != 0:
            set_word(record + WORD * DEVICE_RECORD, word(frame + WORD * Frame.RECORD))
            trips = frame + WORD * Frame.LENGTH
            set_word(record + WORD * TRIPS, trips)
            set_word(record + WORD * GRAPHS, trips + WORD * word(row + WORD * Program.TRIPS))
    return word(record)


def program_row(program: int) -> int:
    """What the plan tells of a function."""
    return word(device_plan() + WORD * Plan.PROGRAM_TABLE) + WORD * Program.LENGTH * program


def frame_words(row: int) -> int:
    """The words of a frame."""
    return Frame.LENGTH + word(row + WORD * Program.TRIPS) + word(row + WORD * Program.GRAPH_WORDS)


def fail(record: int, code: int, what: int, number: int) -> int:
    """Note a code of the driver, if nothing was noted; what the record tells."""
    if code != 0 and word(record) == 0:
        set_word(record + WORD, code)
        set_word(record + WORD * 2, what)
        set_word(record + WORD * 3, number)
        set_word(record, DRIVER_FAILED)
    return word(record)


# Frames


def take_frame(device: int, record: int, row: int, program: int) -> int:
    """A frame that no other call has; 0 if there is no memory."""
    places = word(device + WORD * Handle.FRAMES) + WORD * PLACES * program
    for place in range(PLACES):
        frame = atomic_exchange(places + WORD * place, 0, Order.ACQUIRE)
        if frame != 0:
            return frame
    words = frame_words(row)
    frame = allocate(WORD * words)
    if frame == 0:
        fail(record, OUT_OF_MEMORY, RESERVE_HOST, WORD * words)
        return 0
    for number in range(words):
        set_word(frame + WORD * number, 0)
    if word(row + WORD * Program.HAS_CHECKS) != 0:
        at = frame + WORD * Frame.RECORD
        code = call_int(driver_function(Driver.ALLOCATE), at, DEVICE_BYTES)
        if code == 0:
            code = clear(word(at), word(record + WORD * STREAM))
        if fail(record, code, KEEP_RECORD, DEVICE_BYTES) != 0:
            drop_frame(frame, row)
            return 0
    return frame


def clear(address: int, stream: int) -> int:
    """Make the record of the device empty; the driver's code."""
    code = call_int(driver_function(Driver.FILL), address, 0, DEVICE_BYTES, stream)
    return code if code != 0 else call_int(driver_function(Driver.WAIT), stream)  # for calls on other streams


def keep_frame(device: int, record: int, program: int) -> None:
    """Let another call have the frame."""
    frame = word(record + WORD * Call.FRAME)
    places = word(device + WORD * Handle.FRAMES) + WORD * PLACES * program
    for place in range(PLACES):
        if compare_exchange(places + WORD * place, 0, frame, Order.RELEASE, Order.RELAXED):
            return
    drop_frame(frame, program_row(program))


def drop_frame(frame: int, row: int) -> None:
    """Free a frame with what it has of the driver."""
    graphs = frame + WORD * (Frame.LENGTH + word(row + WORD * Program.TRIPS))
    for number in range(word(row + WORD * Program.GRAPHS)):
        graph = graphs + WORD * word(word(row + WORD * Program.STARTS) + WORD * number)
        if word(graph + WORD * Graph.INSTANCE) > 0:
            call_int(driver_function(Driver.DESTROY_INSTANCE), word(graph + WORD * Graph.INSTANCE))
        if word(graph + WORD * Graph.GRAPH) != 0:
            call_int(driver_function(Driver.DESTROY_GRAPH), word(graph + WORD * Graph.GRAPH))
    if word(frame + WORD * Frame.RECORD) != 0:
        call_int(driver_function(Driver.FREE), word(frame + WORD * Frame.RECORD))
    give_back(frame)


# Memory of the call


def weft_device_take(record: int, size: int) -> int:
    """The address of a block of the device that the call has; 0 if there is none."""
    found = stack(1)
    set_word(found, 0)
    pool = word(record + WORD * POOL)
    stream = word(record + WORD * STREAM)
    code = call_int(driver_function(Driver.TAKE), found, size, pool, stream)
    if code == OUT_OF_MEMORY:  # what other streams have freed
        call_int(driver_function(Driver.SYNCHRONIZE))
        call_int(driver_function(Driver.TRIM_POOL), pool, 0)
        code = call_int(driver_function(Driver.TAKE), found, size, pool, stream)
    fail(record, code, RESERVE_DEVICE, size)
    return word(found) if code == 0 else 0


def weft_device_upload(record: int, target: int, source: int, size: int) -> None:
    """Copy from the host, where the bytes may change when this returns."""
    stream = word(record + WORD * STREAM)
    fail(record, call_int(driver_function(Driver.WRITE), target, source, size, stream), WRITE, size)


def weft_device_download(record: int, target: int, source: int, size: int) -> None:
    """Copy to the host, and wait."""
    stream = word(record + WORD * STREAM)
    code = call_int(driver_function(Driver.READ), target, source, size, stream)
    if code == 0:
        code = call_int(driver_function(Driver.WAIT), stream)
    fail(record, code, READ, size)


def weft_device_copy(record: int, target: int, source: int, size: int) -> None:
    """Copy on the device, unless the call has failed."""
    if word(record) == 0:
        stream = word(record + WORD * STREAM)
        fail(record, call_int(driver_function(Driver.COPY), target, source, size, stream), COPY, size)


def weft_device_free_blocks(record: int, table: int, count: int) -> None:
    """Free blocks of a table behind all that was asked for."""
    for number in range(count):
        block = word(table + WORD * ENTRY_WORDS * number)
        if block != 0:
            code = call_int(driver_function(Driver.GIVE), block, word(record + WORD * STREAM))
            fail(record, code, FREE, 0)


# The end


def weft_device_look(record: int) -> int:
    """Wait for what kernels of the device have noted; what the record tells then.

    What the host has noted came behind that, but for what the driver refused.
    """
    address = word(record + WORD * DEVICE_RECORD)
    if address == 0 or word(record) == DRIVER_FAILED:
        return word(record)
    seen = stack(DEVICE_WORDS)
    set_word(seen, 0)
    stream = word(record + WORD * STREAM)
    code = call_int(driver_function(Driver.READ), seen, address, WORD * DEVICE_WORDS, stream)
    if code == 0:
        code = call_int(driver_function(Driver.WAIT), stream)
    if code == 0 and word(seen) != 0:
        for number in range(DEVICE_WORDS):
            set_word(record + WORD * number, word(seen + WORD * number))
        clear(address, stream)
    return fail(record, code, READ, WORD * DEVICE_WORDS)


def weft_device_end(record: int, block: int) -> None:
    """End a call that has begun, which had a block."""
    device = word(record + WORD * Call.DEVICE)
    if word(record + WORD * Call.IS_OPEN) == 0:
        return
    if block != 0:
        fail(record, call_int(driver_function(Driver.GIVE), block, word(record + WORD * STREAM)), FREE, 0)
    if word(record + WORD * Call.FRAME) != 0:
        keep_frame(device, record, word(record + WORD * Call.PROGRAM))
    leave(device, record + WORD * Call.BEFORE)


def weft_device_failed(error: int, record: int, first: int) -> int:
    """Tell what the record has; the result code."""
    if word(record) != DRIVER_FAILED:
        return told(error, record, first)
    code = word(record + WORD)
    what = word(record + WORD * 2)
    size = word(record + WORD * 3)
    if code == OUT_OF_MEMORY:
        if what == RESERVE_DEVICE:
            return refuse(error, Number.NO_MEMORY, code, size)
        if what == KEEP_RECORD:
            return refuse(error, Number.NO_MEMORY, code, size)
    return refuse(error, Number.OF_CALLS + what, code, size)
