"""What planned functions of a GPU call: native code around the functions of the driver.

Translated to native code (see `cpu/native_python/translator.py`): every value is a 64-bit integer. All take the address
of the error record first, behind which are the stream and the tables of the call. A code of the driver other than 0
goes to the record, unless something has failed before; the caller looks there and exits.
"""

from __future__ import annotations

from ...cpu.native_python.intrinsics import CFunction, set_word, stack, word
from ...cpu.native_python.layout import WORD
from ...planning.plan import ENTRY_WORDS
from .call_context import (
    CONSTANTS,
    COPY,
    DEVICE_RECORD,
    DEVICE_WORDS,
    DRIVER_FAILED,
    ENCODE,
    FREE,
    FUNCTIONS,
    LAUNCH,
    LAUNCHES,
    LIBRARY,
    OUT_OF_MEMORY,
    POOL,
    READ,
    READS,
    RESERVE_DEVICE,
    SEEN,
    STREAM,
    TRIPS,
    WRITE,
)

cuLaunchKernel = CFunction(11, "i32")
cuMemAllocFromPoolAsync = CFunction(4, "i32")
cuMemFreeAsync = CFunction(2, "i32")
cuMemPoolTrimTo = CFunction(2, "i32")
cuMemcpyDtoDAsync_v2 = CFunction(4, "i32")
cuMemcpyDtoHAsync_v2 = CFunction(4, "i32")
cuMemcpyHtoDAsync_v2 = CFunction(4, "i32")
cuStreamSynchronize = CFunction(1, "i32")
cuTensorMapEncodeTiled = CFunction(12, "i32")
library_routine = CFunction(3, "i32")

SWIZZLE_128, PROMOTE_128 = 3, 2
"""Lines of a tile lie in different banks; lines of the cache are fetched whole."""


def weft_device_fail(record: int, code: int, what: int, number: int) -> None:
    """Note a code of the driver, what was asked of it, and a number."""
    if code != 0 and word(record) == 0:
        set_word(record + WORD, code)
        set_word(record + WORD * 2, what)
        set_word(record + WORD * 3, number)
        set_word(record, DRIVER_FAILED)


def weft_device_count(address: int) -> None:
    """Count one more in a word."""
    set_word(address, word(address) + 1)


def weft_device_function(record: int, number: int) -> int:
    """The handle of a kernel."""
    return word(word(record + WORD * FUNCTIONS) + WORD * number)


def weft_device_launch(
    record: int,
    number: int,
    gx: int,
    gy: int,
    gz: int,
    bx: int,
    by: int,
    bz: int,
    shared: int,
    parameters: int,
) -> None:
    """Launch a kernel: its number, grid, block, bytes of shared memory, the addresses of its parameters."""
    if gx * gy * gz != 0 and word(record) == 0:
        weft_device_count(record + WORD * LAUNCHES)
        function = weft_device_function(record, number)
        stream = word(record + WORD * STREAM)
        code = cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, 0)
        weft_device_fail(record, code, LAUNCH, number)


def weft_device_read(record: int, to: int, source: int, size: int) -> None:
    """Copy to the host and wait: the host's address, the device's, and bytes, which may be none.

    What a kernel has noted in the device's record comes along, and fails the call.
    """
    stream = word(record + WORD * STREAM)
    errors = word(record + WORD * DEVICE_RECORD)
    seen = record + WORD * SEEN
    if size != 0:
        weft_device_fail(record, cuMemcpyDtoHAsync_v2(to, source, size, stream), READ, size)
    if errors != 0:
        code = cuMemcpyDtoHAsync_v2(seen, errors, WORD * DEVICE_WORDS, stream)
        weft_device_fail(record, code, READ, WORD * DEVICE_WORDS)
    if size != 0 or errors != 0:
        weft_device_count(record + WORD * READS)
        weft_device_fail(record, cuStreamSynchronize(stream), READ, size)
    if errors != 0 and word(seen) != 0 and word(record) == 0:
        for index in range(DEVICE_WORDS):
            set_word(record + WORD * index, word(seen + WORD * index))


def weft_device_write(record: int, to: int, source: int, size: int) -> None:
    """Copy to the device: the device's address, the host's, bytes."""
    if size != 0:
        code = cuMemcpyHtoDAsync_v2(to, source, size, word(record + WORD * STREAM))
        weft_device_fail(record, code, WRITE, size)


