"""The header of a library for GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpu.export.header import describe_lines, function_lines, plain, whole_header
from ...cpu.export.interface import C_TYPES, CFunction, Library, Place
from .library import DeviceLibrary
from .runtime import DeviceProgram
from .waiting import why_it_waits

_TOLD = (
    "Arrays, results and the state are memory of the GPU, at addresses of its context. Numbers are passed by value,",
    "complex ones by an address of the host; sizes, errors and saved states are memory of the host, too. Calls are",
    "queued on the stream, NULL is the default one. Memory that a call needs comes from a pool of the library.",
)

_TYPES = """
/* As cuda.h declares them. */
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
"""


def device_header_text(made: DeviceLibrary) -> str:
    """The text of the header."""
    library, target = made.built.library, made.built.target
    lines = [*_common(library)]
    for function, program in zip(library.functions, made.programs, strict=True):
        lines += [
            "",
            *function_lines(library, function, list(_first(library, function)), _waiting(function, program)),
        ]
    return whole_header(library, target, f"{made.arch}, launched by {target.name}", _TOLD, lines)


def _first(library: Library, function: CFunction) -> Iterator[str]:
    yield f"{library.name}_device *device"
    yield "CUstream stream"
    if function.uses_state:
        yield f"{library.name}_state *state"


def _waiting(function: CFunction, program: DeviceProgram) -> str:
    """What a caller should know of how a call waits."""
    reasons = list(why_it_waits(function, program))
    if not reasons:
        return ".\n   It does not wait: errors of kernels that break the context come to light later"
    return f".\n   It waits for the stream: {', '.join(reasons)}"


_COMMON = """
/* LIBRARY in a context: its kernels and constants. Threads may use it at once, on streams of that context. */
typedef struct LIBRARY_device LIBRARY_device;
/* Loads the driver, and the kernels for a context, or for the current one if it is NULL. `driver` is the path of the
   driver's library; NULL stands for libcuda.so.1. */
int32_t LIBRARY_open(CUcontext context, const char *driver, LIBRARY_device **device, weft_error *error);
/* Waits for the GPU, and unloads the kernels. Before, states are to be deleted and results to be freed. */
int32_t LIBRARY_close(LIBRARY_device *device, weft_error *error);"""

_FREE = """\
/* Frees a result that a function made, once the stream has done what it was asked for before. */
int32_t LIBRARY_free(LIBRARY_device *device, CUstream stream, void *result, weft_error *error);"""

_STATE = """
/* What functions keep from call to call, on the GPU. There may be many; calls with one are on one stream, or on streams
   that wait for each other. */
typedef struct LIBRARY_state LIBRARY_state;
/* A state as the program had it when it was exported. */
int32_t LIBRARY_new(LIBRARY_device *device, LIBRARY_state **state, weft_error *error);
int32_t LIBRARY_delete(LIBRARY_state *state, weft_error *error);
/* The bytes of the host that save writes: a .safetensors file. load takes such, or returns WEFT_VALUE_ERROR. Both wait
   for the stream. */
int64_t LIBRARY_size(void);
int32_t LIBRARY_save(const LIBRARY_state *state, CUstream stream, void *buffer, weft_error *error);
int32_t LIBRARY_load(LIBRARY_state *state, CUstream stream, const void *buffer, int64_t size,
                     weft_error *error);"""


def _common(library: Library) -> Iterator[str]:
    yield _TYPES.rstrip()
    yield from describe_lines(library)
    parts = [_COMMON]
    if any(output.place is Place.BLOCK for function in library.functions for output in function.outputs):
        parts.append(_FREE)
    if library.state:
        parts.append(_STATE)
    for part in parts:
        yield part.replace("LIBRARY", library.name)
    for array in library.state:
        yield f"/* {plain(array.key)}: {array.type}, where it is on the GPU */"
        yield f"{C_TYPES[array.type.dtype.name]} *{library.name}_{array.name}({library.name}_state *state);"
