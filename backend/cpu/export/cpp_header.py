"""The header of a library for C++20: views of arrays go in, arrays come out, errors are exceptions."""

from __future__ import annotations

from collections.abc import Iterator

from .header import input_parameters
from .interface import C_TYPES, CFunction, Input, Library, Output, Place

_GUARDED = """\
#ifndef WEFT_EXPORT_HPP
#define WEFT_EXPORT_HPP
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
namespace weft {
/* An array in the memory of somebody else: contiguous and row-major. */
template <class T, std::size_t R> struct view {
  T *data;
  std::array<std::int64_t, R> shape;
  view(T *data, std::array<std::int64_t, R> shape) : data(data), shape(shape) {}
  template <class C> requires(R == 1 && requires(C &c) { std::span<T>(c); })
  view(C &&c) : data(std::span<T>(c).data()), shape{static_cast<std::int64_t>(std::span<T>(c).size())} {}
  operator view<const T, R>() const { return {data, shape}; }
};
/* An array of its own. */
template <class T, std::size_t R> struct array {
  std::array<std::int64_t, R> shape;
  std::unique_ptr<T[]> elements;
  explicit array(std::array<std::int64_t, R> shape) : shape(shape), elements(new T[size()]) {}
  std::size_t size() const {
    std::size_t count = 1;
    for (auto extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
  }
  T *data() { return elements.get(); }
  const T *data() const { return elements.get(); }
  T *begin() { return data(); }
  T *end() { return data() + size(); }
  const T *begin() const { return data(); }
  const T *end() const { return data() + size(); }
  T &operator[](std::size_t index) { return elements[index]; }
  const T &operator[](std::size_t index) const { return elements[index]; }
  operator view<T, R>() { return {data(), shape}; }
  operator view<const T, R>() const { return {data(), shape}; }
};
/* What a function ended with; lack of memory is std::bad_alloc. */
struct error : std::runtime_error {
  std::int32_t code;
  std::int64_t place;
  error(std::int32_t code, std::int64_t place, const std::string &text)
      : std::runtime_error(text), code(code), place(place) {}
};
template <class Describe> void check(std::int32_t code, const weft_error &found, Describe describe) {
  if (code == WEFT_OK) return;
  if (code == WEFT_MEMORY_ERROR) throw std::bad_alloc();
  std::string text(static_cast<std::size_t>(describe(&found, nullptr, 0)) + 1, ' ');
  describe(&found, text.data(), static_cast<std::int64_t>(text.size()));
  text.pop_back();
  throw error(code, found.place, text);
}
inline void require(bool fits, const char *wanted) {
  if (!fits) throw error(WEFT_VALUE_ERROR, 0, std::string(wanted) + " is wanted");
}
}  // namespace weft
#endif
"""


def cpp_header_text(library: Library) -> str:
    """The text of the header."""
    guard = f"{library.name.upper()}_HPP"
    lines = [
        f"/* {library.name} for C++20; {library.name}.h tells more. */",
        f"#ifndef {guard}",
        f"#define {guard}",
    ]
    lines += [f'#include "{library.name}.h"', _GUARDED, f"namespace {library.name}_cpp {{"]
    if library.state:
        lines += _state(library)
    for function in library.functions:
        lines += ["", *_function(library, function)]
    return "\n".join([*lines, f"}}  // namespace {library.name}_cpp", "#endif", ""])


def _state(library: Library) -> Iterator[str]:
    name = library.name
    yield "class state {"
    yield f"  std::unique_ptr<{name}_state, void (*)({name}_state *)> own;"
    yield "public:"
    yield f"  state() : own({name}_new(), {name}_delete) {{ if (!own) throw std::bad_alloc(); }}"
    yield f"  {name}_state *get() const {{ return own.get(); }}"
    yield "  std::vector<char> save() const {"
    yield f"    std::vector<char> bytes(static_cast<std::size_t>({name}_size()));"
    yield f"    {name}_save(own.get(), bytes.data());"
    yield "    return bytes;"
    yield "  }"
    yield "  void load(std::span<const char> bytes) {"
    yield f"    auto code = {name}_load(own.get(), bytes.data(), static_cast<std::int64_t>(bytes.size()));"
    yield '    weft::require(code == WEFT_OK, "what save wrote");'
    yield "  }"
    for array in library.state:
        type = f"weft::view<{C_TYPES[array.type.dtype.name]}, {array.type.rank}>"
        shape = ", ".join(map(str, array.value.shape))
        yield f"  {type} {array.name}() {{ return {{{name}_{array.name}(own.get()), {{{shape}}}}}; }}"
    yield "};"


