"""The parts of a compiled function as data, and back: types, results, inputs, the plan of a call."""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.planning.packed_layout import PackedArgument, PackedLayout
from ...backend.planning.plan import HostSite, MachineCode, Plan, Site
from ...dialect.dtypes import element_type
from ...dialect.types import TensorType
from ..runtime_values.result_spec import (
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    ListResult,
    OptionalResult,
    Result,
    ThawedResult,
)
from ..signature.signature import Leaf, Node, Static, Structure, static_key
from .fingerprints import Fingerprints
from .portable import Data, NotPortable

if TYPE_CHECKING:
    from ..tracing.view_steps import ViewStep


def type_data(type: TensorType) -> Data:
    """A tensor type."""
    return (type.shape, element_type(type.dtype).name)


def type_from(data: Data) -> TensorType:
    """What `type_data` described."""
    shape, name = data
    return TensorType(tuple(shape), dtype_from(name))


def dtype_from(name: str) -> np.dtype[Any]:
    """A dtype by its name."""
    if name == "bfloat16":
        import ml_dtypes

        name = ml_dtypes.bfloat16
    made: np.dtype[Any] = np.dtype(name)
    return made


def code_data(code: MachineCode) -> Data:
    """Machine code with the plan of its calls."""
    plan = code.plan
    sites: list[Data] = []
    for site in plan.sites:
        if isinstance(site, HostSite):
            operands, results = tuple(map(type_data, site.operands)), tuple(map(type_data, site.results))
            sites.append((site.callback, operands, results, site.location, "of Python"))
        else:
            sites.append(tuple(site))
    described = plan._replace(
        inputs=tuple(map(type_data, plan.inputs)),  # type: ignore[arg-type]
        results=tuple(map(type_data, plan.results)),  # type: ignore[arg-type]
        sites=sites,
        on_heap=tuple(sorted(plan.on_heap)),  # type: ignore[arg-type]
        packed=tuple((packed.argument, tuple(packed.layout)) for packed in plan.packed),  # type: ignore[misc]
    )
    return (plan_fields(described), *(part for part in code[1:]))


def plan_fields(plan: Plan) -> Data:
    """The fields of a plan by name, so that one of another make is not mistaken for it."""
    return tuple(zip(plan._fields, plan, strict=True))


def code_from(data: Data) -> MachineCode:
    """What `code_data` described."""
    fields, *rest = data
    values = dict(fields)
    values.update(
        inputs=[type_from(type) for type in values["inputs"]],
        results=[type_from(type) for type in values["results"]],
        sites=[_site_from(*site) for site in values["sites"]],
        on_heap=frozenset(values["on_heap"]),
        packed=tuple(
            PackedArgument(argument, PackedLayout(*layout)) for argument, layout in values["packed"]
        ),
    )
    return MachineCode(Plan(**values), *rest)


def _site_from(*fields: Any) -> Site | HostSite:
    if fields[-1] != "of Python":
        return Site(*fields)
    callback, operands, results, location, _ = fields
    return HostSite(callback, tuple(map(type_from, operands)), tuple(map(type_from, results)), location)


# Values that are part of a result

_PLAIN = {
    "NoneType": None,
    "bool": bool,
    "int": int,
    "str": str,
    "bytes": bytes,
    "float": float,
    "complex": complex,
}


def value_from(data: Data) -> Any:
    """The value that a fingerprint is of, for those that can be made again; raises NotPortable."""
    kind, *parts = data
    if kind in _PLAIN:
        make = _PLAIN[kind]
        return None if make is None else make(parts[0])
    if kind in ("list", "tuple", "set", "frozenset"):
        return {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind](
            map(value_from, parts)
        )
    if kind == "dict":
        return dict(zip(map(value_from, parts[0]), map(value_from, parts[1]), strict=True))
    if kind == "number":
        return np.frombuffer(parts[1], parts[0])[0]
    if kind == "slice":
        return slice(*map(value_from, parts))
    if kind == "range":
        return range(*parts)
    if kind == "dtype":
        return dtype_from(parts[1])
    if data == ("constant", "Ellipsis"):
        return Ellipsis
    raise NotPortable(f"a {kind} in a result")


