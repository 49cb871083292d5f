"""What a saved function is besides its module: parameters, arguments, state, how results are made; as JSON, too."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any

from ...dialect.errors import ArtifactError, WeftError
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType, parse_type
from ..runtime_values.result_spec import (
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    ConstantResult,
    KeptResult,
    OptionalResult,
    Result,
    SelectedResult,
    TypedResult,
    ViewResult,
    view_type,
)
from ..signature.signature import Leaf, Node, Static, Structure
from .structures import (
    DEEPEST,
    Json,
    NoForm,
    constant_from_json,
    constant_to_json,
    structure_from_json,
    structure_to_json,
)
from .view_json import printable, step_from_json, step_to_json

PlainResult = (
    ComputedResult
    | ArgumentResult
    | ViewResult
    | SelectedResult
    | KeptResult
    | ChosenResult
    | OptionalResult
    | ConstantResult
    | TypedResult
)
"""A result that is made of outputs, arguments and constants alone."""

_NUMBERS = {"int": int, "float": float, "complex": complex}
_KINDS = {kind.name: kind for kind in inspect._ParameterKind}


class Argument(NamedTuple):
    """An array argument."""

    name: str
    tensor: TensorType
    is_written: bool
    number: type | None
    """The class of the Python number that it is, if it is one."""
    is_scalar: bool = False
    """Whether it is a number of NumPy's or Python's, not an array of rank 0."""


class StateArray(NamedTuple):
    """An array of the state that a function gets behind its arguments."""

    key: str
    tensor: TensorType
    is_written: bool


class StateUpdate(NamedTuple):
    """A number of the state that a call changes: what it is afterwards."""

    key: str
    result: ComputedResult


class Description(NamedTuple):
    """A saved function."""

    symbol: str
    parameters: tuple[inspect.Parameter, ...]
    structure: Structure
    """That of the arguments: positional ones, keywords."""
    arguments: tuple[Argument, ...]
    """One for each array among them."""
    aliases: tuple[int, ...]
    """For each argument the first that is the same array."""
    state: tuple[StateArray, ...]
    outputs: tuple[TensorType, ...]
    result: Structure
    leaves: tuple[PlainResult, ...]
    updates: tuple[StateUpdate, ...]

    @property
    def distinct(self) -> list[int]:
        """The arguments that the module has."""
        return [position for position, first in enumerate(self.aliases) if position == first]

    def to_json(self) -> Json:
        """As JSON; raises `NoForm`."""
        return {
            "symbol": self.symbol,
            "parameters": [_parameter_to_json(parameter) for parameter in self.parameters],
            "structure": structure_to_json(self.structure),
            "arguments": [
                {"name": a.name, "type": str(a.tensor), "written": a.is_written}
                | ({} if a.number is None else {"number": a.number.__name__})
                | ({"scalar": True} if a.is_scalar else {})
                for a in self.arguments
            ],
            "aliases": list(self.aliases),
            "state": [{"key": s.key, "type": str(s.tensor), "written": s.is_written} for s in self.state],
            "outputs": [str(output) for output in self.outputs],
            "result": structure_to_json(self.result),
            "leaves": [leaf_to_json(leaf) for leaf in self.leaves],
            "updates": [{"key": u.key, "result": leaf_to_json(u.result)} for u in self.updates],
        }


def result_names(structure: Structure) -> tuple[list[str], dict[str, Any]]:
    """What results are called, by their places in what is returned; and those that are constants, but for None.

    >>> result_names(Node(dict, ("mean", "others"), (Leaf(0), Node(tuple, (), (Static("3", 3), Leaf(1))))))
    (['result_mean', 'result_others_1'], {'result_others_0': 3})
    """
    found: dict[int, str] = {}
    constants: dict[str, Any] = {}

    def visit(part: Structure, words: str) -> None:
        if isinstance(part, Leaf):
            found.setdefault(part.index, words)
        elif isinstance(part, Static):
            if part.value is not None:
                constants[words] = part.value
        else:
            for key, child in zip(part.keys or range(len(part.children)), part.children, strict=True):
                visit(child, f"{words}_{key}")

    visit(structure, "result")
    return [found[index] for index in sorted(found)], constants


def description_from_json(text: Json) -> Description:
    """The description of what `Description.to_json` made; raises `ArtifactError` for anything else."""
    try:
        arguments = tuple(map(_argument, text["arguments"]))
        outputs = tuple(map(parse_type, text["outputs"]))
        state = tuple(
            StateArray(printable(s["key"]), parse_type(s["type"]), s["written"] is True)
            for s in text["state"]
        )
        arrays = len(arguments) + len(state)
        leaves = tuple(leaf_from_json(leaf, arrays, len(outputs)) for leaf in text["leaves"])
        updates = tuple(_update(update, state, len(outputs)) for update in text["updates"])
        found = Description(
            printable(text["symbol"]),
            tuple(map(_parameter, text["parameters"])),
            structure_from_json(text["structure"], len(arguments)),
            arguments,
            _aliases(text["aliases"], len(arguments)),
            state,
            outputs,
            structure_from_json(text["result"], len(leaves)),
            leaves,
            updates,
        )
        inspect.Signature(found.parameters)
        _require_results(found)
    except ArtifactError:
        raise
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
        ArithmeticError,
        WeftError,
    ) as error:
        raise ArtifactError(
            f"a function is described in another way ({type(error).__name__}: {error})"
        ) from error
    return found


def _require_results(given: Description) -> None:
    """Raise, as the ops do, for results that cannot be made of what there is."""
    parts = given.structure.children if isinstance(given.structure, Node) else ()
    if [getattr(part, "kind", None) for part in parts] != [tuple, dict]:
        raise ArtifactError("the arguments are not those of a call")
    arrays = [a.tensor for a in given.arguments] + [s.tensor for s in given.state]
    for leaf in given.leaves:
        for part in parts_of(leaf):
            if isinstance(part, ComputedResult):
                if part.is_python and given.outputs[part.position].rank:
                    raise ArtifactError("an array is no number of Python's")
            else:
                base = (
                    arrays[part.argument]
                    if isinstance(part, ArgumentResult)
                    else given.outputs[part.position]
                )
                view_type(base, part.path, [[given.outputs[n] for n in step or ()] for step in part.bounds])
        for choice in _choices(leaf):
            if given.outputs[choice.position].rank or given.outputs[choice.position].dtype.kind not in "bi":
                raise ArtifactError("what chooses among results is no number")


def parts_of(leaf: Any) -> Iterator[ComputedResult | ArgumentResult | ViewResult]:
    """The arrays that a result may be."""
    if isinstance(leaf, KeptResult):
        yield from parts_of(leaf.result)
    elif isinstance(leaf, (SelectedResult, TypedResult, OptionalResult)):
        for option in leaf.value.leaves if isinstance(leaf, OptionalResult) else leaf.options:
            yield from parts_of(option)
    elif not isinstance(leaf, (ChosenResult, ConstantResult)):
        yield leaf


def _choices(leaf: Any) -> Iterator[ComputedResult]:
    """The numbers that choose what a result is."""
    if isinstance(leaf, KeptResult):
        yield from _choices(leaf.result)
    elif isinstance(leaf, OptionalResult):
        yield leaf.is_none
        for inner in leaf.value.leaves:
            yield from _choices(inner)
    elif isinstance(leaf, (SelectedResult, ChosenResult)):
        yield leaf.choice
    elif isinstance(leaf, TypedResult):
        yield leaf.choice
        for option in leaf.options:
            yield from _choices(option)


def _parameter_to_json(parameter: inspect.Parameter) -> Json:
    found = {"name": parameter.name, "kind": parameter.kind.name}
    if parameter.default is not parameter.empty:
        with contextlib.suppress(NoForm):  # of an array, say: calls have to give it
            found["default"] = constant_to_json(parameter.default)
    return found


def _parameter(given: Json) -> inspect.Parameter:
    default = constant_from_json(given["default"]) if "default" in given else inspect.Parameter.empty
    return inspect.Parameter(printable(given["name"]), _KINDS[given["kind"]], default=default)


def _argument(given: Json) -> Argument:
    number = _NUMBERS[given["number"]] if "number" in given else None
    name, tensor = printable(given["name"]), parse_type(given["type"])
    return Argument(name, tensor, given["written"] is True, number, given.get("scalar") is True)


def _aliases(given: Json, count: int) -> tuple[int, ...]:
    if len(given) != count or not all(type(n) is int and 0 <= n <= i for i, n in enumerate(given)):
        raise ArtifactError("arguments that are one array are named in another way")
    return tuple(given)


def _update(given: Json, state: tuple[StateArray, ...], outputs: int) -> StateUpdate:
    result = leaf_from_json(given["result"], 0, outputs)
    if not isinstance(result, ComputedResult) or given["key"] not in [array.key for array in state]:
        raise ArtifactError("a change of the state is none")
    return StateUpdate(given["key"], result)


def leaf_to_json(leaf: Any) -> Json:
    """A result as JSON; raises `NoForm`."""
    if isinstance(leaf, KeptResult):
        return {"kept": leaf.place, "result": leaf_to_json(leaf.result)}
    if isinstance(leaf, SelectedResult):
        return {"choice": leaf_to_json(leaf.choice), "options": [leaf_to_json(o) for o in leaf.options]}
    if isinstance(leaf, ChosenResult):
        if any(isinstance(option, Result) for option in leaf.options):
            raise NoForm("one of several objects, as a condition decides,")
        return {
            "choice": leaf_to_json(leaf.choice),
            "constants": [constant_to_json(o) for o in leaf.options],
        }
    if isinstance(leaf, TypedResult):
        return {
            "choice": leaf_to_json(leaf.choice),
            "types": [leaf_to_json(o) for o in leaf.options],
            "promoted": leaf_to_json(leaf.promoted),
        }
    if isinstance(leaf, ConstantResult):
        return {"constant": constant_to_json(leaf.value)}
    if isinstance(leaf, OptionalResult):
        value = {
            "structure": structure_to_json(leaf.value.structure),
            "leaves": [leaf_to_json(inner) for inner in leaf.value.leaves],
        }
        return {"none": leaf_to_json(leaf.is_none), "value": value}
    if not isinstance(leaf, (ComputedResult, ArgumentResult, ViewResult)):
        raise NoForm(f"a {type(leaf).__name__}")
    if isinstance(leaf, ComputedResult):
        return {"output": leaf.position, "scalar": leaf.is_scalar, "python": leaf.is_python}
    place = {"argument": leaf.argument} if isinstance(leaf, ArgumentResult) else {"output": leaf.position}
    bounds = leaf.bounds or ((),) * len(leaf.path)
    return place | {"views": [step_to_json(*step) for step in zip(leaf.path, bounds, strict=True)]}


def leaf_from_json(given: Json, arguments: int, outputs: int, depth: int = DEEPEST) -> PlainResult:
    """A result of what `leaf_to_json` made."""
    if not depth:
        raise ArtifactError("a result is nested too deep")
    inner = partial(leaf_from_json, arguments=arguments, outputs=outputs, depth=depth - 1)
    if "kept" in given:
        result = inner(given["result"])
        if type(given["kept"]) is not int or not isinstance(
            result, (ArgumentResult, ViewResult, SelectedResult)
        ):
            raise ArtifactError("what several results are is no array")
        return KeptResult(given["kept"], result)
    if "none" in given:
        leaves = tuple(map(inner, given["value"]["leaves"]))
        structure = structure_from_json(given["value"]["structure"], len(leaves), depth)
        return OptionalResult(_number(inner(given["none"])), Result(structure, leaves, 0))
    if "constant" in given:
        return ConstantResult(constant_from_json(given["constant"]))
    if "choice" in given:
        choice = _number(inner(given["choice"]))
        if "constants" in given:
            return ChosenResult(choice, tuple(map(constant_from_json, given["constants"])))
        if "types" in given:
            types: Any = tuple(map(inner, given["types"]))
            if not types:
                raise ArtifactError("a result is of none of several types")
            return TypedResult(choice, types, _number(inner(given["promoted"])))
        all_options = tuple(map(inner, given["options"]))
        arrays = tuple(o for o in all_options if isinstance(o, (ComputedResult, ArgumentResult, ViewResult)))
        if not arrays or len(arrays) < len(all_options):
            raise ArtifactError("what a result is chosen of are no arrays")
        return SelectedResult(choice, arrays)
    return _array_result(given, arguments, outputs)


def _number(leaf: PlainResult) -> ComputedResult:
    if not isinstance(leaf, ComputedResult):
        raise ArtifactError("what chooses among results is no number")
    return leaf


def _array_result(given: Json, arguments: int, outputs: int) -> ComputedResult | ArgumentResult | ViewResult:
    place, most = (given["argument"], arguments) if "argument" in given else (given["output"], outputs)
    if type(place) is not int or not 0 <= place < most:
        raise ArtifactError(f"a result is number {place!r} of {most}")
    if "views" not in given:
        return ComputedResult(place, given["scalar"] is True, given["python"] is True)
    path = tuple(map(step_from_json, given["views"]))
    bounds = tuple(_bounds(step.get("operands", []), outputs) for step in given["views"])
    if "argument" in given:
        return ArgumentResult(place, path, bounds)
    return ViewResult(place, path, bounds)


def _bounds(given: Json, outputs: int) -> tuple[int, ...]:
    if not all(type(position) is int and 0 <= position < outputs for position in given):
        raise ArtifactError(f"the place of a view is number {given} of {outputs}")
    return tuple(given)
