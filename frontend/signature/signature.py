"""From call arguments to data and key: nested structures are flattened, arrays are data, the rest is constant."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import types
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice, is_foreign_array_on_gpu
from ...dialect.dtypes import as_dtype, element_type, supported_names
from ...dialect.errors import TraceRecursionError, WeftTypeError, WeftValueError
from ...dialect.records import dataclass
from ...dialect.shown_values import shown_value
from ...dialect.types import TensorType, compatible_shapes, parse_type, type_of
from ..source.own_attributes import is_compared_by_fields
from ..source.plain_items import compound, kind_of_key
from .composite_arrays import ArrayParts, array_of, is_composite, is_composite_dtype, parts_of, parts_of_array
from .element_kinds import Pipeline, key_of_code
from .feed_keys import FeedKey, FeedParts
from .foreign_arrays import has_elements, instead_of_elements, read_elements, require_numpy_rules
from .generators import GeneratorParts, generator_of, parts_of_generator
from .named_tuples import parts_of_record, record_of
from .packed_numbers import PackedNumbers
from .traced_value import ArrayHolder, ByValue, CompositeValue, TracedValue

Key: TypeAlias = Any


class TensorSpec:
    """The type of an array argument: a shape with None for extents that vary, a dtype, a name.

    Raises `ValueError` for extents that are no whole numbers, `TypeError` for dtypes that weft does not have.

    >>> weft.TensorSpec([None, 3], "float32", name="x")
    TensorSpec(shape=(None, 3), dtype=float32, name='x')
    >>> weft.TensorSpec([None], "datetime64[D]")
    TensorSpec(shape=(None,), dtype=datetime64[D])
    """

    __slots__ = ("dtype", "name", "parts", "shape")

    shape: tuple[int | None, ...]
    """The shape."""
    dtype: np.dtype[Any]
    """The dtype."""
    parts: tuple[TensorSpec, ...] | None
    """Those of the arrays that an array of dates, records or texts is taken apart into; None for other dtypes."""

    def __init__(
        self, shape: Sequence[int | None] | int | None = (), dtype: Any = "float64", name: str | None = None
    ) -> None:
        if shape is None:
            raise WeftValueError(
                "TensorSpec: shape=None would be an unknown rank, which weft does not have: write [None] for one "
                "dimension of any extent, [None, None] for two"
            )
        extents = tuple(shape) if isinstance(shape, Iterable) else (shape,)
        for extent in extents:
            is_whole = isinstance(extent, (int, np.integer)) and not isinstance(extent, bool)
            if extent is not None and (not is_whole or extent < 0):
                raise WeftValueError(f"TensorSpec: an extent is None or a non-negative int, not {extent!r}")
        self.shape = tuple(None if e is None else int(e) for e in extents)
        self.parts = None
        if is_composite_dtype(dtype):
            self.dtype = np.dtype(dtype)
            self.parts = tuple(TensorSpec((*self.shape, *p.shape), p.dtype) for p in parts_of(self.dtype))
        else:
            self.dtype = as_dtype(dtype)
            TensorType(self.shape, self.dtype)  # raises for what no array can have
        if name is not None and not isinstance(name, str):
            raise WeftTypeError(f"TensorSpec: a name is a string, not {name!r}")
        self.name = name

    @classmethod
    def from_string(cls, text: str, name: str | None = None) -> TensorSpec:
        """Read a type as messages show it. Raises `TypeError` for an unknown dtype, `ValueError` for other text.

        >>> weft.TensorSpec.from_string("f32[?,3]")
        TensorSpec(shape=(None, 3), dtype=float32)
        """
        parsed = parse_type(text)
        return cls(parsed.shape, parsed.dtype, name)

    @property
    def type(self) -> TensorType:
        """The tensor type. Raises `TypeError` for dates and records, which are several tensors.

        >>> str(weft.TensorSpec([None, 3], "float32").type)
        'f32[?,3]'
        """
        if self.parts is not None:
            raise WeftTypeError(
                f"{self!r} stands for an argument; here an array of numbers is wanted: dates as the integers that "
                "count their units (d.view('int64')), records as their fields"
            )
        return TensorType(self.shape, self.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.name

    def fingerprint_parts(self) -> tuple[Any, ...]:
        """What it is in another process."""
        return self.shape, str(self.dtype), self.name

    def __repr__(self) -> str:
        name = f", name={self.name!r}" if self.name else ""
        dtype = self.dtype.name if self.dtype.names is None else self.dtype
        return f"TensorSpec(shape={self.shape}, dtype={dtype}{name})"


@dataclass(frozen=True)
class Leaf:
    """A place of an array in the flattened arguments or results."""

    index: int


@dataclass(frozen=True)
class Static:
    """A constant of the trace: its key decides whether a trace is reused, its value is what the function sees."""

    key: Key
    value: Any = dataclasses.field(compare=False, hash=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return static, (self.value,)


@dataclass(frozen=True)
class Node:
    """A container: what kind, its keys, and its flattened children."""

    kind: Any
    """list, tuple, dict, OrderedDict, GeneratorParts, ArrayParts, PackedNumbers (which is the one key then), or the
    class of a namedtuple or dataclass."""
    keys: tuple[Any, ...]
    children: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node) or self.kind != other.kind or self.keys != other.keys:
            return False
        are_alike = not self.keys or list(map(kind_of_key, self.keys)) == list(map(kind_of_key, other.keys))
        return are_alike and self.children == other.children


Structure: TypeAlias = "Leaf | Static | Node"


def parts_of_call(structure: Structure) -> tuple[Node, Node]:
    """The positional arguments and the keywords of a call."""
    assert isinstance(structure, Node)
    positional, keywords = structure.children
    return positional, keywords


def signature_of(python_function: Callable[..., Any], as_called: bool = True) -> inspect.Signature:
    """The parameters of a function; of a ufunc its operands, and keywords, which do not bear their own defaults.

    As it is called, a wrapper (`functools.wraps`) has its own: it sees what its caller writes, and no more.
    """
    given = 0
    ufunc = python_function
    if isinstance(python_function, functools.partial):
        ufunc, given = python_function.func, len(python_function.args)
    if not isinstance(ufunc, np.ufunc):
        is_own = as_called and isinstance(python_function, types.FunctionType)
        return inspect.signature(python_function, follow_wrapped=not is_own)
    names = ["x"] if ufunc.nin == 1 else [f"x{i + 1}" for i in range(ufunc.nin)]
    operands = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names[given:]]
    return inspect.Signature([*operands, inspect.Parameter("keywords", inspect.Parameter.VAR_KEYWORD)])


def is_array(value: object) -> bool:
    """Whether a value is data: an array, a NumPy scalar, a spec, or something that NumPy or DLPack can read.

    Arrays of dates, records and texts are not: their parts are. One text is a constant, as Python's are.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return not is_composite(value.dtype) and not isinstance(value, (str, bytes))
    if isinstance(value, TensorSpec):
        return value.parts is None
    return isinstance(value, TracedValue) or (
        not isinstance(value, (type, ArrayHolder, CompositeValue))
        and (
            has_elements(value) or hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")
        )
    )


