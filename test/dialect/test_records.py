"""Data classes that are cheap to define do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar

import pytest

from weft.dialect import records


def both(define: Any) -> tuple[Any, Any]:
    """A class made with the standard decorator and with ours."""
    return define(dataclasses.dataclass), define(records.dataclass)


def point(decorate: Any) -> Any:
    @decorate(frozen=True)
    class Point:
        x: int
        y: int = 2
        names: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)
        count: ClassVar[int] = 3

        @cached_property
        def total(self) -> int:
            return self.x + self.y

    return Point


def plain(decorate: Any) -> Any:
    @decorate
    class Plain:
        x: Any
        made: dict[str, int] = field(init=False, default_factory=dict)
        later: int = field(init=False)

        def __post_init__(self) -> None:
            self.later = self.x

    return Plain


def derived(decorate: Any) -> Any:
    @decorate(frozen=True)
    class Base:
        x: int
        y: int = 1

    @decorate(frozen=True)
    class Derived(Base):
        z: int = 5
        y: int = 7

        def __repr__(self) -> str:
            return "mine"

    return Derived


def unequal(decorate: Any) -> Any:
    @decorate(eq=False)
    class Unequal:
        x: int = 0

    return Unequal


def empty(decorate: Any) -> Any:
    @decorate(frozen=True)
    class Empty:
        pass

    return Empty


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}), ((1,), {}), ((1, 5), {}), ((), {"x": 1}), ((1,), {"y": 4}), ((1, 2), {"y": 4}), ((1,), {"w": 4}),
    ((1, 2, ["a"], "n"), {}), ((1, 2, ["a"], "n", 5), {}), ((), {"y": 1}),
]  # fmt: skip


def outcome(make: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return make(*args, **kwargs)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("many", [1, 1000], ids=["many", "few"])
@pytest.mark.parametrize("define", [point, plain, derived, unequal, empty])
def test_objects_are_made_alike(define: Any, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MANY", many)
    standard, ours = both(define)
    for args, kwargs in CALLS:
        one, other = outcome(standard, *args, **kwargs), outcome(ours, *args, **kwargs)
        if one is TypeError or other is TypeError:
            assert one is other
            continue
        assert vars(one) == vars(other)
        assert repr(one).replace(define.__name__, "") == repr(other).replace(define.__name__, "")


@pytest.mark.parametrize("define", [point, derived, empty])
def test_equal_objects_are_equal(define: Any) -> None:
    for made in both(define):
        arguments = (1,) if define is not empty else ()
        one, other = made(*arguments), made(*arguments)
        assert one == other
        assert one != arguments
        assert one.__eq__(arguments) is NotImplemented


def test_comparison_and_hash_leave_out_what_they_shall() -> None:
    for made in both(point):
        assert made(1, 2, (), "a") == made(1, 2, (), "b")
        assert made(1, 2, ()) != made(1, 3, ())
        assert hash(made(1, 2, (), "a")) == hash(made(1, 2, (), "b"))
    for made in both(plain):
        assert made.__hash__ is None
        assert made(1) == made(1) != made(2)
    for made in both(unequal):
        assert made() != made()
        assert len({made(), made()}) == 2


def test_frozen_objects_stay_as_they_are() -> None:
    for made in both(point):
        value = made(1)
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
            value.x = 2
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
            del value.x
        assert value.total == 3


def test_standard_classes_can_be_derived_from_them() -> None:
    @dataclasses.dataclass(frozen=True)
    class Standard(point(records.dataclass)):  # type: ignore[misc]
        z: int = 4

    assert [f.name for f in dataclasses.fields(Standard)] == ["x", "y", "names", "note", "z"]
    assert Standard(1, z=5) == Standard(1, z=5) != Standard(1)


def test_the_standard_functions_know_them() -> None:
    standard, ours = both(point)
    assert [f.name for f in dataclasses.fields(standard)] == [f.name for f in dataclasses.fields(ours)]
    assert [f.default for f in dataclasses.fields(standard)] == [f.default for f in dataclasses.fields(ours)]
    assert [f.type for f in dataclasses.fields(standard)] == [f.type for f in dataclasses.fields(ours)]
    assert replace(ours(1, 2), y=5) == ours(1, 5)
    assert dataclasses.asdict(ours(1)) == dataclasses.asdict(standard(1))
    assert dataclasses.is_dataclass(ours)
    assert copy.copy(ours(1)) == ours(1)
    match ours(3, 4):
        case ours(x, y):
            assert (x, y) == (3, 4)


@records.dataclass(frozen=True)
class Pickled:
    """Found again under its name."""

    x: int


def test_objects_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Pickled(3))) == Pickled(3)


def test_lists_are_made_anew_for_each_object() -> None:
    for made in both(point):
        made(1).names.append("a")
        assert made(1).names == []


def test_a_class_of_many_objects_gets_an_initializer_of_its_own() -> None:
    _, ours = both(point)
    shared = ours.__init__
    for number in range(2 * records.MANY):
        assert ours(number).x == number
    assert ours.__init__ is not shared
    assert ours(1, names=["a"]) == ours(1, names=["a"], note="b")


def test_replace_makes_no_standard_class() -> None:
    @records.dataclass(frozen=True)
    class Kept:
        size: int
        name: str = "a"
        seen: list[int] = field(default_factory=list, init=False)

    one = Kept(1)
    one.seen.append(1)
    two = records.replace(one, size=2)
    assert (two.size, two.name, two.seen, one.size) == (2, "a", [], 1)
    assert Kept.__dict__["__dataclass_fields__"]._made is None
    with pytest.raises(TypeError, match="unexpected"):
        records.replace(one, colour=1)


class Named(records.NamedTuple):
    """Two things."""

    first: int
    rest: Unknown = ()  # type: ignore[name-defined]  # noqa: F821

    KIND = "pair"

    def count_all(self) -> int:
        return 1 + len(self.rest)


class Nothing(records.NamedTuple):
    pass


def test_named_tuples_are_those_of_the_standard_library() -> None:
    value = Named(3, (1, 2))
    assert value == (3, (1, 2))
    assert value.count_all() == 3
    assert Nothing() == ()
    assert Named(3) == Named(first=3, rest=())
    assert Named._fields == ("first", "rest")
    assert repr(value._replace(first=4)) == "Named(first=4, rest=(1, 2))"
    assert pickle.loads(pickle.dumps(value)) == value
    assert Named.KIND == "pair"
    assert (Named.__doc__, Named.__module__, Named.__qualname__) == ("Two things.", __name__, "Named")
    assert not hasattr(value, "__dict__")
    with pytest.raises(AttributeError):
        value.first = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        Named()  # type: ignore[call-arg]


def test_named_tuples_stay_the_same_when_there_are_many() -> None:
    class Pair(records.NamedTuple):
        first: int
        second: int = 5

    class Derived(Pair):
        pass

    for kind in (Pair, Derived):
        for _ in range(2 * records.MANY):
            assert kind(1, 2) == kind(first=1, second=2) == kind(1, second=2) == (1, 2)
            assert (kind(1), type(kind(1))) == ((1, 5), kind)
            for wrong in ((), (1, 2, 3)):
                with pytest.raises(TypeError):
                    kind(*wrong)
            with pytest.raises(TypeError):
                kind(1, third=2)  # type: ignore[call-arg]
        for _ in range(2 * records.MANY):
            assert Nothing() == ()
    assert Pair.__new__ is not Named.__new__
