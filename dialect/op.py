"""The base class of all weft ops: an op class is the table row from which everything else is derived.

An op class lists its fields as annotations, states its shape-and-dtype rule (`infer`), its meaning in NumPy
(`evaluate`) and, in its docstring's first line, what it does. From that come the registered MLIR op and its
verifier (`dialect/register.py`), the reference interpreter, eager mode, constant folding, the op table in
`docs/ops.md` and the test matrix. The classes are plain Python: MLIR is not needed to define or evaluate them.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from .dtypes import all_dtypes, kind
from .errors import WeftTypeError, WeftValueError
from .outside_ops import OUTSIDE
from .records import dataclass
from .types import RefType as RefType
from .types import Shape, ValueType, broadcast_shapes
from .types import TensorType as TensorType

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


class FieldKind(enum.Enum):
    """What a field of an op holds; annotate fields with the names at the end of this module."""

    OPERAND = "operand"
    OPERANDS = "operands"
    INT = "integer"
    INTS = "integers"
    FLOAT = "float"
    BOOL = "boolean"
    STRING = "string"
    STRINGS = "strings"
    DTYPE = "dtype"
    ELEMENTS = "elements"

    __hash__ = object.__hash__
    """Members are themselves only; the one of enumerations is a function in Python."""

    @property
    def is_operand(self) -> bool:
        """Whether the field is an SSA operand and not an attribute."""
        return self in (FieldKind.OPERAND, FieldKind.OPERANDS)


# Annotations: the Python type a field's value has, by the name that declares its kind.
Operand: TypeAlias = Array
Operands: TypeAlias = "tuple[Array, ...]"
Int: TypeAlias = int
Ints: TypeAlias = "tuple[int, ...]"
Float: TypeAlias = float
Bool: TypeAlias = bool
String: TypeAlias = str
Strings: TypeAlias = "tuple[str, ...]"
DType: TypeAlias = "np.dtype[Any]"
Elements: TypeAlias = Array

_KIND_OF_ANNOTATION = {
    "Operand": FieldKind.OPERAND,
    "Operands": FieldKind.OPERANDS,
    "Int": FieldKind.INT,
    "Ints": FieldKind.INTS,
    "Float": FieldKind.FLOAT,
    "Bool": FieldKind.BOOL,
    "String": FieldKind.STRING,
    "Strings": FieldKind.STRINGS,
    "DType": FieldKind.DTYPE,
    "Elements": FieldKind.ELEMENTS,
}


@dataclass(frozen=True)
class Field:
    """A declared field: its name and what it holds."""

    name: str
    kind: FieldKind


class Effect(enum.Enum):
    """What an op does besides computing its results; ops without effects are pure."""

    ALLOCATE = "allocate"
    READ = "read"
    WRITE = "write"
    CONTROL = "control"
    """May end the call (an error); ordered against every read and write of a cell and other such ops."""


class Cost(enum.IntEnum):
    """About how many simple instructions an op takes for an element."""

    FREE = 0
    CHEAP = 1
    SLOW = 4
    """A division, a square root, or as long."""
    EXPENSIVE = 12
    """An elementary function, a loop, or as long."""


@dataclass(frozen=True)
class Case:
    """A sample use of an op for the derived tests: operand shapes and attribute values."""

    shapes: tuple[tuple[int, ...], ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    low: float | None = None
    """Lower bound of the operand values where the op needs one (indices, shift counts)."""
    high: float | None = None


Attributes: TypeAlias = Mapping[str, Any]
"""The attributes of an op by name."""

ExtentSource: TypeAlias = "tuple[int, int] | None"
"""Where an extent comes from: the number of an operand and its axis, -1 if it is the extent; None where it is new."""

VARIADIC = -1
"""The number of results of an op that may have any number, up to `MOST`, and of any types, as its operands may be."""

MOST = 16
"""The largest number of operands and of results of such an op."""

SPECIAL = "special."
"""The prefix of the dialect of scalar functions that the math dialect of MLIR has not."""

FUNCTIONS = ("math.", SPECIAL)
"""The prefixes of functions of scalars."""

OPS: dict[str, type[Op]] = {}
"""Every op by its name without the dialect prefix, in order of definition."""


def _require_names(op_class: type[Op]) -> None:
    """Refuse fields whose annotations are no names, as they are without `from __future__ import annotations`."""
    for name, annotation in inspect.get_annotations(op_class).items():
        if annotation not in _KIND_OF_ANNOTATION and "ClassVar" not in str(annotation) and name[0] != "_":
            raise WeftTypeError(
                f"{op_class.__qualname__}.{name}: a field of an op is annotated with one of "
                f"{', '.join(_KIND_OF_ANNOTATION)}, in a module with `from __future__ import annotations`"
            )


def _register(op_class: type[Op]) -> None:
    """Enter an op by its name; another of that name, but for the same one read again, is refused."""
    if not op_class.name.isidentifier():
        raise WeftValueError(f"an op cannot be called {op_class.name!r}: letters, digits and _ make a name")
    before = OPS.get(op_class.name)
    if before is not None and before.__module__ != op_class.__module__:
        places = (
            f"{before.__module__}.{before.__qualname__} and {op_class.__module__}.{op_class.__qualname__}"
        )
        raise WeftValueError(f"two ops are called weft.{op_class.name}: {places}")
    OPS[op_class.name] = op_class
    package = op_class.__module__.partition(".")[0]
    if package != __name__.partition(".")[0]:
        OUTSIDE[op_class.__module__] = op_class.lowering


class Op:
    """Base of all op classes; see the module text and any family in `dialect/ops/` for use."""

    name: ClassVar[str] = ""
    family: ClassVar[str] = ""
    fields: ClassVar[tuple[Field, ...]] = ()
    results: ClassVar[int] = 1
    effects: ClassVar[tuple[Effect, ...]] = ()
    cases: ClassVar[tuple[Case, ...]] = ()
    dtypes: ClassVar[str] = "biufc"
    """The kinds of operand dtypes that the op is defined for; `operand_dtypes` derives the combinations."""
    defined_for: ClassVar[tuple[np.dtype[Any], ...]] = ()
    """The dtypes that it is defined for, where these are not all of some kinds."""
    operand_pattern: ClassVar[tuple[np.dtype[Any] | None, ...]] = ()
    """The dtype of each operand; None for one of those that the op is defined for, which all have if this is empty."""
    cost: ClassVar[Cost]
    opaque: ClassVar[bool] = False
    """Whether passes leave the op as it is, even where its operands are constants."""
    recorded: ClassVar[bool] = True
    """Whether traces are made of it, and files; else passes make it, where they know that it does no harm."""
    flat: ClassVar[bool] = False
    """Whether the derivative is zero wherever there is one; `derivatives.py` tells of this and the following."""
    partials: ClassVar[tuple[Any, ...]] = ()
    """The derivative by each operand."""
    singular: ClassVar[bool] = False
    """Whether a partial may be infinite where the op itself is not."""
    linear: ClassVar[tuple[str, ...]] = ()
    """The operands in which the op is linear."""
    multilinear: ClassVar[bool] = False
    """Whether it is linear in each of these, and not in all together."""
    batching: ClassVar[Any] = None
    """How the op is done for many lanes at once, a rule of `batching.py`; elementwise ops need none."""
    underived: ClassVar[str] = ""
    """Why there is no rule, where there is none."""
    lowering: ClassVar[str] = ""
    """The module that lowers it, of an op of another package; weft knows where its own are lowered."""
    elementary: ClassVar[str] = ""
    """The op on scalars that it is on floats, an elementary function of the math dialect (`math.tanh`) or a special
    one (`special.gamma`), which `backend/functions/` expands."""

    def __init_subclass__(
        cls,
        *,
        name: str | None = None,
        family: str | None = None,
        cost: Cost | None = None,
        elementary: str | None = None,
        special: str | None = None,
    ) -> None:
        """Collect the fields that the class and its bases annotate, and register the op under its name."""
        own = tuple(
            Field(field_name, _KIND_OF_ANNOTATION[annotation])
            for field_name, annotation in inspect.get_annotations(cls).items()
            if annotation in _KIND_OF_ANNOTATION
        )
        _require_names(cls)
        if own or len(cls.__bases__) > 1:  # else they are those of the base
            cls._collect_fields(own)
        if family is not None:
            cls.family = family
        if elementary is not None:
            cls.elementary, cls.cost = f"math.{elementary}", Cost.EXPENSIVE
        if special is not None:
            cls.elementary, cls.cost = f"{SPECIAL}{special}", Cost.EXPENSIVE
        if cost is not None:
            cls.cost = cost
        if name is not None:
            cls.name = name
            cls._mlir_name = f"weft.{name}"
            _register(cls)

    @classmethod
    def _collect_fields(cls, own: tuple[Field, ...]) -> None:
        """The fields of the bases, then those of the class itself."""
        inherited = [f for base in reversed(cls.__mro__[1:]) for f in base.__dict__.get("_own_fields", ())]
        cls._own_fields = own
        cls.fields = tuple({f.name: f for f in (*inherited, *own)}.values())
        cls._operand_fields = tuple(f for f in cls.fields if f.kind.is_operand)
        cls._attribute_fields = tuple(f for f in cls.fields if not f.kind.is_operand)
        cls._has_elements = any(f.kind is FieldKind.ELEMENTS for f in cls._attribute_fields)
        variadic = [i for i, f in enumerate(cls._operand_fields) if f.kind is FieldKind.OPERANDS]
        cls._variadic = variadic[0] if variadic else None

    _own_fields: ClassVar[tuple[Field, ...]] = ()
    _operand_fields: ClassVar[tuple[Field, ...]] = ()
    _attribute_fields: ClassVar[tuple[Field, ...]] = ()
    _variadic: ClassVar[int | None] = None
    _has_elements: ClassVar[bool] = False
    _mlir_name: ClassVar[str]

    @classmethod
    def mlir_name(cls) -> str:
        """What the op is called in MLIR, with the name of the dialect: `weft.tanh`."""
        return cls._mlir_name

    @staticmethod
    def infer(*args: Any, **kwargs: Any) -> Any:
        """Return the result type (or tuple of types) from the operand types and attribute values.

        Raises `WeftTypeError` or `WeftValueError` with a readable message when they do not fit; that message is
        also the verifier's diagnostic.
        """
        raise NotImplementedError

    @staticmethod
    def evaluate(*args: Any, **kwargs: Any) -> Any:
        """Compute the result array (or tuple) from operand arrays and attribute values: the NumPy reference."""
        raise NotImplementedError

    @staticmethod
    def vjp(*args: Any, **kwargs: Any) -> Any:
        """The cotangent of the operand from that of the result: (emitter, cotangent, operand, result, attributes)."""
        raise NotImplementedError

    @staticmethod
    def jvp(*args: Any, **kwargs: Any) -> Any:
        """The tangent of the result from that of the operand: (emitter, tangent, operand, result, attributes)."""
        raise NotImplementedError

    @staticmethod
    def pullback(*args: Any, **kwargs: Any) -> Any:
        """The cotangents of all operands from those of all results: (emitter, cotangents, operands, results,
        attributes); None stands for zero, among the cotangents that are given, too."""
        raise NotImplementedError

    @staticmethod
    def pushforward(*args: Any, **kwargs: Any) -> Any:
        """The tangents of all results from those of all operands; arguments as of `pullback`."""
        raise NotImplementedError

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        """Where the extent of an axis of the results comes from that is not known, from the operands' types."""
        raise NotImplementedError

    @staticmethod
    def require_uses(op: Any) -> None:
        """Raise `WeftTypeError` where results are used, or operands made, in a way in which they are not to be."""

    @classmethod
    def why_underived(cls, attributes: Attributes) -> str:
        """Why the op has no derivative with these attributes; nothing where it has one, or there is no reason."""
        return cls.underived

    @classmethod
    def source_of_result(
        cls, types: Sequence[TensorType], attributes: Attributes, result: int, axis: int
    ) -> ExtentSource:
        """As `extent_source`, for one of the results; ops whose results have different shapes override it."""
        return cls.extent_source(types, attributes, axis)

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the op is safe with any operands of these types (equal ones once), also where it would not have run.

        Ops that read by extents of several operands rely on the checks in front of them: whether extents that are
        not known agree, whether an axis that is read has elements. They are not safe without these.
        """
        raise NotImplementedError

    @classmethod
    def summary(cls) -> str:
        """The one-line description: the first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def operand_fields(cls) -> tuple[Field, ...]:
        """The fields that are SSA operands."""
        return cls._operand_fields

    @classmethod
    def attribute_fields(cls) -> tuple[Field, ...]:
        """The fields that are attributes."""
        return cls._attribute_fields

    @classmethod
    def has_elements(cls) -> bool:
        """Whether a field holds an array."""
        return cls._has_elements

    @classmethod
    def is_pure(cls) -> bool:
        """Whether the op may be merged, moved and removed freely."""
        return not cls.effects

    @classmethod
    def group_operands(cls, operands: Sequence[Any]) -> list[Any]:
        """Arrange a flat operand list by field: a variadic field (at most one) takes a tuple of what is left.

        >>> # fields x: Operand; dims: Operands
        >>> # group_operands([a, b, c]) -> [a, (b, c)]
        """
        fields, variadic = cls._operand_fields, cls._variadic
        if variadic is None:
            if len(operands) != len(fields):
                raise WeftTypeError(f"{cls.mlir_name()} takes {len(fields)} operands, not {len(operands)}")
            return list(operands)
        after = len(fields) - variadic - 1
        end = len(operands) - after
        if end < variadic:
            raise WeftTypeError(
                f"{cls.mlir_name()} takes at least {len(fields) - 1} operands, not {len(operands)}"
            )
        return [*operands[:variadic], tuple(operands[variadic:end]), *operands[end:]]

    @classmethod
    def result_types(cls, operands: Sequence[ValueType], attributes: dict[str, Any]) -> tuple[ValueType, ...]:
        """The result types as a tuple, from a flat list of operand types."""
        inferred = cls.infer(*cls.group_operands(operands), **attributes)
        return inferred if isinstance(inferred, tuple) else () if inferred is None else (inferred,)

    @classmethod
    def compute(cls, operands: Sequence[Array], attributes: dict[str, Any]) -> tuple[Array, ...]:
        """Evaluate on a flat list of arrays; floating-point warnings are off, as they are in compiled code.

        The results have exactly the inferred dtypes and are arrays, also when NumPy returns scalars.
        """
        with np.errstate(all="ignore"):
            computed = cls.evaluate(*cls.group_operands(operands), **attributes)
        several = computed if isinstance(computed, tuple) else (computed,)
        return tuple(np.asarray(value) for value in several)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """The operand dtype combinations that the op accepts, for the derived tests (a variadic field counts once)."""
        pattern = cls.operand_pattern or (None,) * len(cls.operand_fields())
        dtypes = cls.defined_for or [dtype for dtype in all_dtypes() if kind(dtype) in cls.dtypes]
        return iter(
            dict.fromkeys(tuple(dtype if each is None else each for each in pattern) for dtype in dtypes)
        )


