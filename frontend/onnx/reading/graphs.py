"""Models as data: graphs of nodes, of which each knows what it is read by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ....dialect.errors import ArtifactError, UnsupportedError
from ....dialect.records import dataclass
from ..packages import onnx
from .table import Rule, rule_of
from .tensors import array_of, dtype_of, named_dtype

Versions: TypeAlias = "Mapping[str, int]"
"""The version of each domain."""

_OWN_DOMAINS = ("", "ai.onnx")


@dataclass(frozen=True)
class Reference:
    """An attribute of a node in a function, which has the value that the function's caller gives it."""

    name: str


@dataclass(frozen=True)
class Node:
    """A call of an op."""

    op: str
    domain: str
    label: str
    """What it is called in messages."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    """Numbers, texts, arrays, graphs, references."""
    defaults: Mapping[str, Any]
    """What the schema says of attributes that the node leaves out."""
    meaning: Rule | Graph | None
    """None for an op whose body depends on the types of its inputs."""
    proto: Any
    versions: Versions

    @property
    def version(self) -> int:
        """The version of the op's domain."""
        return self.versions.get(self.domain, 0)


@dataclass(frozen=True)
class Value:
    """An input or output of a graph, with its declared type as far as there is one."""

    name: str
    dtype: Any
    shape: tuple[int | str | None, ...] | None
    """None where it is not said, or where the value is no tensor."""
    is_tensor: bool

    @property
    def sizes(self) -> tuple[int | None, ...] | None:
        """The shape, with None for extents that have a name."""
        if self.shape is None:
            return None
        return tuple(extent if isinstance(extent, int) else None for extent in self.shape)


@dataclass(frozen=True)
class Graph:
    """Nodes in an order in which they can be computed, or the body of a function."""

    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    constants: Mapping[str, Any]
    """The initialisers."""
    nodes: tuple[Node, ...]
    parameters: Mapping[str, Any] | None = None
    """Of a function, the defaults of its attributes, None for those that have none."""


class Parser:
    """Makes graphs of the messages of a model, and collects what they have that is not read."""

    def __init__(self, model: Any, directory: str | None) -> None:
        self._directory = directory
        self._functions = {(f.domain, f.name, getattr(f, "overload", "")): f for f in model.functions}
        self._parsed: dict[Any, Graph] = {}
        self._open: list[Any] = []
        self.unknown: list[str] = []
        """Messages on nodes that have no rule."""

    def graph(self, proto: Any, versions: Versions) -> Graph:
        """A graph of the model, or one inside of a node."""
        _require_texts(proto.name, *(each.name for each in (*proto.input, *proto.output, *proto.initializer)))
        constants = {tensor.name: array_of(tensor, self._directory) for tensor in proto.initializer}
        if len(proto.sparse_initializer):
            names = ", ".join(sparse.values.name for sparse in proto.sparse_initializer)
            raise UnsupportedError(
                f"the graph {proto.name} has sparse initializers, which are not read: {names}"
            )
        return Graph(
            proto.name,
            tuple(_value(each) for each in proto.input),
            tuple(_value(each) for each in proto.output),
            constants,
            tuple(self._nodes(proto.node, versions)),
        )

    def function(self, proto: Any, versions: Versions | None = None) -> Graph:
        """The body of a function, of the model or of ONNX itself."""
        own = {_domain(each.domain): each.version for each in proto.opset_import}
        defaults: dict[str, Any] = dict.fromkeys(proto.attribute)
        versions = {**(versions or {}), **own}
        for attribute in proto.attribute_proto:
            defaults[attribute.name] = self._attribute(attribute, versions)
        return Graph(
            proto.name,
            tuple(Value(name, None, None, False) for name in proto.input),
            tuple(Value(name, None, None, False) for name in proto.output),
            {},
            tuple(self._nodes(proto.node, versions)),
            defaults,
        )

    def _nodes(self, protos: Any, versions: Versions) -> Iterator[Node]:
        for proto in protos:
            yield self._node(proto, versions)

    def _node(self, proto: Any, versions: Versions) -> Node:
        _require_texts(proto.op_type, proto.domain, proto.name, *proto.input, *proto.output)
        domain, op = _domain(proto.domain), proto.op_type
        label = f"node {proto.name!r} ({op})" if proto.name else f"the node of {_made_by(proto)} ({op})"
        version = versions.get(domain, 0)
        schema = _schema(op, domain, version)
        defaults = {} if schema is None else _defaults(schema)
        attributes = {each.name: self._attribute(each, versions) for each in proto.attribute}
        meaning = self._meaning(proto, domain, version, schema, versions, label)
        return Node(
            op,
            domain,
            label,
            tuple(proto.input),
            tuple(proto.output),
            attributes,
            defaults,
            meaning,
            proto,
            versions,
        )

    def _meaning(
        self, proto: Any, domain: str, version: int, schema: Any, versions: Versions, label: str
    ) -> Rule | Graph | None:
        key = (proto.domain, proto.op_type, getattr(proto, "overload", ""))
        if key in self._functions:
            if key in self._open:
                raise ArtifactError(f"{label} calls a function that calls itself")
            if key not in self._parsed:
                self._open.append(key)
                self._parsed[key] = self.function(self._functions[key])
                self._open.pop()
            return self._parsed[key]
        if domain not in versions:
            raise ArtifactError(f"{label} is of the domain {domain!r}, of which the model imports no version")
        found = rule_of(domain, proto.op_type, version)
        if found is not None:
            return found
        if schema is not None and schema.has_function:
            return self.function(
                _body(
                    schema.get_function_with_opset_version(_nearest(schema.function_opset_versions, version))
                ),
                versions,
            )
        if schema is not None and schema.has_context_dependent_function:
            return None
        named = f"{domain}." if domain else ""
        self.unknown.append(f"{label}: {named}{proto.op_type}, version {version} of the domain")
        return None

    def body_for(self, node: Node, attributes: Mapping[str, Any], types: Sequence[Any]) -> Graph:
        """The body of an op of ONNX that depends on the types of its inputs, for attributes that are known."""
        schema = _schema(node.op, node.domain, node.version)
        at = _nearest(schema.context_dependent_function_opset_versions, node.version)
        proto = onnx().NodeProto()
        proto.CopyFrom(node.proto)
        for attribute in node.proto.attribute:
            if attribute.ref_attr_name:
                proto.attribute.remove(attribute)
                if attribute.name in attributes:
                    proto.attribute.append(
                        onnx().helper.make_attribute(attribute.name, attributes[attribute.name])
                    )
        key = (proto.SerializeToString(), *(each.SerializeToString() for each in types))
        if key not in self._parsed:
            data = schema.get_context_dependent_function_with_opset_version(at, key[0], list(key[1:]))
            if not data:
                raise UnsupportedError(f"{node.label}: ONNX tells no body for these inputs")
            before = len(self.unknown)
            self._parsed[key] = self.function(_body(data), node.versions)
            if self.unknown[before:]:
                missing = "; ".join(self.unknown[before:])
                raise UnsupportedError(f"{node.label} is made of what weft has not: {missing}")
        return self._parsed[key]

    def _attribute(self, proto: Any, versions: Versions) -> Any:
        if proto.ref_attr_name:
            return Reference(proto.ref_attr_name)
        kinds = onnx().AttributeProto
        if proto.type == kinds.GRAPH:
            return self.graph(proto.g, versions)
        if proto.type == kinds.TENSOR:
            return array_of(proto.t, self._directory)
        if proto.type in (kinds.FLOAT, kinds.INT, kinds.FLOATS, kinds.INTS, kinds.STRING, kinds.STRINGS):
            return plain_attribute(proto)
        if proto.type == kinds.TYPE_PROTO:
            return proto.tp
        raise UnsupportedError(
            f"the attribute {proto.name} is of a kind that is not read: {kinds.AttributeType.Name(proto.type)}"
        )


