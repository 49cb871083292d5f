"""The header of a library, for C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...planning.plan import MAX_VALUES
from ...target import Target
from .interface import C_TYPES, CODES, CFunction, Library, Output, Place
from .planned_call import unknown

_GUARDED = """\
#ifndef WEFT_EXPORT
#define WEFT_EXPORT
#if defined(__cplusplus)
#include <complex>
typedef std::complex<float> weft_complex64;
typedef std::complex<double> weft_complex128;
#elif defined(_MSC_VER)
typedef struct {{ float real, imag; }} weft_complex64;
typedef struct {{ double real, imag; }} weft_complex128;
#else
typedef float _Complex weft_complex64;
typedef double _Complex weft_complex128;
#endif

/* What functions return: 0, or which exception Python would see. */
enum {{
{codes}
}};

/* What went wrong, for describe; functions take NULL in its place. `cancel` is read while a function runs: it is
   NULL or the address of a flag, and once that is not 0 the call ends with WEFT_CANCELLED. The rest needs no values. */
typedef struct weft_error {{
  int64_t place, values[{values}];
  const volatile int64_t *cancel;
}} weft_error;
#endif
"""


def code_name(code: str) -> str:
    """The name of a result code.

    >>> code_name("ZeroDivisionError"), code_name("OK")
    ('WEFT_ZERO_DIVISION_ERROR', 'WEFT_OK')
    """
    return f"WEFT_{re.sub('(?<=[a-z])(?=[A-Z])', '_', code).upper()}"


def header_text(library: Library, target: Target) -> str:
    """The text of the header."""
    lines = [*_common(library)]
    for function in library.functions:
        lines += ["", *function_lines(library, function)]
    return whole_header(library, target, target.name, [], lines)


def whole_header(
    library: Library, target: Target, made_for: str, told: Sequence[str], declarations: Sequence[str]
) -> str:
    """A header of some declarations; `told` is said of the library besides what is true of all."""
    lines = [
        f"/* {library.name}, made by weft for {made_for} ({target.triple}).",
        "   Arrays are contiguous, row-major, aligned to their elements, and do not overlap where one is written.",
        *(f"   {line}" for line in told),
        f"   Extents that are not fixed follow the address.{_told(target)} */",
        f"#ifndef {library.name.upper()}_H",
        f"#define {library.name.upper()}_H",
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "",
        _GUARDED.format(
            codes=",\n".join(f"  {code_name(code)} = {number}" for code, number in CODES.items()),
            values=MAX_VALUES,
        ),
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        *declarations,
        "",
        *("#ifdef __cplusplus", "}", "#endif", "#endif", ""),
    ]
    return "\n".join(lines)


def _told(target: Target) -> str:
    needs = ", ".join(sorted(target.needs or ()))
    return f"\n   The processor must have {needs}." if needs else ""


def describe_lines(library: Library) -> Iterator[str]:
    """The declaration of what tells of errors."""
    yield ""
    yield "/* Writes the message of an error as far as there is room, and a zero; returns the length of all of it. */"
    yield f"int64_t {library.name}_describe(const weft_error *error, char *text, int64_t size);"


def _common(library: Library) -> Iterator[str]:
    name = library.name
    yield from describe_lines(library)
    if any(output.place is Place.BLOCK for function in library.functions for output in function.outputs):
        yield "/* Frees a result that a function made. */"
        yield f"void {name}_free(void *result);"
    if library.has_threads:
        yield "/* So many threads share loops, the caller's included; at first as many as there are processors. */"
        yield f"void {name}_set_threads(int64_t threads);"
    if library.has_levels:
        yield "/* The name of the level of processors whose code runs here: the highest that the processor has. */"
        yield f"const char *{name}_level(void);"
    if library.state:
        yield from _state(library)


def _state(library: Library) -> Iterator[str]:
    name = library.name
    yield ""
    yield "/* What functions keep from call to call. A state is used by one call at a time; there may be many. */"
    yield f"typedef struct {name}_state {name}_state;"
    yield "/* A state as the program had it when it was exported; NULL if there is no memory. */"
    yield f"{name}_state *{name}_new(void);"
    yield f"void {name}_delete({name}_state *state);"
    yield "/* The bytes that save writes: a .safetensors file. load takes such, or returns WEFT_VALUE_ERROR. */"
    yield f"int64_t {name}_size(void);"
    yield f"void {name}_save(const {name}_state *state, void *buffer);"
    yield f"int32_t {name}_load({name}_state *state, const void *buffer, int64_t size);"
    for array in library.state:
        yield f"/* {plain(array.key)}: {array.type} */"
        yield f"{C_TYPES[array.type.dtype.name]} *{name}_{array.name}({name}_state *state);"


def function_lines(
    library: Library, function: CFunction, first: Sequence[str] = (), told: str = ""
) -> Iterator[str]:
    """The declarations of a function, with what there is to say; `first` are parameters that only a call has."""
    inputs = list(input_parameters(library, function))
    read = [text if text.startswith("const ") or " *" not in text else f"const {text}" for text in inputs]
    arrays = [
        f"{i.name}: {i.type}{', written' if i.is_written else ''}"
        for i in function.inputs
        if i.place in _GIVEN
    ]
    results = [f"{o.name}: {o.type}{_memory(library, o)}" for o in function.outputs if o.place in _MADE]
    results += [f"{name}: is {plain(argument)}" for name, argument in function.same]
    yield f"/* {', '.join(arrays) or 'nothing'} -> {', '.join(results) or 'nothing'}{told} */"
    if function.sized:
        names = [f"{o.name}.{axis}" for o in function.sized for axis in unknown(o.type)]
        yield f"/* The extents that are not fixed: {', '.join(names)} (by their axes). */"
        count = len(names)
        yield f"void {function.name}_sizes({', '.join([*read, f'int64_t sizes[{count}]'])});"
    parameters = [*first, *inputs, *output_parameters(function), "weft_error *error"]
    yield f"int32_t {function.name}({', '.join(parameters)});"


_GIVEN = (Place.CALLER, Place.VALUE)
_MADE = (Place.CALLER, Place.BLOCK)


def input_parameters(library: Library, function: CFunction) -> Iterator[str]:
    """The parameters of what a function gets."""
    if function.uses_state and not library.is_for_device:
        yield f"{library.name}_state *state"
    for given in function.inputs:
        type = C_TYPES[given.type.dtype.name]
        if given.place is Place.VALUE:
            yield f"{type} {given.name}"
        elif given.place is Place.CALLER:
            yield f"{'' if given.is_written else 'const '}{type} *{given.name}"
            yield from (f"int64_t {given.name}_{axis}" for axis in unknown(given.type))


def output_parameters(function: CFunction) -> Iterator[str]:
    """The parameters of results."""
    for output in function.outputs:
        type = C_TYPES[output.type.dtype.name]
        if output.place is Place.CALLER:
            yield f"{type} *{output.name}"
        elif output.place is Place.BLOCK:
            yield f"{type} **{output.name}"
            if output.type.rank:
                yield f"int64_t {output.name}_shape[{output.type.rank}]"


def _memory(library: Library, output: Output) -> str:
    return f", in a block for {library.name}_free" if output.place is Place.BLOCK else ""


def plain(words: str) -> str:
    """Words that end no comment."""
    return words.replace("*/", "* /").replace("\n", " ")