def flatten(value: Any, leaves: list[Any], path: str, names: list[str]) -> Structure:
    """Take the nested value of an argument apart: arrays go to `leaves` with their path in `names`.

    The order of a dict is part of its structure, as a program that walks it sees it. Dataclasses that lead to
    themselves, or through many others, are objects, as those of other classes are.
    """
    count = len(leaves)
    try:
        return _flatten(value, leaves, path, names, is_array)
    except RecursionError:
        del leaves[count:], names[count:]
    try:
        return _flatten(value, leaves, path, names, is_array, has_fields=False)
    except RecursionError:
        raise TraceRecursionError(f"argument '{path}' is nested too deeply, or holds itself") from None


def flatten_with(
    value: Any,
    leaves: list[Any],
    is_leaf: Callable[[object], bool],
    attributes_of: Callable[[Any], dict[str, Any] | None] = lambda value: None,
) -> Structure:
    """Take a nested value apart, with leaves of the caller's choice, and with objects of which attributes are given."""
    return _flatten(value, leaves, "", [], is_leaf, attributes_of)


def constants(structure: Structure) -> Iterator[Any]:
    """The values of a structure that are not arrays."""
    if isinstance(structure, Static):
        yield structure.value
    elif isinstance(structure, Node):
        for child in structure.children:
            yield from constants(child)


