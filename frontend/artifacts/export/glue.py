"""The source of an extension module of Python around an exported library: buffers go in, NumPy's arrays come out.

It is C against the limited interface of Python 3.11, and needs neither weft nor NumPy to be compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....backend.cpu.export.header import code_name
from ....backend.cpu.export.interface import (
    C_TYPES,
    CODES,
    DEVICE_ERROR,
    CFunction,
    Input,
    Library,
    Output,
    Place,
)
from ....backend.cpu.export.planned_call import unknown
from ....dialect.errors import NotPortable
from ....dialect.records import NamedTuple
from ...runtime_values.result_spec import ArgumentResult, KeptResult
from ...signature.signature import Leaf, Node, Static, Structure, parts_of_call
from ..descriptions import Description
from .glue_support import SUPPORT

_FORMATS = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), "bhilqn"),
    **dict.fromkeys(("uint8", "uint16", "uint32", "uint64"), "BHILQN"),
    "bool": "?",
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "complex64": "F",
    "complex128": "D",
}
"""How the buffer protocol tells elements of these dtypes, whose sizes it tells besides; `F` is for Zf, `D` for Zd."""

_WORK = 1 << 15
"""Of so many elements on, the interpreter's lock is given away while a function runs."""


class Glued(NamedTuple):
    """A function of the library, and what it takes and returns in Python."""

    function: CFunction
    description: Description


def glue_text(module: str, library: Library, functions: Sequence[Glued]) -> str:
    """The source of a module that has these functions."""
    parts = [SUPPORT.replace("LIBRARY", library.name).replace("MODULE", module), _exceptions(library)]
    has_blocks = any(o.place is Place.BLOCK for f in library.functions for o in f.outputs)
    free = f"{library.name}_free(block)" if has_blocks else "(void)block"
    parts.append(f"static void free_block(void *block) {{ {free}; }}\n")
    state = f"static {library.name}_state *state;\n" if library.state else ""
    parts.append(state)
    parts += [_Function(library, glued).text() for glued in functions]
    methods = "".join(
        f'  {{"{g.function.name}", (PyCFunction)(void *)call_{g.function.name}, METH_FASTCALL | METH_KEYWORDS, '
        f"{_string(_documentation(g))}}},\n"
        for g in functions
    )
    begin = (
        f"  if (!state && !(state = {library.name}_new())) return PyErr_NoMemory();\n"
        if library.state
        else ""
    )
    parts.append(
        f"static PyMethodDef methods[] = {{\n{methods}  {{0}}\n}};\n"
        f'static struct PyModuleDef definition = {{PyModuleDef_HEAD_INIT, "{module}", NULL, -1, methods}};\n'
        f"PyMODINIT_FUNC PyInit_{module}(void) {{\n{begin}  return PyModule_Create(&definition);\n}}\n"
    )
    return "\n".join(parts)


def _exceptions(library: Library) -> str:
    """What raises the exception of a result code."""
    known = {"LinAlgError": "PyExc_ValueError", "Cancelled": "PyExc_KeyboardInterrupt"}
    cases = "".join(
        f"    case {code_name(code)}: kind = {known.get(code, f'PyExc_{code}')}; break;\n"
        for code in CODES
        if code not in ("OK", DEVICE_ERROR)
    )
    return (
        "static void raise_error(int32_t code, const weft_error *error) {\n"
        "  PyObject *kind = PyExc_RuntimeError;\n"
        f"  switch (code) {{\n{cases}  }}\n"
        "  char text[2000];\n"
        f"  {library.name}_describe(error, text, sizeof text);\n"
        "  PyErr_SetString(kind, text);\n}\n"
    )


def _documentation(glued: Glued) -> str:
    names = ", ".join(given.name for given in _parameters(glued.function))
    types = ", ".join(f"{given.name}: {given.type}" for given in _parameters(glued.function))
    return f"{glued.function.name}({names})\n--\n\n{types or 'nothing'}"


def _parameters(function: CFunction) -> list[Input]:
    return [given for given in function.inputs if given.place in (Place.CALLER, Place.VALUE)]


