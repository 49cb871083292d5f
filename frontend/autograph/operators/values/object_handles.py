"""Objects of which there are as many as the program makes: each is a row of a pool, and told by its number.

What stands for one is of a class derived from the program's, so that methods, properties and `isinstance` are Python's.
Its attributes are read and written where they lie, by whatever name the object is reached.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from .....dialect.errors import LeakedArrayError, UnsupportedError, WeftError
from ....guards.generated import is_generated
from ....guards.inputs import BeginsAgain, Choices
from ....runtime_values.results import RuntimeObject
from ....source.modules import is_like_programs, is_users_module, told
from ....source.own_attributes import has_fields
from ....tracing.current import current_trace, required_trace
from ....tracing.recorder import Recorder
from .hidden_state import MadeObjects
from .kinds import Container, Kind, Static


class ObjectPools:
    """The pools of one recording, by the classes of the program's objects; for dicts, by their keys."""

    def __init__(self) -> None:
        self.of_class: dict[Any, Any] = {}
        self.handles: dict[int, tuple[Any, Any, Any]] = {}
        """For what stands for an object, by its identity, that itself, the pool, and the number of the row."""
        self.refused: list[tuple[Exception, Any]] = []
        """What was refused to be changed, with the refusal."""


class PooledObject(RuntimeObject):
    """What stands for an object that is a row of a pool; two with one number are one object."""

    __slots__ = ()
    __weft_state__ = ()
    __weft_row__ = True

    def joined_parts(self) -> list[Any]:
        return list(handle_of(self))

    @classmethod
    def of_joined_parts(cls, parts: list[Any]) -> Any:
        return row_of(*parts)

    def in_pool(self) -> tuple[Any, Any]:
        return handle_of(self)

    def __copy__(self) -> Any:
        return handle_of(self)[0].copy_of(self)

    def __deepcopy__(self, memo: Any) -> Any:
        return handle_of(self)[0].deep_copy_of(self, memo)

    def at_run_time(self) -> Any:
        return handle_of(self)[0].refuse_at_run_time()


def handle_of(value: Any) -> tuple[Any, Any]:
    """The pool and the number of an object."""
    _, pool, number = required_trace().state(ObjectPools).handles[id(value)]
    return pool, number


def pool_of_all(values: Any) -> Any:
    """The pool whose rows all of some values in a list or tuple are; None for others."""
    if (
        type(values) not in (list, tuple)
        or not values
        or not all(isinstance(one, PooledObject) for one in values)
    ):
        return None
    pools = {handle_of(one)[0] for one in values}
    return pools.pop() if len(pools) == 1 else None