def _flatten(
    value: Any,
    leaves: list[Any],
    path: str,
    names: list[str],
    is_leaf: Callable[[object], bool],
    attributes_of: Callable[[Any], dict[str, Any] | None] = lambda value: None,
    has_fields: bool = True,
) -> Structure:
    if is_leaf(value):
        leaves.append(value)
        names.append(path)
        return Leaf(len(leaves) - 1)

    def child(item: Any, where: str) -> Structure:
        return _flatten(item, leaves, where, names, is_leaf, attributes_of, has_fields)

    kind = type(value)
    if kind in (list, tuple):
        if len(value) > _FEW and not compound(value):
            return Node(kind, (), tuple(map(static, value)))
        return Node(
            kind, (), tuple(child(item, child_path(path, kind, (), i)) for i, item in enumerate(value))
        )
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        keys, entries = parts_of_record(value)
        items = enumerate(entries)
        return Node(kind, keys, tuple(child(item, child_path(path, kind, keys, i)) for i, item in items))
    if kind in (dict, OrderedDict):
        keys = tuple(value)
        places = enumerate(keys)
        return Node(
            kind, keys, tuple(child(value[key], child_path(path, kind, keys, i)) for i, key in places)
        )
    if has_fields and is_compared_by_fields(kind):
        declared = [field.name for field in dataclasses.fields(value) if hasattr(value, field.name)]
        keys = tuple(dict.fromkeys([*declared, *getattr(value, "__dict__", ())]))
        places = enumerate(keys)
        parts = tuple(child(getattr(value, name), child_path(path, kind, keys, i)) for i, name in places)
        return Node(kind, keys, tuple(map(_by_code, parts)) if isinstance(value, Pipeline) else parts)
    generator = parts_of_generator(value)
    if generator is not None:
        return Node(GeneratorParts, (), (static(generator.algorithm), child(generator.words, path)))
    composite = parts_of_array(value)
    if composite is not None:
        where = (path + "".join(f"[{name!r}]" for name in part.path) for part in parts_of(composite.dtype))
        parts = tuple(child(array, name) for array, name in zip(composite.arrays, where, strict=True))
        return Node(ArrayParts, (), (static(composite.dtype), *parts))
    if isinstance(value, CompositeValue) or (isinstance(value, TensorSpec) and value.parts is not None):
        parts = tuple(child(part, path) for part in value.parts or ())
        return Node(ArrayParts, (), (static(value.dtype), *parts))
    attributes = attributes_of(value)
    if attributes is not None:
        keys = tuple(attributes)
        return Node(kind, keys, tuple(child(attributes[name], f"{path}.{name}") for name in keys))
    return static(value)


_FEW = 8
"""From so many items on a list is looked at as a whole, before each item is."""


def child_path(path: str, kind: Any, keys: tuple[Any, ...], index: int) -> str:
    """What a container's entry is called."""
    if not keys:
        return f"{path}[{index}]"
    return f"{path}[{keys[index]!r}]" if kind in (dict, OrderedDict) else f"{path}.{keys[index]}"


def unflatten(
    structure: Structure,
    leaf: Callable[[int], Any],
    keep: Callable[[Any], None] = lambda made: None,
    constant: Callable[[Any], Any] = lambda value: value,
) -> Any:
    """Build the nested value again, with `leaf(index)` in the places of arrays, and `constant(value)` of constants.

    A container or object is given to `keep` before what is in it is built, which may lead to it.
    """
    if isinstance(structure, Leaf):
        return leaf(structure.index)
    if isinstance(structure, Static):
        return constant(structure.value)
    kind = structure.kind
    children = (unflatten(child, leaf, constant=constant) for child in structure.children)
    if kind is list:
        items: list[Any] = []
        keep(items)
        items.extend(children)
        return items
    if kind is tuple:
        return tuple(children)
    if kind in (dict, OrderedDict):
        entries = kind()
        keep(entries)
        entries.update(zip(structure.keys, children, strict=True))
        return entries
    if kind is GeneratorParts:
        return generator_of(*children)
    if kind is ArrayParts:
        dtype, *parts = children
        return array_of(dtype, parts)
    if kind is PackedNumbers:
        return structure.keys[0].unpacked(list(children))
    if kind is FeedParts:
        return next(children)
    if issubclass(kind, tuple) or kind is slice:
        return slice(*children) if kind is slice else record_of(kind, structure.keys, tuple(children))
    # A dataclass, or an object that was made; its own __init__ may take other things, and may compute what is there.
    instance = object.__new__(kind)
    keep(instance)
    for name, child in zip(structure.keys, children, strict=True):
        object.__setattr__(instance, name, child)
    return instance


_BY_VALUE = (str, bytes, int, bool, type(None), np.dtype, slice, range, ByValue)


def static_key(value: Any) -> Key:
    """What a constant of the trace is compared by: value and type for plain values, else identity (held weakly)."""
    if isinstance(value, (float, complex)):
        return (type(value), repr(value))  # tells -0.0 from 0.0 and finds NaN again
    if isinstance(value, slice):
        return (slice, static_key(value.start), static_key(value.stop), static_key(value.step))
    if isinstance(value, _BY_VALUE):
        return (type(value), value)
    if isinstance(value, (frozenset, set)):
        return (type(value), frozenset(static_key(v) for v in value))
    generator = parts_of_generator(value)
    if generator is not None:
        return (type(value), generator.algorithm)  # the state is data
    return IdentityKey(value)


