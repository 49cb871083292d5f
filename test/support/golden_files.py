"""Files that each later version has to read and run as this one does: `python -m support.golden_files`, in test/.

One file of each op of the dialect that traces record, and of each construct, as this version writes it, with the
arguments of some calls and what they gave beside it. Files that are there stay: a new op, or a new version of the
dialect, adds some. Nothing is ever written again, since that is what the promise is about.
"""

from __future__ import annotations

import base64
import copy
import json
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import weft
from support.golden_programs import PROGRAMS, Call, Program
from support.op_uses import Use, uses_of
from weft.dialect.dtypes import as_dtype
from weft.dialect.op import OPS, Op
from weft.dialect.upgrades.versions import DIALECT
from weft.frontend.function import BoundFunction
from weft.frontend.tracing.staging import apply

FOLDER = Path(__file__).parent.parent / "frontend" / "artifacts" / "golden"
_MOST_CASES = 3
"""Of an op; the matrix of all its dtypes and shapes is tested elsewhere."""


def to_json(value: Any) -> Any:
    """Arguments, results and errors as JSON: arrays by their bytes."""
    if isinstance(value, (np.ndarray, np.generic)):
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        content = base64.b64encode(value.tobytes()).decode()
        return {kind: content, "dtype": value.dtype.name, "shape": list(value.shape)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"namedtuple": [type(value).__name__, list(value._fields), *map(to_json, value)]}
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [to_json(item) for item in value]}
    if isinstance(value, Mapping):
        return {type(value).__name__: [[key, to_json(item)] for key, item in value.items()]}
    if isinstance(value, BaseException):
        builtin = next(base for base in type(value).__mro__ if base.__module__ == "builtins")
        return {"raises": builtin.__name__, "text": str(value).partition("\n")[0]}
    if type(value) in (float, complex, slice, range, set, bytes, type, type(...)):
        return {"written": repr(value)}
    assert value is None or type(value) in (bool, int, str), value
    return value


def from_json(text: Any) -> Any:
    """What `to_json` was given; exceptions stay as they are told."""
    if not isinstance(text, dict):
        return text
    kind, content = next(iter(text.items()))
    if kind == "raises":
        return text
    if kind in ("array", "scalar"):
        array = np.frombuffer(base64.b64decode(content), as_dtype(text["dtype"]))
        array = array.reshape(text["shape"]).copy()
        return array if kind == "array" else array[()]
    if kind in ("tuple", "list"):
        items = [from_json(item) for item in content]
        return tuple(items) if kind == "tuple" else items
    if kind == "namedtuple":
        name, fields, *items = content
        return namedtuple(name, fields)(*map(from_json, items))
    if kind in ("dict", "OrderedDict"):
        made = {key: from_json(item) for key, item in content}
        return made if kind == "dict" else OrderedDict(made)
    return content  # as Python writes it


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
    """The result or the exception of a call, and the arguments afterwards."""
    args = copy.deepcopy(args)
    try:
        result = function(*args)
    except Exception as error:
        result = error
    return result, args


def write(path: Path, functions: Mapping[str, Any], calls: Iterable[Call], owner: Any = None) -> None:
    """A file, and beside it what its functions are called with, what Python gives for that, and the state then."""
    weft.save(path, **functions)
    told = [call_of(name, functions[name], args) for name, args in calls]
    state = {
        name: to_json(np.asarray(getattr(owner, name)))
        for name in weft.load(path).state
        if owner is not None and name != "rng"
    }
    text = json.dumps({"calls": told, "state": state}, separators=(",", ":"))
    path.with_suffix(".json").write_text(text + "\n")


def call_of(name: str, function: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    """One call of the function under a name, as Python does it."""
    python = getattr(function, "python_function", None)
    if python is None:  # a concrete function
        python = function._function.python_function
    if isinstance(function, BoundFunction):
        python = function
    with weft.eager():
        result, after = outcome(python, args)
    return {"name": name, "args": to_json(args), "result": to_json(result), "after": to_json(after)}


def uses(op: type[Op]) -> list[Use]:
    """Some uses of an op: one for each of its cases, of all dtypes in turn."""
    found: dict[int, list[Use]] = {}
    for use in uses_of(op):
        found.setdefault(op.cases.index(use.case), []).append(use)
    chosen = [several[number % len(several)] for number, several in enumerate(found.values())]
    return chosen[:_MOST_CASES]


def write_op(path: Path, op: type[Op]) -> None:
    """The file of an op: a function that applies it in some cases, and what the reference makes of them."""
    several = uses(op)

    def program(*operands: Any) -> Any:
        given, results = iter(operands), []
        for use in several:
            results.append(apply(op, *(next(given) for _ in use.case.shapes), **use.case.attributes))
        return results

    operands = [np.asarray(operand) for use in several for operand in use.operands()]
    concrete = weft.function(program, name=op.name).get_concrete_function(*operands)
    write(path, {"f": concrete}, [("f", tuple(operands))])


def write_program(path: Path, program: Program) -> None:
    """The file of a construct."""
    for name, args in program.warm:
        outcome(program.functions[name], args)
    write(path, program.functions, program.calls, program.owner)


def missing(version: int = DIALECT) -> Iterator[tuple[Path, Callable[[Path], None]]]:
    """The files that there should be, and are not, with what writes them."""
    folder = FOLDER / f"v{version}"
    for op in OPS.values():
        path = folder / f"{op.name}.weft"
        if op.recorded and op.cases and not path.exists():
            yield path, lambda path, op=op: write_op(path, op)  # type: ignore[misc]
    for name, make in PROGRAMS.items():
        path = folder / f"{name}.weft"
        if not path.exists():
            yield path, lambda path, make=make: write_program(path, make())  # type: ignore[misc]


def main() -> None:
    """Write what is missing."""
    (FOLDER / f"v{DIALECT}").mkdir(parents=True, exist_ok=True)
    for path, make in missing():
        make(path)
        print(path.name)


if __name__ == "__main__":
    sys.exit(main())
