"""Python values that are known only when the compiled function runs, and how they are made then.

While tracing, a nested value is frozen: the traced arrays in it become operands of a call of Python, at the place of
the program where that happens; the rest is kept. At run time it is thawed: the value again, with what NumPy would have
in the places of the traced arrays (arrays, NumPy scalars, Python numbers).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from ...dialect.dtypes import is_element
from ...dialect.errors import LeakedArrayError, UnsupportedError
from ...dialect.op import Array
from ..signature.generators import GeneratorStandIn, parts_of_generator
from ..signature.signature import (
    IdentityKey,
    Leaf,
    Node,
    Static,
    Structure,
    constants,
    flatten_with,
    unflatten,
)
from ..source.code_parts import content_of
from ..source.own_attributes import own_attributes
from ..tracing.array import TracedArray
from ..tracing.several_types import ToldApart
from ..tracing.staging import value_of
from .holders import Parts, parts_of_holder
from .kept_exceptions import kept, number_of

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder
    from ..tracing.regions import Section

Thaw: TypeAlias = Callable[[Sequence[Array]], Any]
"""Makes a value of the arrays that the operands are at run time."""


class RuntimeValue:
    """Base of Python values that are made at run time, of others."""

    __slots__ = ()
    is_made_text: ClassVar[bool] = False
    """Whether it is a text that is made when the program runs."""
    python_type: type | None = None
    """What Python has in its place, where tracing knows the class."""

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """A nested value to freeze, and what makes this value of it when it is thawed."""
        raise NotImplementedError

    def __copy__(self) -> Any:
        """Itself, as of Python's numbers and texts; what can be changed makes another one."""
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def joined_parts(self) -> list[Any] | None:
        """The values that are joined where paths join, and tell it; None where paths cannot bring others like it."""
        return None

    @classmethod
    def of_joined_parts(cls, parts: list[Any]) -> RuntimeValue:
        """The value that has such parts."""
        raise NotImplementedError


class Frozen:
    """A nested value as it is at one place of the program."""

    __slots__ = ("keeps_arrays", "operands", "section", "thaw")

    def __init__(self, trace: Recorder, value: Any, *, as_text: bool = False) -> None:
        """Freeze a value; `as_text` is for a tuple of values to print, and keeps the texts of objects in it."""
        self.operands: list[Any] = []
        """SSA values of the trace."""
        self.section: Section = trace.region.section
        """Where they can be used."""
        self.keeps_arrays = False
        """Whether the value has arrays of its operands in it, not only numbers that are made of them."""
        leaves: list[Any] = []
        structure = flatten_with(value, leaves, _is_leaf)
        if as_text:
            trace.dependencies.shows(*constants(structure))
        made = [self._freeze_leaf(trace, leaf, as_text) for leaf in leaves]
        self.thaw = _thawed(_as_text(structure) if as_text else structure, made)
        """Makes the value again of arrays in the places of the operands; it can be kept without the trace."""

    def _freeze_leaf(self, trace: Recorder, leaf: Any, as_text: bool) -> Thaw:
        if isinstance(leaf, GeneratorStandIn) or parts_of_generator(leaf) is not None:
            return _generator(leaf, as_text)
        if isinstance(leaf, BaseException):
            leaf = FrozenException(leaf)
        holder = None if isinstance(leaf, RuntimeValue) else holder_of(leaf)
        if isinstance(leaf, RuntimeValue) or holder is not None:
            inner, build = leaf.at_run_time() if holder is None else holder
            frozen = inner if isinstance(inner, Frozen) else Frozen(trace, inner, as_text=as_text)
            if not frozen.section.is_usable:
                raise LeakedArrayError(
                    f"{leaf!r} is used after the branch or loop that made it has ended; make it where it is used"
                )
            first = len(self.operands)
            self.operands += frozen.operands
            self.keeps_arrays |= frozen.keeps_arrays
            last = len(self.operands)
            thaw = frozen.thaw
            return lambda arrays: build(thaw(arrays[first:last]))
        if isinstance(leaf, np.ndarray) and (leaf.ndim == 0 or not _can_be_captured(leaf)):
            copy = leaf.copy()
            return lambda arrays: copy.copy()
        if isinstance(leaf, ToldApart) and not leaf.is_written:
            inner = (leaf._choice, [leaf.option(number) for number in range(len(leaf.types))])
            several, first = Frozen(trace, inner), len(self.operands)
            self.operands += several.operands
            self.keeps_arrays |= several.keeps_arrays
            return lambda arrays: _chosen(several.thaw(arrays[first : first + len(several.operands)]))
        if isinstance(leaf, np.ndarray) and trace.python_state is not None:
            known = trace.python_state.data_of(leaf)
            leaf = leaf if known is None else known
        position = len(self.operands)
        # A copy names what an argument holds now: the parameter itself becomes a cell when it is written later.
        self.operands.append(value_of(trace, leaf.copy() if isinstance(leaf, TracedArray) else leaf))
        return self._form(leaf, position)

    def _form(self, leaf: Any, position: int) -> Thaw:
        """What NumPy would have in the place of a traced array, of the array that it is at run time."""
        if isinstance(leaf, TracedArray):
            if leaf._python_type is not None:
                return lambda arrays: arrays[position].item()
            if leaf._is_scalar:
                return lambda arrays: arrays[position][()]
        self.keeps_arrays = True
        return lambda arrays: arrays[position]