def static(value: Any) -> Static:
    """A constant of a trace."""
    return Static(static_key(value), value)


def _by_code(part: Structure) -> Structure:
    """A part of a pipeline, where functions of one code are one."""
    if isinstance(part, Static) and (key := key_of_code(part.value)) is not None:
        return Static(key, part.value)
    return part


class IdentityKey:
    """Compares by object identity; does not keep the object alive where it can be referred to weakly."""

    __slots__ = ("__weakref__", "address", "kind", "reference")

    def __init__(self, value: Any) -> None:
        self.address = id(value)
        self.kind = type(value)
        """Its class, which may become another one."""
        try:
            self.reference: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self.reference = lambda: value

    def __hash__(self) -> int:
        return hash(self.address)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdentityKey) or self.address != other.address:
            return False
        mine = self.reference()
        return mine is not None and mine is other.reference() and self.kind is other.kind

    def __repr__(self) -> str:
        found = self.reference()
        return (
            "<an object that is gone>" if found is None else f"<{type(found).__name__} at {self.address:#x}>"
        )


def as_array(value: Any, name: str) -> Any:
    """The NumPy array of an argument that is data, or a `WeftTypeError` that names it and the dtypes there are."""
    if isinstance(value, (TracedValue, TensorSpec, OnDevice)):
        return value
    if not isinstance(value, (np.ndarray, np.generic)):
        if is_foreign_array_on_gpu(value):
            return _taken(value, name)
        require_numpy_rules(f"argument '{name}'", value)
        try:
            value = read_elements(value)
        except (TypeError, ValueError, BufferError, RuntimeError) as error:
            raise WeftTypeError(f"argument '{name}' cannot be read as an array: {error}") from error
    if type(value) is not np.ndarray:
        require_plain(f"argument '{name}'", value)
    dtype = value.dtype
    try:
        element_type(dtype)
    except WeftTypeError:
        hint = instead_of_elements(value) if dtype.kind in "OSUMmV" else ""
        raise WeftTypeError(
            f"argument '{name}' has dtype {dtype}, which compiled code cannot hold; the dtypes there are: "
            f"{supported_names()}{hint}"
        ) from None
    return value


