"""Data classes that are cheap to define.

Those of the standard library write the source of six functions for each class and compile it, which takes 0.35 ms,
and there are 150 classes to import before anything is compiled. Here all classes share the same functions, until one
has many instances: then it gets an `__init__` of its own, which is four times as fast. Type checkers see the standard
classes, whose `field`, `fields` and `replace` work with these, too; `replace` from here makes no standard class for it.

`NamedTuple` is `typing.NamedTuple` in a tenth of the time: that of the library compiles the annotations, and the source
of a constructor.
"""

from __future__ import annotations

import inspect
from _collections import _tuplegetter  # type: ignore[import-not-found]
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
    from typing import NamedTuple
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True):
        """Make a class a data class, as `dataclasses.dataclass` does."""
        if cls is None:
            return lambda cls: _define(cls, frozen, eq)
        return _define(cls, frozen, eq)

    class _NamedTupleMeta(type):
        """Makes a named tuple of the class that derives from `NamedTuple`."""

        def __new__(cls, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", {}))
            known = {field: namespace.get(field, MISSING) for field in fields}
            made = {key: value for key, value in namespace.items() if key not in known}
            for place, field in enumerate(fields):
                made[field] = _tuplegetter(place, field)
            made["__slots__"] = ()
            made["_fields"] = made["__match_args__"] = fields
            made["_field_defaults"] = {field: value for field, value in known.items() if value is not MISSING}
            made.setdefault("__new__", _constructor(fields, known))
            return type(name, (_NamedTuple,), made)

    NamedTuple = type.__new__(_NamedTupleMeta, "NamedTuple", (), {})

    def replace(record, /, **changes):
        """A copy with other values of some fields, as `dataclasses.replace` makes it."""
        kept = {name: getattr(record, name) for name, f in record._record_fields.items() if _is_parameter(f)}
        return type(record)(**{**kept, **changes})


class _NamedTuple(tuple[Any, ...]):
    """What all named tuples do."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        return cls(*values)

    def _replace(self, /, **changes: Any) -> Any:
        values = [changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)]
        if changes:
            raise ValueError(f"{type(self).__name__} has no fields {', '.join(changes)}")
        return self._make(values)

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({shown})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


def _constructor(names: tuple[str, ...], fields: dict[str, Any]) -> Callable[..., Any]:
    """A `__new__` that is cheap to make; a class with many instances gets a faster one."""
    make, instances = tuple.__new__, 0

    def __new__(cls: type[Any], *args: Any, **kwargs: Any) -> Any:
        nonlocal instances
        instances += 1
        if instances == MANY:
            owner = next(base for base in cls.__mro__ if base.__dict__.get("_fields") is names)
            setattr(owner, "__new__", staticmethod(_own_constructor(names, fields)))  # noqa: B010
        if kwargs or len(args) != len(names):
            values = _bound(cls.__name__, names, fields, args, kwargs)
            args = tuple([values[name] for name in names])
        return make(cls, args)

    return __new__


def _own_constructor(names: tuple[str, ...], fields: dict[str, Any]) -> Callable[..., Any]:
    parameters = "".join(f"{name}, " for name in names)
    # Names of fields are identifiers, and nothing else of the class goes into this text.
    made: Callable[..., Any] = eval(
        f"lambda _cls, {parameters}: _make(_cls, ({parameters}))", {"_make": tuple.__new__}
    )
    made.__defaults__ = tuple(value for value in fields.values() if value is not MISSING)
    return made


def defaults(kind: type) -> dict[str, Any]:
    """The defaults of the fields of a data class by name: `MISSING` for none, or what `field` has made."""
    found: dict[str, Any] = kind._record_fields  # type: ignore[attr-defined]
    return found


def _define(cls: type, frozen: bool, eq: bool) -> type:
    fields = _fields_of(cls)
    methods: dict[str, Any] = {"__init__": _initializer(cls, fields), "__repr__": _representation(fields)}
    if eq:
        key = _key(fields)
        methods["__eq__"] = _equality(key)
        methods["__hash__"] = (lambda self: hash(key(self))) if frozen else None
    if frozen:
        methods.update(__setattr__=_refuse_to_set, __delattr__=_refuse_to_delete)
    methods["__match_args__"] = tuple(name for name, field in fields.items() if _is_parameter(field))
    for name, method in methods.items():
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(cls, name, method)
    cls._record_fields = fields  # type: ignore[attr-defined]
    cls.__dataclass_fields__ = _StandardFields(fields)  # type: ignore[attr-defined]
    cls.__dataclass_params__ = SimpleNamespace(frozen=frozen, eq=eq)  # type: ignore[attr-defined]
    return cls


def _fields_of(cls: type) -> dict[str, Any]:
    """The fields of a class and its bases, with their defaults: `MISSING` for none, or what `field` has made."""
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get("_record_fields", {}))
    for name, annotation in inspect.get_annotations(cls).items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            default = fields[name] = cls.__dict__.get(name, MISSING)
            if isinstance(default, Field):
                if default.default is MISSING:
                    delattr(cls, name)
                else:
                    setattr(cls, name, default.default)
    return fields


def _is_parameter(field: Any) -> bool:
    return not isinstance(field, Field) or field.init


MANY = 20
"""A class with more instances gets an `__init__` of its own: compiling that takes as long as making so many."""


def _initializer(cls: type, fields: dict[str, Any]) -> Callable[..., None]:
    names = tuple(name for name, field in fields.items() if _is_parameter(field))
    others = [(name, field) for name, field in fields.items() if not _is_parameter(field)]
    count = len(names)
    instances = 0

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal instances
        instances += 1
        if instances == MANY and cls.__dict__.get("__init__") is __init__:
            setattr(cls, "__init__", _own_initializer(fields))  # noqa: B010 (mypy refuses the assignment)
        values = self.__dict__  # which frozen objects have, too
        if len(args) == count and not kwargs:
            values.update(zip(names, args, strict=True))
        else:
            values.update(_bound(type(self).__name__, names, fields, args, kwargs))
        for name, field in others:
            if field.default_factory is not MISSING:
                values[name] = field.default_factory()
        if (finish := getattr(self, "__post_init__", None)) is not None:
            finish()

    return __init__


def _own_initializer(fields: dict[str, Any]) -> Callable[..., None]:
    """An `__init__` with the parameters of a class."""
    known: dict[str, Any] = {"_missing": MISSING, "__name__": __name__}  # the name tells that a frame is ours
    parameters, lines = [], ["_values = self.__dict__"]
    for name, field in fields.items():
        default = field.default if isinstance(field, Field) else field
        factory = field.default_factory if isinstance(field, Field) else MISSING
        known[f"_default_{name}"], known[f"_make_{name}"] = default, factory
        made = f"_make_{name}()"
        if not _is_parameter(field):
            if factory is not MISSING:
                lines.append(f"_values[{name!r}] = {made}")
            continue
        if factory is not MISSING:
            parameters.append(f"{name}=_missing")
            lines.append(f"_values[{name!r}] = {made} if {name} is _missing else {name}")
        else:
            parameters.append(name if default is MISSING else f"{name}=_default_{name}")
            lines.append(f"_values[{name!r}] = {name}")
    lines.append("_finish = getattr(self, '__post_init__', None)")
    lines.append("if _finish is not None: _finish()")
    # Names of fields are identifiers, and nothing else of the class goes into this text.
    exec(f"def __init__(self, {', '.join(parameters)}):\n    " + "\n    ".join(lines), known)
    initializer: Callable[..., None] = known["__init__"]
    return initializer


def _bound(
    owner: str, names: tuple[str, ...], fields: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The values of all fields for some arguments; TypeError where these do not fit."""
    if len(args) > len(names):
        raise TypeError(f"{owner}() takes {len(names)} arguments, not {len(args)}")
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in values:
            raise TypeError(f"{owner}() got an unexpected or repeated argument {name!r}")
        values[name] = value
    for name in names:
        if name not in values:
            values[name] = _default(owner, name, fields[name])
    return values


def _default(owner: str, name: str, field: Any) -> Any:
    if isinstance(field, Field):
        if field.default_factory is not MISSING:
            return field.default_factory()
        field = field.default
    if field is MISSING:
        raise TypeError(f"{owner}() needs the argument {name!r}")
    return field


def _key(fields: dict[str, Any]) -> Callable[[Any], Any]:
    """What objects are compared by."""
    names = [name for name, field in fields.items() if not isinstance(field, Field) or field.compare]
    return attrgetter(*names) if names else lambda self: ()


def _equality(key: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _representation(fields: dict[str, Any]) -> Callable[[Any], str]:
    names = [name for name, field in fields.items() if not isinstance(field, Field) or field.repr]

    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _refuse_to_set(self: Any, name: str, value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _StandardFields:
    """The fields as the standard library describes them, made when somebody asks for them."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields
        self._made: Any = None

    def __get__(self, instance: Any, owner: type) -> Any:
        if self._made is None:
            import dataclasses

            types: dict[str, Any] = {}
            for base in reversed(owner.__mro__):
                types.update(inspect.get_annotations(base))
            described = [
                (name, types[name]) if default is MISSING else (name, types[name], default)
                for name, default in self._fields.items()
            ]
            made: Any = dataclasses.make_dataclass(owner.__name__, described)
            self._made = made.__dataclass_fields__
        return self._made


__all__ = ["NamedTuple", "dataclass", "defaults", "replace"]