class _Shown:
    """An object in a message, without the place in memory that Python tells."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __repr__(self) -> str:
        return f"<{self._kind.__module__}.{self._kind.__qualname__} object>"


def shown_object(value: PooledObject) -> Any:
    """What is shown of an object whose class does not say how."""
    return _Shown(handle_of(value)[0].python_class)


def row_of(pool: Any, number: Any) -> Any:
    """What stands for the object with a number."""
    made = object.__new__(pool.row_class)
    note_row(made, pool, number)
    return made


def with_row(value: Any) -> Any:
    """A value that is put where it stays: an object or dict of those that are rows is one from now on."""
    trace = current_trace()
    if trace is None or not trace.choices.pooled:
        return value
    key = tuple(value) if type(value) is dict else type(value)
    pool = trace.state(ObjectPools).of_class.get(key)
    return value if pool is None else pool.adopt(value)


def with_rows(values: Any, put: Callable[[Any], Any] = with_row) -> Any:
    """Values that are put into a list, of which those are rows that are known to be."""
    trace = current_trace()
    is_plain = trace is None or not trace.choices.pooled or not isinstance(values, (list, tuple))
    return values if is_plain else list(map(put, values))


def like_row(value: Any) -> Any:
    """A value of the abstract type that one has when it is put into a list; it may be made of what is gone by now."""
    trace = required_trace()
    pool = trace.state(ObjectPools).of_class.get(tuple(value)) if type(value) is dict else None
    return with_row(value) if pool is None else row_of(pool, pool.number_of_rows)


def note_row(made: Any, pool: Any, number: Any) -> None:
    """Take note of what stands for an object."""
    required_trace().state(ObjectPools).handles[id(made)] = (made, pool, number)


class AttributeOfRows:
    """An attribute of all objects of a pool, in which their arrays lie."""

    def __init__(self, pool: Any, name: Any) -> None:
        self._pool = pool
        self._name = name

    def refuse(self) -> NoReturn:
        """Refuse a change of an array in place, as it may be that of other objects or names, which have copies."""
        name = self._name
        place, step = (f"d[{name!r}]",) * 2 if self._pool.keys else (f"p.{name}",) * 2
        raise RowsRefused(
            f"{self._pool.refusal(f'changed in place, in its array {name!r}')}; this array may have other names or "
            f"places, too, or the object another one by now: give each object an array of its own "
            f"({place} = x.copy()), or it a new one ({place} = {step} + step)"
        )


class MadeClass:
    """Stands for a class that each recording makes anew."""

    def __init__(self, module: str, name: str) -> None:
        self._names = module, name

    @classmethod
    def of(cls, kind: type) -> MadeClass:
        """What stands for a class."""
        return cls(kind.__module__, kind.__qualname__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MadeClass) and self._names == other._names

    def __hash__(self) -> int:
        return hash(self._names)

    def __str__(self) -> str:
        return ".".join(self._names)


def rows_of(trace: Recorder, kind: type, make: Callable[..., Any]) -> Callable[..., Any]:
    """What makes an object of a class, whose objects may be rows."""
    pool = trace.state(ObjectPools).of_class.get(kind)
    return make if pool is None else functools.partial(pool.made, make)


@functools.cache
def pooled_class(kind: Any) -> Any:
    """The class of what stands for objects of a class of the program's."""
    own: dict[str, Any] = {
        "__slots__": (), "__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__,
        "__getattribute__": _get, "__delattr__": _delete,
    }  # fmt: skip
    if kind.__setattr__ is object.__setattr__:
        own["__setattr__"] = _set
    if kind.__eq__ is object.__eq__:
        own["__eq__"], own["__hash__"] = _is_one, object.__hash__
    return type(kind)(kind.__name__, (kind, PooledObject), own)


def _get(self: Any, name: str) -> Any:
    if name == "__class__":
        return type(self).__bases__[0]
    if name.startswith("__") and name.endswith("__") and name != "__dict__":
        return object.__getattribute__(self, name)
    pool, number = handle_of(self)
    if name == "__dict__":
        raise RowsRefused(f"{pool.refusal('asked for all its attributes (vars)')}: name them")
    return pool.get(number, name) if pool.has(name) else object.__getattribute__(self, name)


def _set(self: Any, name: str, value: Any) -> None:
    pool, number = handle_of(self)
    pool.put(number, name, value)


def _delete(self: Any, name: str) -> None:
    pool, _ = handle_of(self)
    raise RowsRefused(f"{pool.refusal(f'changed so that it has no attribute {name!r}')}: set it to None")


def _is_one(self: Any, other: Any) -> Any:
    return are_one(self, other)


def are_one(left: PooledObject, right: Any) -> Any:
    """Whether two values are one object."""
    if type(left) is not type(right):
        return False
    (pool, number), (_, other) = handle_of(left), handle_of(right)
    return pool.is_same(number, other)


# Which classes