class _Function:
    """Writes one function of the module."""

    def __init__(self, library: Library, glued: Glued) -> None:
        self._library = library
        self._function = glued.function
        self._description = glued.description
        self._given = _parameters(glued.function)
        self._made = [output for output in glued.function.outputs if output.place is not Place.STATE]
        self._require_plain()

    def _require_plain(self) -> None:
        """Refuse what has no form as an argument or a result of a function of C."""
        name = self._function.name
        positional, keywords = parts_of_call(self._description.structure)
        for child in (*positional.children, *keywords.children):
            if isinstance(child, Node):
                raise NotPortable(f"{name} takes arrays in containers: let it take each as an argument")
        if len(self._description.distinct) < len(self._description.arguments):
            raise NotPortable(f"{name} was compiled for one array as two arguments")
        known = [*((i.name, i.type) for i in self._given), *((o.name, o.type) for o in self._made)]
        for words, type in known:
            if type.dtype.name not in _FORMATS:
                raise NotPortable(f"{name}: {words} is of {type.dtype}, which buffers have no form for")
        for given in self._given:
            if given.place is Place.VALUE and given.type.dtype.name == "float16":
                raise NotPortable(f"{name}: {given.name} is a number of float16: take one of float32")

    def text(self) -> str:
        """The function."""
        name, given = self._function.name, self._given
        count = max(1, len(given))
        names = "".join(f'"{i.name}", ' for i in given)
        declared = [f"  {self._declaration(i)}\n" for i in given]
        declared += [f"  result_array made_{number} = {{0}};\n" for number in range(len(self._made))]
        lines = [
            f"static PyObject *call_{name}(PyObject *module, PyObject *const *args,\n"
            "    Py_ssize_t given, PyObject *words) {\n",
            f"  static const char *const names[] = {{{names}NULL}};\n",
            f"  PyObject *objects[{count}], *result = NULL;\n  weft_error error = {{0}};\n  int32_t code;\n",
            *declared,
            "  (void)module;\n",
            f'  if (bind("{name}", names, {len(given)}, args, given, words, objects) < 0) return NULL;\n',
            *(line for number, i in enumerate(given) for line in self._taking(number, i)),
            *self._looking(),
            *self._making(),
            *self._calling(),
            "  if (code) {\n    raise_error(code, &error);\n    goto done;\n  }\n",
            *(
                f"  if (take_block(&made_{number}, {o.type.rank}, made_{number}.shape, "
                f'"{o.type.dtype.name}", {o.type.dtype.itemsize}) < 0) goto done;\n'
                for number, o in enumerate(self._made)
                if o.place is Place.BLOCK
            ),
            f"  result = {self._result()};\n",
            "done:\n",
            *(f"  release(&in_{i.name});\n" for i in given if self._is_array(i)),
            *(f"  drop(&made_{number});\n" for number in range(len(self._made))),
            "  return result;\n}\n",
        ]
        return "".join(lines)

    # Arguments

    def _is_array(self, given: Input) -> bool:
        return given.place is Place.CALLER and not self._is_complex_number(given)

    def _is_complex_number(self, given: Input) -> bool:
        return given.place is Place.CALLER and not given.type.rank and not given.is_written

    def _declaration(self, given: Input) -> str:
        type = C_TYPES[given.type.dtype.name]
        if given.place is Place.VALUE:
            return f"{type} in_{given.name} = 0;"
        if self._is_complex_number(given):
            return f"{'float' if given.type.dtype.itemsize == 8 else 'double'} in_{given.name}[2] = {{0, 0}};"
        return f"array in_{given.name} = {{0}};"

    def _taking(self, number: int, given: Input) -> list[str]:
        """What reads an argument."""
        name, type, dtype = given.name, given.type, given.type.dtype
        fail = ") < 0) goto done;\n"
        if given.place is Place.VALUE:
            if dtype.kind == "f":
                convert = f'double_of(objects[{number}], "{name}", &wide'
                return [
                    f"  {{\n    double wide;\n    if ({convert}{fail}"
                    f"    in_{name} = ({C_TYPES[dtype.name]})wide;\n  }}\n"
                ]
            if dtype.kind == "b":
                return [
                    f"  {{\n    int wide = PyObject_IsTrue(objects[{number}]);\n"
                    f"    if (wide < 0) goto done;\n    in_{name} = wide;\n  }}\n"
                ]
            is_signed = int(dtype.kind == "i")
            convert = (
                f'integer_of(objects[{number}], "{name}", "{type}", {8 * dtype.itemsize}, {is_signed}, &wide'
            )
            return [
                f"  {{\n    unsigned long long wide;\n    if ({convert}{fail}"
                f"    in_{name} = ({C_TYPES[dtype.name]})wide;\n  }}\n"
            ]
        if self._is_complex_number(given):
            return [
                f"  in_{name}[0] = PyComplex_RealAsDouble(objects[{number}]);\n",
                f"  in_{name}[1] = PyComplex_ImagAsDouble(objects[{number}]);\n",
                "  if (PyErr_Occurred()) goto done;\n",
            ]
        shape = ", ".join("-1" if extent is None else str(extent) for extent in type.shape) or "0"
        return [
            f"  {{\n    static const int64_t shape[] = {{{shape}}};\n",
            f'    if (take(objects[{number}], "{name}", "{type}", "{_FORMATS[dtype.name]}", {dtype.itemsize}, '
            f"{type.rank}, shape, {int(given.is_written)}, &in_{name}{fail}  }}\n",
        ]

    def _looking(self) -> list[str]:
        """What refuses copies of arrays that the function writes; those in place are looked at by the library."""
        arrays = [given for given in self._given if self._is_array(given)]
        return [
            f"  if (is_behind(&in_{read.name}, &in_{written.name})) {{\n"
            f'    PyErr_SetString(PyExc_ValueError, "{read.name} and {written.name} of {self._function.name}() '
            f'overlap in memory, and {written.name} is written: pass a copy of one");\n    goto done;\n  }}\n'
            for written in arrays
            for read in arrays
            if written.is_written and not read.is_written
        ]

    def _passed(self) -> list[str]:
        """The inputs of the function of C."""
        passed = ["state"] if self._function.uses_state else []
        for given in self._given:
            if given.place is Place.VALUE:
                passed.append(f"in_{given.name}")
            elif self._is_complex_number(given):
                passed.append(f"(const {C_TYPES[given.type.dtype.name]} *)(const void *)in_{given.name}")
            else:
                passed.append(f"in_{given.name}.data")
                passed += [f"in_{given.name}.view.shape[{axis}]" for axis in unknown(given.type)]
        return passed

    # Results

    def _making(self) -> list[str]:
        """What makes the results whose sizes are known before the call."""
        lines: list[str] = []
        if self._function.sized:
            count = sum(len(unknown(output.type)) for output in self._function.sized)
            lines.append(f"  int64_t sizes[{count}];\n")
            lines.append(f"  {self._function.name}_sizes({', '.join([*self._passed(), 'sizes'])});\n")
        place = 0
        for number, output in enumerate(self._made):
            if output.place is Place.BLOCK or not output.type.rank:
                continue
            for axis, extent in enumerate(output.type.shape):
                value = f"sizes[{place}]" if extent is None else str(extent)
                place += extent is None
                lines.append(f"  made_{number}.shape[{axis}] = {value};\n")
            lines.append(
                f'  if (make(&made_{number}, {output.type.rank}, "{output.type.dtype.name}") < 0) goto done;\n'
            )
        return ["  {\n", *lines, "  }\n"] if lines else []

    def _calling(self) -> list[str]:
        passed = self._passed()
        for number, output in enumerate(self._made):
            type = C_TYPES[output.type.dtype.name]
            if output.place is Place.BLOCK:
                passed.append(f"({type} **)&made_{number}.block")
                passed += [f"made_{number}.shape"] if output.type.rank else []
            elif output.type.rank:
                passed.append(f"made_{number}.view.buf")
            else:
                passed.append(f"({type} *)(void *)made_{number}.number")
        call = f"code = {self._function.name}({', '.join([*passed, '&error'])});\n"
        arrays = [f"in_{i.name}.view.len / {i.type.dtype.itemsize}" for i in self._given if self._is_array(i)]
        if self._function.uses_state or not arrays:
            return [f"  {call}"]
        return [
            f"  if ({' + '.join(arrays)} < {_WORK}) {{\n    {call}  }} else {{\n    Py_BEGIN_ALLOW_THREADS\n",
            f"    {call}    Py_END_ALLOW_THREADS\n  }}\n",
        ]

    def _result(self) -> str:
        """The expression of what is returned: a new reference, or NULL with an error."""
        leaves: list[str] = []
        number = 0
        for leaf in self._description.leaves:
            if isinstance(leaf, KeptResult):
                leaf = leaf.result
            if isinstance(leaf, ArgumentResult) and not leaf.path:
                if leaf.argument >= len(self._description.arguments):
                    raise NotPortable(f"{self._function.name} returns an array of its state: return a copy")
                leaves.append(f"Py_NewRef(objects[{leaf.argument}])")
            else:
                leaves.append(_made(number, self._made[number]))
                number += 1
        return _expression(self._function.name, self._description.result, leaves)