def _chosen(parts: tuple[Any, list[Any]]) -> Any:
    """A value of the type that it has."""
    choice, options = parts
    return options[int(choice)]


def _generator(generator: Any, as_text: bool) -> Thaw:
    """A random generator is shown as a text; a function of Python's would draw of a copy."""
    if not as_text:
        raise UnsupportedError(
            "a random generator is passed to a function that Python calls when the program runs, which would draw of a "
            "copy: draw the numbers in the compiled function, and pass these"
        )
    text = Text(str(generator))
    return lambda arrays: text


def _thawed(structure: Structure, leaves: list[Thaw]) -> Thaw:
    """What makes a nested value; what is there in each call is looked at once."""
    if isinstance(structure, Leaf):
        return leaves[structure.index]
    if isinstance(structure, Static):
        value = structure.value
        return lambda arrays: value
    known = [child.value if isinstance(child, Static) else None for child in structure.children]
    made = [(i, _thawed(c, leaves)) for i, c in enumerate(structure.children) if not isinstance(c, Static)]
    make: Callable[[list[Any]], Any]
    if structure.kind in (tuple, list):
        make = structure.kind
    elif structure.kind is dict:
        make = functools.partial(_dict_of, structure.keys)
    else:
        of_values = Node(structure.kind, structure.keys, tuple(map(Leaf, range(len(known)))))

        def make(values: list[Any]) -> Any:
            return unflatten(of_values, values.__getitem__)

    def thaw(arrays: Sequence[Array]) -> Any:
        values = known.copy()
        for index, child in made:
            values[index] = child(arrays)
        return make(values)

    return thaw