@functools.cache
def may_be_pooled(kind: Any) -> bool:
    """Whether the objects of a class are their attributes, which Python alone gets and sets."""
    if type(kind) not in (type, abc.ABCMeta) or not _is_of_the_program(kind.__module__):
        return False
    sets = kind.__setattr__
    is_frozen = has_fields(kind) and kind.__dataclass_params__.frozen and is_generated(sets)
    return (
        kind.__new__ is object.__new__
        and kind.__getattribute__ is object.__getattribute__
        and (is_frozen or (sets is object.__setattr__ and kind.__delattr__ is object.__delattr__))
        and not any("__init_subclass__" in vars(base) for base in kind.__mro__[:-1])
        and told(kind, "__del__") is None
        and not issubclass(kind, (BaseException, RuntimeObject))
        and not any(
            isinstance(m, functools.cached_property) for base in kind.__mro__ for m in vars(base).values()
        )
        and all(base.__module__ not in ("typing", "enum") for base in kind.__mro__)
    )


def _is_of_the_program(module: str) -> bool:
    """Whether a class of a module is none of Python's, of NumPy's or of weft, as data sets and deques are."""
    return is_users_module(module) and not is_like_programs(module)


def note_refused(trace: Recorder, refusal: Exception, item: Any) -> None:
    """Take note of an object or dict that is refused to be changed."""
    trace.state(ObjectPools).refused.append((refusal, item))


def pool_objects(trace: Recorder, refusal: Exception) -> None:
    """Begin again with rows of pools for the classes of some objects, and of those that branches and loops made.

    Where these are known to be rows, and that was not enough, all other objects that the recording has made are, too.
    """
    if not isinstance(refusal, WeftError):
        return  # the program's own
    made, choices = trace.state(MadeObjects).places, trace.choices
    values = [item for error, item in trace.state(ObjectPools).refused if error is refusal]
    found = [value for value in values if made.get(id(value), (None,))[0] is value]
    found += [one for one, region in made.values() if region is not None and region.parent is not None]
    for candidates in (found, [one for one, _ in made.values()]):
        kinds = filter(may_be_pooled, map(type, candidates))
        new: set[Any] = {MadeClass.of(kind) if kind in trace.made_classes else kind for kind in kinds}
        if candidates is found:
            new |= {tuple(one) for one in values if type(one) is dict and one}
        if any(are_made_alike(one, known) for one in new for known in choices.pooled):
            continue  # made by `type` or the like, anew in each recording
        if new - choices.pooled:
            raise BeginsAgain(
                pooled=choices.pooled | new, pooled_for=choices.pooled_for or (refusal, bool(values)),
                own_items=frozenset({False}), own_objects=None,
            )  # fmt: skip


def are_made_alike(one: Any, other: Any) -> bool:
    """Whether two classes are not one, but have one name in one module."""
    if not isinstance(one, type) or not isinstance(other, type) or one is other:
        return False
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def refusal_of(choices: Choices, error: Exception) -> Exception:
    """What is raised: what was refused before there were rows, unless this error tells more of the same objects."""
    if choices.pooled_for is None:
        return error
    before, is_of_objects = choices.pooled_for
    tells_more = is_of_objects or isinstance(before, LeakedArrayError)
    return error if tells_more and isinstance(error, RowsRefused) else before


class RowsRefused(UnsupportedError):
    """What cannot be done with objects that are rows."""


RowsRefused.__name__ = RowsRefused.__qualname__ = UnsupportedError.__name__


# What abstract types hold


def object_pool_of(kind: Kind | None) -> Any:
    """The pool whose rows values of an abstract type are; None for others."""
    if not isinstance(kind, Container) or not issubclass(kind.kind, PooledObject):
        return None
    assert isinstance(kind.children[0], Static)
    return kind.children[0].value


def object_pools_in(kinds: Iterable[Kind | None]) -> list[Any]:
    """The pools of objects that values of some abstract types lead to, also through lists and other objects."""
    known: dict[Any, None] = {}
    _note_pools(kinds, known)
    return [pool for pool in known if hasattr(pool, "python_class")]


def _note_pools(kinds: Iterable[Kind | None], known: dict[Any, None]) -> None:
    for kind in kinds:
        if isinstance(kind, Static) and hasattr(type(kind.value), "__weft_kinds__"):
            if kind.value not in known:
                known[kind.value] = None
                _note_pools(kind.value.__weft_kinds__(), known)
        elif kind is not None:
            _note_pools(kind.parts, known)