def _require_texts(*names: Any) -> None:
    for name in names:
        if not isinstance(name, str):  # what is no UTF-8 comes as bytes
            raise ArtifactError(f"a name is no text, but {name!r:.60}")


def plain_attribute(proto: Any) -> Any:
    """The number, text or list of an attribute."""
    value = onnx().helper.get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (int, float)):
        return value
    return [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in value]


def _body(data: bytes) -> Any:
    proto = onnx().FunctionProto()
    proto.ParseFromString(data)
    return proto


def _nearest(versions: Any, wanted: int) -> int:
    """The last version of a body that is not newer than the model's."""
    return int(max((each for each in versions if each <= wanted), default=min(versions)))


def _domain(name: str) -> str:
    return "" if name in _OWN_DOMAINS else name


def _made_by(proto: Any) -> str:
    return ", ".join(repr(name) for name in proto.output if name) or "nothing"


def _schema(op: str, domain: str, version: int) -> Any:
    try:
        return onnx().defs.get_schema(op, version, domain)
    except onnx().defs.SchemaError:
        return None


def _defaults(schema: Any) -> dict[str, Any]:
    return {
        name: plain_attribute(attribute.default_value)
        for name, attribute in schema.attributes.items()
        if attribute.default_value.name
    }


def _value(proto: Any) -> Value:
    kind = proto.type.WhichOneof("value") if proto.HasField("type") else None
    if kind != "tensor_type":
        return Value(proto.name, None, None, False)
    tensor = proto.type.tensor_type
    dtype = dtype_of(tensor.elem_type, f"{proto.name}") if tensor.elem_type else None
    if not tensor.HasField("shape"):
        return Value(proto.name, dtype, None, True)
    shape: list[int | str | None] = []
    for dim in tensor.shape.dim:
        which = dim.WhichOneof("value")
        shape.append(dim.dim_value if which == "dim_value" else dim.dim_param or None)
    return Value(proto.name, dtype, tuple(shape), True)


def shown(value: Value) -> str:
    """A declared type in a message.

    >>> shown(Value("x", np.dtype("float32"), ("N", 3), True))
    'float32[N,3]'
    """
    name = "tensor" if value.dtype is None else named_dtype(value.dtype)
    if value.shape is None:
        return name
    return f"{name}[{','.join('?' if extent is None else str(extent) for extent in value.shape)}]"