def _dict_of(keys: Sequence[Any], values: Sequence[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


class FrozenException(RuntimeValue):
    """An exception made while tracing: at run time a new one, of the same class and with the same attributes."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def at_run_time(self) -> tuple[Any, Callable[[Any], BaseException]]:
        """What the exception holds, and how one like it is made."""
        error = self.error
        cause = None if error.__cause__ is None else FrozenException(error.__cause__)
        kind, suppresses = type(error), error.__suppress_context__
        make: Callable[..., BaseException]
        parts: tuple[Any, ...]
        if number_of(error) is not None:
            parts, make = (number_of(error),), kept
        elif _UNBORN in error.__dict__:
            parts, make = error.__dict__[_UNBORN], _constructed
        else:
            members = {name: getattr(error, name) for name in _member_names(kind) if hasattr(error, name)}
            parts, make = (error.args, members, dict(error.__dict__)), _copied
        is_caught = make is kept

        def build(frozen: tuple[Any, Any]) -> BaseException:
            parts, cause = frozen
            made = make(*parts) if is_caught else make(kind, *parts)
            return made if is_caught and cause is None else _caused_by(made, cause, suppresses)

        return (parts, cause), build


def _constructed(kind: type[BaseException], args: Any, kwargs: Any) -> BaseException:
    return kind(*args, **kwargs)


def _copied(kind: type[BaseException], args: Any, members: Any, attributes: Any) -> BaseException:
    """Made without a constructor written in Python: that has run while tracing, and may take other arguments."""
    error = kind.__new__(kind, *args)
    if not isinstance(kind.__init__, types.FunctionType):
        error.__init__(*args)  # type: ignore[misc]
    error.args = args
    for name, value in members.items():
        if getattr(error, name, error) is not value:
            with contextlib.suppress(AttributeError, TypeError):  # read-only ones are made of the arguments
                setattr(error, name, value)
    error.__dict__.update(attributes)
    return error


def _caused_by(error: BaseException, cause: BaseException | None, suppresses: bool) -> BaseException:
    error.__cause__, error.__suppress_context__ = cause, suppresses
    return error


def _member_names(kind: type) -> list[str]:
    """The attributes that instances keep outside of their `__dict__`."""
    found = [vars(base).items() for base in kind.__mro__]
    return [name for items in found for name, value in items if isinstance(value, types.MemberDescriptorType)]


_UNBORN = "_weft_arguments"
"""The attribute of an exception whose constructor is to run at run time."""


def make_exception(kind: type[BaseException], /, *args: Any, **kwargs: Any) -> BaseException:
    """Make an exception; a constructor written in Python that gets run-time values is called when it is raised.

    Until then the exception has no attributes: what the constructor computes of the values is not known.
    """
    if isinstance(kind.__init__, types.FunctionType) and holds_traced([args, kwargs], depth=8):
        error = BaseException.__new__(kind, *args)
        error.__dict__[_UNBORN] = (args, kwargs)
        return error
    return kind(*args, **kwargs)


def is_unborn(error: BaseException) -> bool:
    """Whether the constructor of an exception has not run yet."""
    return _UNBORN in error.__dict__


def holder_of(value: object) -> Parts | None:
    """The parts of an object of Python's own that holds values of the run time, and what makes it again."""
    found = parts_of_holder(value)
    is_one = found is not None and (isinstance(value, RuntimeParts) or holds_traced(found[0], depth=8))
    return found if is_one else None


class RuntimeParts:
    """A base of what is in the place of an object of Python's, which is made when the program runs in any case."""

    __slots__ = ()


def holds_traced(value: object, depth: int) -> bool:
    """Whether a value known at run time only is found in an object within some levels of containers and attributes."""
    return any(True for _ in traced_in(value, depth))


def traced_in(value: object, depth: int) -> Iterator[TracedArray | RuntimeValue]:
    """The values known at run time only that are found in an object, within some levels as `holds_traced` has them."""
    if isinstance(value, (TracedArray, RuntimeValue)):
        yield value
        return
    if depth == 0 or isinstance(value, (str, bytes, int, float, complex, type, types.ModuleType)):
        return
    inside: list[Any] = []
    holder = parts_of_holder(value)
    if holder is not None:
        inside = [holder[0]]
    elif isinstance(value, types.FunctionType):
        inside = list(map(content_of, value.__closure__ or ()))
    elif isinstance(value, types.MethodType):
        inside = [value.__self__, value.__func__]
    elif isinstance(value, Mapping):
        inside = list(value.values())
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        inside = list(value)
    elif isinstance(value, BaseException):
        inside = list(value.args)
    elif not hasattr(value, "__dict__"):
        inside = [item for item in gc.get_referents(value) if not isinstance(item, _NO_VALUES)]
    inside += own_attributes(value).values()
    for item in inside:
        yield from traced_in(item, depth - 1)


_NO_VALUES = (type, types.ModuleType, types.FrameType)


def _is_leaf(value: object) -> bool:
    if isinstance(value, GeneratorStandIn) or parts_of_generator(value) is not None:
        return True
    if isinstance(value, (TracedArray, np.ndarray, RuntimeValue)) or holder_of(value) is not None:
        return True
    return isinstance(value, BaseException) and holds_traced(value, depth=3)


def _can_be_captured(array: np.ndarray[Any, Any]) -> bool:
    """Whether compiled code can hold an array from outside, and read it at each call."""
    return type(array) is np.ndarray and is_element(array.dtype)


class Text:
    """Stands for an object that is printed at run time; its texts are those of the time of tracing."""

    __slots__ = ("_repr", "_str")

    def __init__(self, value: Any) -> None:
        self._str = str(value)
        self._repr = repr(value)

    def __str__(self) -> str:
        return self._str

    def __repr__(self) -> str:
        return self._repr


def _as_text(structure: Structure) -> Structure:
    """The structure with the texts of objects, which may change, in their places."""
    if isinstance(structure, Static) and _may_change(structure):
        if holds_traced(structure.value, depth=3):
            raise UnsupportedError(
                f"a traced array inside of a {type(structure.value).__qualname__} object cannot be printed; print "
                "lists, tuples, dicts, namedtuples, dataclasses, or the arrays themselves"
            )
        return Static(structure.key, Text(structure.value))
    if isinstance(structure, Node):
        return Node(structure.kind, structure.keys, tuple(map(_as_text, structure.children)))
    return structure


def _may_change(constant: Static) -> bool:
    """Whether the text of an object may be another one when the program runs."""
    is_object = isinstance(constant.key, IdentityKey) and not isinstance(constant.value, np.generic)
    return is_object or isinstance(constant.value, set)
