"""The module of a library for Rust: its functions as they are, in `sys`, and with slices and errors around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...planning.plan import MAX_VALUES
from .header import code_name
from .interface import CODES, CFunction, Input, Library, Output, Place
from .rust_support import BLOCKS, PATHS, STATE, SUPPORT, TYPES, rust_name


def rust_module_text(library: Library, links: Sequence[str] = ()) -> str:
    """The text of the module; `links` are attributes that tell rustc what to link."""
    name = library.name
    lines = [
        f"// {name} for Rust 1.82 and later; {name}.h tells more.",
        "#![allow(dead_code, unused_imports)]",
    ]
    lines += ["#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]"]
    lines += ["#![allow(clippy::all)]", SUPPORT.format(name=name), *_sys(library, links)]
    if any(output.place is Place.BLOCK for function in library.functions for output in function.outputs):
        lines.append(BLOCKS.format(name=name))
    if library.state:
        lines.append(STATE.format(name=name).rstrip("\n"))
        for array in library.state:
            type, count = TYPES[array.type.dtype.name], array.value.size
            place = f"std::slice::from_raw_parts_mut(sys::{name}_{array.name}(self.0), {count})"
            lines.append(
                f"    pub fn {rust_name(array.name)}(&mut self) -> &mut [{type}] {{ unsafe {{ {place} }} }}"
            )
        lines.append("}")
    for function in library.functions:
        lines += ["", *_function(library, function)]
    return "\n".join([*lines, ""])


def _sys(library: Library, links: Sequence[str]) -> Iterator[str]:
    """The functions and constants of the header."""
    name = library.name
    yield "/// The library as it is."
    yield "pub mod sys {"
    yield "    use super::{Complex, c_char, c_void};"
    for code, number in CODES.items():
        yield f"    pub const {code_name(code)}: i32 = {number};"
    yield "    #[repr(C)]"
    fields = f"pub place: i64, pub values: [i64; {MAX_VALUES}], pub cancel: *const i64"
    yield f"    pub struct weft_error {{ {fields} }}"
    yield "    impl Default for weft_error {"
    yield f"        fn default() -> Self {{ Self {{ place: 0, values: [0; {MAX_VALUES}], cancel: std::ptr::null() }} }}"
    yield "    }"
    state = f"*mut {name}_state"
    if library.state:
        yield f"    #[repr(C)] pub struct {name}_state {{ own: [u8; 0] }}"
    yield from (f"    {link}" for link in links)
    yield '    unsafe extern "C" {'
    declared = [("describe", "error: *const weft_error, text: *mut c_char, size: i64", " -> i64")]
    if any(output.place is Place.BLOCK for function in library.functions for output in function.outputs):
        declared.append(("free", "result: *mut c_void", ""))
    if library.has_threads:
        declared.append(("set_threads", "threads: i64", ""))
    if library.has_levels:
        declared.append(("level", "", " -> *const c_char"))
    if library.state:
        declared += [("new", "", f" -> {state}"), ("delete", f"state: {state}", ""), ("size", "", " -> i64")]
        declared.append(("save", f"state: *const {name}_state, buffer: *mut c_void", ""))
        declared.append(("load", f"state: {state}, buffer: *const c_void, size: i64", " -> i32"))
        for array in library.state:
            declared.append((array.name, f"state: {state}", f" -> *mut {TYPES[array.type.dtype.name]}"))
    for what, parameters, returned in declared:
        yield f"        pub fn {name}_{what}({parameters}){returned};"
    for function in library.functions:
        taken = _raw_inputs(library, function)
        if function.sized:
            read = ", ".join([text.replace("*mut", "*const") for text in taken] + ["sizes: *mut i64"])
            yield f"        pub fn {function.name}_sizes({read});"
        taken += [text for output in function.outputs for text in _raw_output(output)]
        link_name = f'#[link_name = "{function.name}"] ' if function.name in PATHS else ""
        given = ", ".join([*taken, "error: *mut weft_error"])
        yield f"        {link_name}pub fn {rust_name(function.name)}({given}) -> i32;"
    yield "    }"
    yield "}"


def _raw_inputs(library: Library, function: CFunction) -> list[str]:
    parameters = [f"state: *mut {library.name}_state"] if function.uses_state else []
    for given in _given(function):
        pointer = "" if given.place is Place.VALUE else "*mut " if given.is_written else "*const "
        parameters.append(f"{rust_name(given.name)}: {pointer}{TYPES[given.type.dtype.name]}")
        if pointer:
            parameters += [f"{given.name}_{axis}: i64" for axis in _unknown(given)]
    return parameters


def _raw_output(output: Output) -> list[str]:
    type = TYPES[output.type.dtype.name]
    if output.place is Place.BLOCK:
        return [f"{output.name}: *mut *mut {type}"] + [f"{output.name}_shape: *mut i64"] * bool(
            output.type.rank
        )
    return [f"{output.name}: *mut {type}"] if output.place is Place.CALLER else []


def _given(function: CFunction) -> list[Input]:
    return [i for i in function.inputs if i.place in (Place.CALLER, Place.VALUE)]


def _unknown(given: Input | Output) -> list[int]:
    return [axis for axis, extent in enumerate(given.type.shape) if extent is None]


def _function(library: Library, function: CFunction) -> Iterator[str]:
    """A function that takes slices and returns arrays."""
    given = _given(function)
    made = [output for output in function.outputs if output.place in (Place.CALLER, Place.BLOCK)]
    parameters = ["weft_state: &mut State"] if function.uses_state else []
    parameters += [f"{rust_name(i.name)}: {_parameter(i)}" for i in given]
    types = [
        f"Array<{TYPES[o.type.dtype.name]}, {o.type.rank}>" if o.type.rank else TYPES[o.type.dtype.name]
        for o in made
    ]
    returned = types[0] if len(types) == 1 else f"({', '.join(types)})"
    yield f"/// {', '.join(f'{i.name}: {i.type}' for i in given)} -> {', '.join(f'{o.name}: {o.type}' for o in made)}"
    lifetime = "<'a>" if any("<'a" in text for text in parameters) else ""
    yield f"pub fn {rust_name(function.name)}{lifetime}({', '.join(parameters)}) -> Result<{returned}, Error> {{"
    for item in given:
        if item.type.rank:
            yield f"    let {rust_name(item.name)} = {rust_name(item.name)}.into();"
        for axis, extent in enumerate(item.type.shape):
            if extent is not None:
                fits = f"{rust_name(item.name)}.shape[{axis}] == {extent}"
                yield f'    weft_require({fits}, "{item.name}: {item.type}")?;'
    if function.sized:
        yield f"    let mut weft_sizes = [0i64; {sum(len(_unknown(output)) for output in function.sized)}];"
        read = [*_state(function), *(text for i in given for text in _passed(i, is_written=False))]
        call = f"sys::{function.name}_sizes({', '.join([*read, 'weft_sizes.as_mut_ptr()'])})"
        yield f"    unsafe {{ {call} }};"
    known = iter(range(1 << 30))
    for output, type in zip(made, types, strict=True):
        yield from _declared(output, type, known)
    passed = [text for i in given for text in _passed(i, is_written=i.is_written)]
    passed += [text for output in made for text in _passed_for(output)]
    yield "    let mut weft_found = sys::weft_error::default();"
    call = f"sys::{rust_name(function.name)}({', '.join([*_state(function), *passed, '&mut weft_found'])})"
    yield f"    weft_check(unsafe {{ {call} }}, &weft_found)?;"
    for output in made:
        if output.place is Place.BLOCK:
            yield f"    let {output.name} = unsafe {{ weft_taken({output.name}_block, {output.name}_shape) }};"
    results = ", ".join(output.name for output in made)
    yield f"    Ok({results if len(made) == 1 else f'({results})'})"
    yield "}"


def _state(function: CFunction) -> list[str]:
    return ["weft_state.0"] if function.uses_state else []


def _parameter(given: Input) -> str:
    type, rank = TYPES[given.type.dtype.name], given.type.rank
    if given.place is Place.VALUE:
        return type
    if not rank:
        return f"&mut {type}" if given.is_written else f"&{type}"
    return f"impl Into<View{'Mut' if given.is_written else ''}<'a, {type}, {rank}>>"


def _passed(given: Input, *, is_written: bool) -> list[str]:
    name = rust_name(given.name)
    if given.place is Place.VALUE or not given.type.rank:
        return [name]
    return [
        f"{name}.data.as_{'mut_' if is_written else ''}ptr()",
        *(f"{name}.shape[{axis}]" for axis in _unknown(given)),
    ]


def _declared(output: Output, type: str, known: Iterator[int]) -> Iterator[str]:
    if output.place is Place.BLOCK:
        yield f"    let mut {output.name}_block = std::ptr::null_mut();"
        yield f"    let mut {output.name}_shape = [0i64; {output.type.rank}];"
    elif output.type.rank:
        extents = ", ".join(f"weft_sizes[{next(known)}]" if e is None else str(e) for e in output.type.shape)
        yield f"    let mut {output.name} = {type.replace('Array<', 'Array::<', 1)}::new([{extents}]);"
    else:
        yield f"    let mut {output.name} = {type.replace('<', '::<')}::default();"


def _passed_for(output: Output) -> list[str]:
    if output.place is Place.BLOCK:
        return [f"&mut {output.name}_block"] + [f"{output.name}_shape.as_mut_ptr()"] * bool(output.type.rank)
    return [f"{output.name}.data.as_mut_ptr()" if output.type.rank else f"&mut {output.name}"]