class Results:
    """Results and structures as data, and back."""

    def __init__(self, fingerprints: Fingerprints, closures: Any = None) -> None:
        self._fingerprints = fingerprints
        self._closures = closures
        """What describes the functions that make results of outputs, or makes them again."""

    def structure_data(self, structure: Structure) -> Data:
        """A structure: of arguments, whose constants may be anything that has a fingerprint, or of a result."""
        if isinstance(structure, Leaf):
            return ("leaf", structure.index)
        if isinstance(structure, Static):
            return ("static", self._fingerprints.of(structure.value))
        children = tuple(map(self.structure_data, structure.children))
        keys = tuple(map(self._fingerprints.of, structure.keys))
        return ("node", self._fingerprints.of(structure.kind), keys, children)

    def structure_from(self, data: Data) -> Structure:
        """What `structure_data` described."""
        kind, *parts = data
        if kind == "leaf":
            return Leaf(parts[0])
        if kind == "static":
            value = value_from(parts[0])
            return Static(static_key(value), value)
        children = tuple(map(self.structure_from, parts[2]))
        return Node(self.class_from(parts[0]), tuple(map(value_from, parts[1])), children)

    def class_from(self, data: Data) -> Any:
        """The class that a fingerprint is of; raises NotPortable where it is another one."""
        kind, module, name = data[:3]
        if kind == "class" and name == "OrderedDict":
            return OrderedDict
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None or self._fingerprints.of(found) != data:
            raise NotPortable(f"the class {name}, which is not what it was")
        return found

    def result_data(self, result: Result) -> Data:
        """A result."""
        return (self.structure_data(result.structure), tuple(map(self._leaf_data, result.leaves)))

    def result_from(self, data: Data) -> Result:
        """What `result_data` described."""
        structure, leaves = data
        return Result(self.structure_from(structure), tuple(map(self._leaf_from, leaves)))

    def _leaf_data(self, leaf: Any) -> Data:
        if isinstance(leaf, ComputedResult):
            return ("computed", *leaf)
        if isinstance(leaf, ArgumentResult):
            steps = tuple(map(self._step_data, leaf.path))
            return ("argument", leaf.argument, steps)
        if isinstance(leaf, OptionalResult):
            return ("optional", self._leaf_data(leaf.is_none), self.result_data(leaf.value))
        if isinstance(leaf, ChosenResult):
            return ("chosen", self._leaf_data(leaf.choice), tuple(map(self._fingerprints.of, leaf.options)))
        if isinstance(leaf, ListResult):
            columns = tuple((self._leaf_data(column), is_python) for column, is_python in leaf.columns)
            return ("list", self.structure_data(leaf.item), columns)
        if isinstance(leaf, ThawedResult) and self._closures is not None:
            return ("thawed", leaf.first, leaf.last, self._closures.data(leaf.thaw))
        raise NotPortable("a result that Python makes at each call")

    def _step_data(self, step: ViewStep) -> Data:
        attributes = tuple((key, self._fingerprints.of(value)) for key, value in step.attributes.items())
        return (step.op_class.name, step.writable, attributes)

    def _leaf_from(self, data: Data) -> Any:
        kind, *parts = data
        if kind == "computed":
            return ComputedResult(*parts)
        if kind == "argument":
            return ArgumentResult(parts[0], tuple(_step_from(*step) for step in parts[1]))
        if kind == "optional":
            return OptionalResult(self._leaf_from(parts[0]), self.result_from(parts[1]))
        if kind == "chosen":
            return ChosenResult(self._leaf_from(parts[0]), tuple(map(value_from, parts[1])))
        if kind == "thawed":
            return ThawedResult(parts[0], parts[1], self._closures.value(parts[2]))
        columns = tuple((self._leaf_from(column), is_python) for column, is_python in parts[1])
        return ListResult(self.structure_from(parts[0]), columns)


def _step_from(name: str, writable: bool, attributes: Data) -> Any:
    from ...dialect.op import OPS
    from ...dialect.ops import load_families
    from ..tracing.view_steps import ViewStep

    load_families()
    values = {key: value_from(value) for key, value in attributes}
    return ViewStep(OPS[name], values, (), writable)


__all__ = ["Results", "code_data", "code_from", "dtype_from", "type_data", "type_from", "value_from"]