def weft_device_copy(record: int, to: int, source: int, size: int) -> None:
    """Copy on the device."""
    if size != 0:
        code = cuMemcpyDtoDAsync_v2(to, source, size, word(record + WORD * STREAM))
        weft_device_fail(record, code, COPY, size)


def weft_device_encode_map(
    record: int,
    map: int,
    kind: int,
    rank: int,
    array: int,
    extents: int,
    strides: int,
    box: int,
    steps: int,
) -> None:
    """Write a tensor map: its address, kind, rank, and the addresses of the array, extents, strides, box and steps."""
    code = cuTensorMapEncodeTiled(
        map, kind, rank, array, extents, strides, box, steps, 0, SWIZZLE_128, PROMOTE_128, 0
    )
    weft_device_fail(record, code, ENCODE, array)


def weft_device_library(record: int, routine: int, words: int) -> None:
    """Call a routine of a library of the device, by its number, on arguments that words describe."""
    if word(record) == 0:
        weft_device_fail(
            record, library_routine(word(record + WORD * STREAM), routine, words), LIBRARY, routine
        )


def weft_device_errors(record: int) -> int:
    """The address of the device's record."""
    return word(record + WORD * DEVICE_RECORD)


def weft_device_trip(record: int, index: int, size: int) -> None:
    """Count a run of a kernel of the host: where its two words are, how many bytes are copied for it."""
    counts = word(record + WORD * TRIPS) + WORD * index
    weft_device_count(counts)
    set_word(counts + WORD, word(counts + WORD) + size)


# Blocks: entries of tables, as descriptors of memrefs of bytes


def weft_device_entry(table: int, index: int) -> int:
    """The address of an entry."""
    return table + WORD * ENTRY_WORDS * index


def weft_device_set(entry: int, block: int, size: int) -> None:
    """Make an entry that of a block of so many bytes."""
    set_word(entry, block)
    set_word(entry + WORD, block)
    set_word(entry + WORD * 2, 0)
    set_word(entry + WORD * 3, size)
    set_word(entry + WORD * 4, 1)


def weft_device_free(record: int, entry: int) -> None:
    """Free the block of an entry, if it has one."""
    block = word(entry)
    if block != 0:
        weft_device_fail(record, cuMemFreeAsync(block, word(record + WORD * STREAM)), FREE, 0)
    weft_device_set(entry, 0, 0)


def weft_device_allocate(record: int, size: int) -> int:
    """A block of so many bytes, or 0; where there is no room, what was freed is given back, and asked for again."""
    place = stack(1)
    wanted = max(size, 1)
    stream = word(record + WORD * STREAM)
    pool = word(record + WORD * POOL)
    code = cuMemAllocFromPoolAsync(place, wanted, pool, stream)
    if code == OUT_OF_MEMORY:
        cuStreamSynchronize(stream)
        cuMemPoolTrimTo(pool, 0)
        code = cuMemAllocFromPoolAsync(place, wanted, pool, stream)
    weft_device_fail(record, 0 if code == OUT_OF_MEMORY else code, RESERVE_DEVICE, size)
    return word(place) if code == 0 else 0


def weft_device_reserve(record: int, table: int, index: int, size: int) -> int:
    """Make a block large enough; whether there is memory.

    What grows once grows again: half as much more makes the cost of all that follows a constant per byte.
    """
    entry = weft_device_entry(table, index)
    there = word(entry + WORD * 3)
    if word(entry) != 0 and size <= there:
        return 1
    wanted = max(there + (there >> 1), size)
    weft_device_free(record, entry)
    block = weft_device_allocate(record, wanted)
    if block == 0:
        wanted = size
        block = weft_device_allocate(record, size)
    weft_device_set(entry, block, wanted if block != 0 else 0)
    return block != 0


def weft_device_release(record: int, table: int, count: int) -> None:
    """Free the blocks of a table."""
    for index in range(count):
        weft_device_free(record, weft_device_entry(table, index))


def weft_device_constant(record: int, table: int, index: int, number: int, size: int) -> None:
    """Make an entry of a table that of a constant: index, number, bytes."""
    block = word(word(record + WORD * CONSTANTS) + WORD * number)
    weft_device_set(weft_device_entry(table, index), block, size)