def same_dtype(what: str, *types: TensorType) -> np.dtype[Any]:
    """The dtype that all operands share, or a `WeftTypeError` naming them."""
    dtypes = {t.dtype for t in types}
    if len(dtypes) != 1:
        raise WeftTypeError(f"{what}: operands must have one dtype, not {', '.join(str(t) for t in types)}")
    return types[0].dtype


def axis_of(number: int) -> Any:
    """An `extent_source`: the same axis of an operand."""
    return staticmethod(lambda types, attributes, axis: (number, axis))


def no_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
    """An `extent_source`: from no operand."""
    return None


def require_kind(what: str, operand: TensorType, kinds: str) -> None:
    """Raise `WeftTypeError` unless the operand's dtype kind is among `kinds` (NumPy's letters)."""
    if kind(operand.dtype) not in kinds:
        raise WeftTypeError(f"{what} is not defined for {operand}")


class SafeOp(Op):
    """Base of ops that are safe whatever the extents are."""

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """In any case."""
        return True


class ShapedOp(Op):
    """Base of ops that are safe where all extents are known."""

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """The extents of operands and results are known."""
        return all(t.is_static for t in (*operands, *results))


def broadcast_source(shapes: Sequence[Shape], axis: int) -> ExtentSource:
    """The first of the shapes that broadcast whose extent is not 1 at an axis of the result, and its axis."""
    place = max(map(len, shapes)) - axis
    for number, shape in enumerate(shapes):
        if len(shape) >= place and shape[-place] != 1:
            return number, len(shape) - place
    return None