def _made(number: int, output: Output) -> str:
    """The Python object of a result."""
    if output.type.rank or output.place is Place.BLOCK:
        return f"Py_XNewRef(made_{number}.object)"
    value = f"*({C_TYPES[output.type.dtype.name]} *)(void *)made_{number}.number"
    kind = output.type.dtype.kind
    if kind == "f" and output.type.dtype.itemsize > 2:
        return f"PyFloat_FromDouble({value})"
    if kind == "b":
        return f"PyBool_FromLong({value})"
    if kind == "c":
        part = "float" if output.type.dtype.itemsize == 8 else "double"
        parts = [f"(({part} *)(void *)made_{number}.number)[{place}]" for place in (0, 1)]
        return f"PyComplex_FromDoubles({', '.join(parts)})"
    if kind == "i":
        return f"PyLong_FromLongLong({value})"
    if kind == "u":
        return f"PyLong_FromUnsignedLongLong({value})"
    raise NotPortable(f"{output.name} is a number of {output.type.dtype}: return one of float32")


def _expression(name: str, structure: Structure, leaves: Sequence[str]) -> str:
    """Nested results by `Py_BuildValue`, which takes the references."""
    text, objects = _format(name, structure, leaves)
    if text == "N":
        return objects[0]
    return f"Py_BuildValue({', '.join([_string(text), *objects])})"