def as_arrays(values: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """The arrays of arguments that are data; what comes several times is one array."""
    arrays = [as_array(value, name) for value, name in zip(values, names, strict=True)]
    return [arrays[first] for first in alias_pattern(values)]


def _taken(value: Any, name: str) -> OnDevice:
    """The memory on a GPU that an array of another library has."""
    from ...backend.gpu.arrays.foreign import foreign_array  # few programs have such arrays

    try:
        taken = foreign_array(value)
    except WeftTypeError as error:
        raise WeftTypeError(f"argument '{name}': {error}") from None
    assert taken is not None
    return taken


def require_plain(what: str, value: Any) -> None:
    """Raise unless an array follows NumPy's own rules: matrices, masked arrays and the like have others."""
    if isinstance(value, np.ndarray) and type(value) not in _PLAIN:
        kind = type(value)
        hint = ", or .filled(value) of it" if isinstance(value, np.ma.MaskedArray) else ""
        raise WeftTypeError(
            f"{what} is a {kind.__module__}.{kind.__qualname__}, a kind of numpy.ndarray with rules of its own, which "
            f"compiled code does not know; pass np.asarray(array){hint}"
        )


_PLAIN = (np.ndarray, np.memmap, np.recarray)
"""The classes of arrays that change nothing about arithmetic."""


def packed_leaves(structure: Structure) -> Iterator[tuple[int, type]]:
    """The arrays that hold the numbers of lists, with the types that these numbers have."""
    if isinstance(structure, Node):
        if structure.kind is PackedNumbers:
            leaves = [child.index for child in structure.children if isinstance(child, Leaf)]
            yield from zip(leaves, structure.keys[0].columns, strict=True)
        else:
            for child in structure.children:
                yield from packed_leaves(child)


def without_objects(structure: Structure) -> Structure:
    """The structure without the objects that are compared by identity: a key that keeps none of them alive."""
    if isinstance(structure, Static) and isinstance(structure.key, (IdentityKey, FeedKey)):
        return Static(structure.key, structure.key)
    if isinstance(structure, Node):
        return Node(structure.kind, structure.keys, tuple(map(without_objects, structure.children)))
    return structure


def with_objects(structure: Structure) -> Structure:
    """What `without_objects` was made of; raises `ReferenceError` where one of the objects is gone."""
    if isinstance(structure, Static) and isinstance(structure.key, (IdentityKey, FeedKey)):
        found = structure.key.reference()
        if found is None:
            raise ReferenceError("an object that something was compiled for is gone")
        return Static(structure.key, found)
    if isinstance(structure, Node):
        return Node(structure.kind, structure.keys, tuple(map(with_objects, structure.children)))
    return structure


def is_alive(structure: Structure) -> bool:
    """Whether all objects that a structure is compared by still exist."""
    if isinstance(structure, Static) and isinstance(structure.key, IdentityKey):
        return structure.key.reference() is not None
    return not isinstance(structure, Node) or all(map(is_alive, structure.children))


def describe(structure: Structure, types: Sequence[TensorType]) -> str:
    """A structure as people write it, with tensor types in the places of arrays."""
    if isinstance(structure, Leaf):
        return str(types[structure.index])
    if isinstance(structure, Static):
        return shown_value(structure.value)
    children = [describe(child, types) for child in structure.children]
    kind = structure.kind
    if hasattr(kind, "shown_as"):
        return str(kind.shown_as)
    if kind is list:
        return f"[{', '.join(children)}]"
    if kind is tuple:
        return f"({', '.join(children)}{',' if len(children) == 1 else ''})"
    if kind is GeneratorParts:
        return f"Generator({structure.children[0].value})"
    if kind is ArrayParts:
        return f"{structure.children[0].value} ({', '.join(children[1:])})"
    if kind is PackedNumbers:
        return str(structure.keys[0])
    if kind is FeedParts:
        return str(structure.children[0].key)
    if kind is dict:
        return "{" + ", ".join(f"{k!r}: {c}" for k, c in zip(structure.keys, children, strict=True)) + "}"
    return f"{kind.__name__}({', '.join(f'{k}={c}' for k, c in zip(structure.keys, children, strict=True))})"


Signature: TypeAlias = "tuple[Structure, tuple[TensorType, ...], list[str]]"


def difference(old: Signature | None, new: Signature) -> str:
    """What differs between the signatures of two calls, in words."""
    if old is None:
        return "first call"
    (structure, types, names), (structure_now, types_now, names_now) = old, new
    if names == names_now:
        for name, before, now in zip(names, types, types_now, strict=True):
            if before != now:
                return f"argument {name!r} changed from {before} to {now}"
    return f"the arguments changed from {describe(structure, types)} to {describe(structure_now, types_now)}"


def type_of_leaf(leaf: Any) -> TensorType:
    """The type of an array argument, or of what stands in for it."""
    return leaf.type if isinstance(leaf, (TensorSpec, TracedValue)) else type_of(leaf)


def check_fits(what: str, spec: TensorType, given: TensorType) -> None:
    """Raise unless an array of a type may be passed where a spec asks for another, naming the argument."""
    if spec.dtype != given.dtype or not compatible_shapes(spec.shape, given.shape):
        hint = (
            f"; convert it before the call, {what}.astype({spec.dtype.name!r})"
            if spec.dtype != given.dtype
            else ""
        )
        raise WeftTypeError(f"argument '{what}' must be {spec}, but {given} was given{hint}")


def alias_pattern(leaves: Sequence[Any]) -> tuple[int, ...]:
    """For every array the position of the first one that is the same object; of NumPy's bools there are only two."""
    first: dict[int, int] = {}
    return tuple(
        position if leaf is np.True_ or leaf is np.False_ else first.setdefault(id(leaf), position)
        for position, leaf in enumerate(leaves)
    )


def require_values(caller: str, leaves: Sequence[Any], names: Sequence[str]) -> None:
    """Raise where an argument of a call is a `TensorSpec`, which stands in for an array only in signatures."""
    for leaf, name in zip(leaves, names, strict=True):
        if isinstance(leaf, TensorSpec):
            raise WeftTypeError(
                f"{name} of {caller} is {leaf!r}, which says a type and has no values: pass an array, or write "
                f"{caller}.get_concrete_function(...) to compile for it"
            )


def with_own_specs(leaves: Sequence[Any]) -> list[Any]:
    """Arguments in which each spec is an object of its own: one that comes twice stands for two arrays."""
    return [copy.copy(leaf) if isinstance(leaf, TensorSpec) else leaf for leaf in leaves]