class Elementwise(Op):
    """Base of ops that compute every element from those at its place in the operands, which broadcast."""

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        """That of an operand that is not broadcast there."""
        return broadcast_source([operand.shape for operand in types], axis)

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """The extents that are not known come from one operand, and no other has more than one element there."""
        shapes = [operand.shape for operand in operands]
        for place in range(1, max(map(len, shapes)) + 1):
            meeting = [shape[-place] for shape in shapes if len(shape) >= place and shape[-place] != 1]
            if None in meeting and len(meeting) > 1:
                return False
        return True


class Ufunc(Elementwise, family="elementwise"):
    """Base of ops that are the NumPy ufunc of their name: the dtypes of operands are exactly one of its loops."""

    ufunc: ClassVar[np.ufunc]
    example: ClassVar[str] = ""
    """The arguments of a call in the array namespace and, after an arrow, what it shows."""

    def __init_subclass__(cls, *, name: str | None = None, example: str = "", **facts: Any) -> None:
        """Find the ufunc."""
        super().__init_subclass__(name=name, **facts)
        cls.example = example
        if name is not None:
            cls.ufunc = getattr(np, name)

    @classmethod
    def infer(cls, *operands: TensorType) -> TensorType | tuple[TensorType, ...]:
        """Broadcast the shapes and look the dtypes up among the ufunc's loops."""
        loop = loop_dtypes(cls.ufunc, tuple(t.dtype for t in operands))
        if loop is None or loop[: len(operands)] != tuple(t.dtype for t in operands):
            listing = ", ".join(str(t) for t in operands)
            raise WeftTypeError(
                f"{cls.mlir_name()}: numpy.{cls.ufunc.__name__} has no loop for operands {listing}"
            )
        shape = broadcast_shapes([t.shape for t in operands])
        results = tuple(TensorType(shape, dtype) for dtype in loop[len(operands) :])
        return results[0] if len(results) == 1 else results

    @classmethod
    def evaluate(cls, *operands: Array) -> Any:
        """Call the ufunc."""
        return cls.ufunc(*operands)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every loop of the ufunc over supported dtypes."""
        count = cls.ufunc.nin
        seen = set()
        for dtype in all_dtypes():
            loop = loop_dtypes(cls.ufunc, (dtype,) * count)
            if loop is not None and loop[:count] not in seen and all(d in all_dtypes() for d in loop):
                seen.add(loop[:count])
                yield loop[:count]


class UnaryUfunc(Ufunc):
    """A ufunc of one operand."""

    x: Operand
    cases: ClassVar[tuple[Case, ...]] = (Case(((3, 4),)), Case(((),)), Case(((0, 2),)))


class BinaryUfunc(Ufunc):
    """A ufunc of two operands that broadcast."""

    x: Operand
    y: Operand
    cases: ClassVar[tuple[Case, ...]] = (
        Case(((3, 4), (3, 4))),
        Case(((3, 1), (4,))),
        Case(((), (2, 3))),
        Case(((0, 3), (1, 3))),
    )


_LOOPS: dict[tuple[str, tuple[Any, ...]], tuple[np.dtype[Any], ...] | None] = {}


def loop_dtypes(ufunc: np.ufunc, dtypes: tuple[Any, ...]) -> tuple[np.dtype[Any], ...] | None:
    """The operand and result dtypes of the loop that NumPy picks, or None where it has none.

    Python's `int`, `float` and `complex` stand for weak scalars (NEP 50).

    >>> loop_dtypes(np.add, (np.dtype("int32"), float))
    (dtype('float64'), dtype('float64'), dtype('float64'))
    """
    key = (ufunc.__name__, dtypes)
    if key not in _LOOPS:
        try:
            loop = ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout))
        except TypeError:
            _LOOPS[key] = None
        else:
            native = tuple(d.newbyteorder("=") for d in loop)
            _LOOPS[key] = native if all(d.kind in "biufcV" for d in native) else None
    return _LOOPS[key]