def _format(name: str, structure: Structure, leaves: Sequence[str]) -> tuple[str, list[str]]:
    if isinstance(structure, Leaf):
        return "N", [leaves[structure.index]]
    if isinstance(structure, Static):
        return "N", [_constant(name, structure.value)]
    assert isinstance(structure, Node)
    found = [_format(name, child, leaves) for child in structure.children]
    objects = [item for _, items in found for item in items]
    if structure.kind is dict:
        keys = [_constant(name, key) for key in structure.keys]
        pairs = zip(keys, found, strict=True)
        text = ",".join(f"N:{inner}" for inner, _ in found)
        return f"{{{text}}}", [item for key, (_, items) in pairs for item in (key, *items)]
    brackets = {tuple: "()", list: "[]"}.get(structure.kind)
    if brackets is None:
        raise NotPortable(f"{name} returns a {structure.kind.__name__}: return tuples, lists and dicts")
    return f"{brackets[0]}{','.join(inner for inner, _ in found)}{brackets[1]}", objects


def _constant(name: str, value: Any) -> str:
    """The expression of a constant."""
    if value is None:
        return "Py_NewRef(Py_None)"
    if isinstance(value, bool):
        return f"PyBool_FromLong({int(value)})"
    if isinstance(value, int) and -(2**63) < value < 2**63:
        return f"PyLong_FromLongLong({value}LL)"
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return f"PyFloat_FromDouble({value.hex()})"
    if isinstance(value, str) and "\0" not in value:
        return f"PyUnicode_FromString({_string(value)})"
    raise NotPortable(f"{name} returns the constant {value!r}, which has no form in C")


def _string(text: str) -> str:
    """A string of C."""
    return (
        '"' + "".join(c if 32 <= b < 127 and c not in '"\\?' else f"\\{b:03o}" for b, c in _bytes(text)) + '"'
    )


def _bytes(text: str) -> list[tuple[int, str]]:
    return [(byte, chr(byte)) for byte in text.encode()]