def _function(library: Library, function: CFunction) -> Iterator[str]:
    given = [i for i in function.inputs if i.place in (Place.CALLER, Place.VALUE)]
    made = [o for o in function.outputs if o.place is not Place.STATE]
    parameters = ["state &weft_state"] if function.uses_state else []
    parameters += [_parameter(i) for i in given]
    yield f"inline {_result_type(made)} {function.name}({', '.join(parameters)}) {{"
    for item in given:
        for axis, extent in enumerate(item.type.shape if item.place is Place.CALLER else ()):
            if extent is not None:
                yield f'  weft::require({item.name}.shape[{axis}] == {extent}, "{item.name}: {item.type}");'
    passed = list(_passed(library, function, given))
    known = iter(range(1 << 30))
    if function.sized:
        count = sum(output.type.shape.count(None) for output in function.sized)
        yield f"  std::int64_t sizes[{count}];"
        yield f"  ::{function.name}_sizes({', '.join([*passed, 'sizes'])});"
    for output in made:
        yield from _declared(output, known)
    arguments = [*passed, *(text for output in made for text in _given_for(output)), "&weft_found"]
    yield "  weft_error weft_found{};"
    yield f"  auto weft_code = ::{function.name}({', '.join(arguments)});"
    yield f"  weft::check(weft_code, weft_found, {library.name}_describe);"
    for output in made:
        if output.place is Place.BLOCK:
            yield from _from_block(library, output)
    results = [f"std::move({o.name})" if o.type.rank else o.name for o in made]
    if len(made) == 1:
        yield f"  return {made[0].name};"
    elif made:
        yield f"  return {{{', '.join(results)}}};"
    yield "}"


def _parameter(given: Input) -> str:
    type = C_TYPES[given.type.dtype.name]
    if given.place is Place.VALUE:
        return f"{type} {given.name}"
    return f"weft::view<{'' if given.is_written else 'const '}{type}, {given.type.rank}> {given.name}"


def _passed(library: Library, function: CFunction, given: list[Input]) -> Iterator[str]:
    names = {i.name for i in given if i.place is Place.CALLER}
    axes = {f"{i.name}_{axis}": f"{i.name}.shape[{axis}]" for i in given for axis in range(i.type.rank)}
    for text in input_parameters(library, function):
        name = text.rpartition(" ")[2].lstrip("*")
        if name == "state" and function.uses_state:
            yield "weft_state.get()"
        else:
            yield f"{name}.data" if name in names else axes.get(name, name)


def _result_type(made: list[Output]) -> str:
    types = [
        f"weft::array<{C_TYPES[o.type.dtype.name]}, {o.type.rank}>"
        if o.type.rank
        else C_TYPES[o.type.dtype.name]
        for o in made
    ]
    if len(types) == 1:
        return types[0]
    return f"std::tuple<{', '.join(types)}>" if types else "void"


def _declared(output: Output, known: Iterator[int]) -> Iterator[str]:
    type, rank = C_TYPES[output.type.dtype.name], output.type.rank
    if output.place is Place.BLOCK:
        yield f"  {type} *{output.name}_block = nullptr;"
        yield f"  std::array<std::int64_t, {rank}> {output.name}_shape{{}};"
    elif rank:
        extents = ", ".join(f"sizes[{next(known)}]" if e is None else str(e) for e in output.type.shape)
        yield f"  weft::array<{type}, {rank}> {output.name}({{{extents}}});"
    else:
        yield f"  {type} {output.name}{{}};"


def _given_for(output: Output) -> list[str]:
    if output.place is Place.BLOCK:
        return [f"&{output.name}_block", f"{output.name}_shape.data()"]
    return [f"{output.name}.data()" if output.type.rank else f"&{output.name}"]


def _from_block(library: Library, output: Output) -> Iterator[str]:
    type, name = C_TYPES[output.type.dtype.name], output.name
    yield f"  std::unique_ptr<{type}, void (*)(void *)> {name}_kept({name}_block, {library.name}_free);"
    yield f"  weft::array<{type}, {output.type.rank}> {name}({name}_shape);"
    yield f"  std::copy_n({name}_block, {name}.size(), {name}.data());"
