"""Operators for converted functions that do what Python does: the meaning of converted code where nothing is traced."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any

from weft.frontend.autograph.convert.converter import convert as conversion
from weft.frontend.autograph.convert.operators import Handler

Body = Callable[[], Any]
Plain = Callable[[float], bool]

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "@": operator.matmul,
    "/": operator.truediv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
    "//": operator.floordiv,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "@=": operator.imatmul,
    "/=": operator.itruediv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "|=": operator.ior,
    "^=": operator.ixor,
    "&=": operator.iand,
    "//=": operator.ifloordiv,
}


class _Index:
    """Makes values of what stands in brackets: `index[1:n]` is `slice(1, n)`."""

    def __getitem__(self, key: Any) -> Any:
        return key


def cell_of(function: Callable[..., Any], name: str) -> Any:
    """The closure cell of a variable that a function uses."""
    names: tuple[str, ...] = function.__code__.co_freevars
    return (function.__closure__ or ())[names.index(name)]


def unbound_message(name: str) -> str:
    """What Python says of a local variable without a value."""
    if sys.version_info >= (3, 11):
        return f"cannot access local variable '{name}' where it is not associated with a value"
    return f"local variable '{name}' referenced before assignment"


class Spread(tuple[Any, ...]):
    """Items that a list display takes one by one."""


class PythonOperators:
    """What `weft_` means where no value is traced."""

    BREAK, CONTINUE, RETURN = 1, 2, 3
    index = _Index()

    def __init__(self, *, convert_callees: bool = False) -> None:
        self.convert_callees = convert_callees

    # Statements

    def if_(self, test: Any, then: Body, otherwise: Body | None = None, dead: str = "") -> Any:
        """`if`; the exit is that of the side that runs."""
        if test:
            return then()
        return None if otherwise is None else otherwise()

    def while_(
        self,
        test: Body,
        body: Body,
        otherwise: Body | None = None,
        dead: str = "",
        plain: Plain | None = None,
    ) -> Any:
        """`while`; break and continue end here, return goes on."""
        while test():
            status = body()
            if status == self.BREAK:
                return None
            if status == self.RETURN:
                return status
        return None if otherwise is None else otherwise()

    def for_(
        self,
        iterable: Any,
        body: Callable[[Any], Any],
        otherwise: Body | None = None,
        dead: str = "",
        plain: Plain | None = None,
        leaves: bool = False,
    ) -> Any:
        """`for`; the body assigns the target."""
        for item in iterable:
            status = body(item)
            if status == self.BREAK:
                return None
            if status == self.RETURN:
                return status
        return None if otherwise is None else otherwise()

    def walked(self, iterable: Any) -> Any:
        """What a loop walks that something else may hold, too."""
        return iterable

    def try_(
        self,
        body: Body,
        handlers: tuple[Handler, ...],
        otherwise: Body | None,
        final: Body | None,
        dead: str = "",
    ) -> Any:
        """`try`; an exit of `finally` replaces every other end."""
        try:
            status = self._guarded(body, handlers, otherwise)
        except BaseException:
            last = None if final is None else final()
            if last is None:
                raise
            return last
        last = None if final is None else final()
        return status if last is None else last

    def _guarded(self, body: Body, handlers: tuple[Handler, ...], otherwise: Body | None) -> Any:
        try:
            status = body()
        except BaseException as error:
            for types, name, handler in handlers:
                if types is not None:
                    try:
                        raise error
                    except types():
                        pass
                    except BaseException as other:
                        if other is not error:
                            raise
                        continue
                return handler(error) if name is not None else handler()
            raise
        return status if status is not None or otherwise is None else otherwise()

    def then_(self, status: Any, rest: Body, dead: str = "") -> Any:
        """The rest of a block, unless a statement before it jumped."""
        return rest() if status is None else status

    def result(self, body: Body, name: str = "return_") -> Any:
        """The value of a function whose body may return on the way, which is in a variable then."""
        return cell_of(body, name).cell_contents if body() is not None else None

    def assert_(self, test: Any, message: Body | None) -> None:
        """`assert`."""
        if not test:
            raise AssertionError(*(() if message is None else (message(),)))

    def raise_(self, error: Body | None = None, cause: Body | None = None) -> None:
        """`raise`; without an exception, the one that is handled."""
        if error is None:
            raise
        if cause is None:
            raise error()
        raised = error()
        raise raised from cause()

    # Expressions

    def if_exp(self, test: Any, then: Body, otherwise: Body) -> Any:
        """`then if test else otherwise`."""
        return then() if test else otherwise()

    def and_(self, first: Any, *others: Body, tested: bool = False) -> Any:
        """`first and others`."""
        for other in others:
            if not first:
                return first
            first = other()
        return first

    def or_(self, first: Any, *others: Body, tested: bool = False) -> Any:
        """`first or others`."""
        for other in others:
            if first:
                return first
            first = other()
        return first

    def not_(self, value: Any) -> Any:
        """`not value`."""
        return not value

    def is_(self, one: Any, other: Any) -> Any:
        """`one is other`."""
        return one is other

    def is_not_(self, one: Any, other: Any) -> Any:
        """`one is not other`."""
        return one is not other

    def compare(self, symbol: str, left: Any, right: Any) -> Any:
        """`left symbol right`."""
        relations = {
            "==": operator.eq,
            "!=": operator.ne,
            "<": operator.lt,
            "<=": operator.le,
            ">": operator.gt,
        }
        return {**relations, ">=": operator.ge}[symbol](left, right)

    def in_(self, item: Any, container: Any) -> Any:
        """`item in container`."""
        return item in container

    def not_in_(self, item: Any, container: Any) -> Any:
        """`item not in container`."""
        return item not in container

    def call(self, function: Any, /, *arguments: Any, **keywords: Any) -> Any:
        """`function(*arguments, **keywords)`."""
        if self.convert_callees:
            function = self._converted(function)
        return function(*arguments, **keywords)

    def _converted(self, function: Any) -> Any:
        if isinstance(function, FunctionType):
            return conversion(function, self)
        if isinstance(function, MethodType):
            return MethodType(self._converted(function.__func__), function.__self__)
        return function

    def attr(self, value: Any, name: str) -> Any:
        """`value.name`."""
        return getattr(value, name)

    def item(self, value: Any, index: Any) -> Any:
        """`value[index]`."""
        return value[index]

    def set_item(self, value: Any, index: Any, item: Any) -> None:
        """`value[index] = item`."""
        value[index] = item

    def update_item(self, value: Any, index: Any, symbol: str, operand: Any, late: bool = False) -> None:
        """`value[index] += operand`; a late operand is a function, called after the item was read."""
        item = value[index]
        value[index] = _UPDATES[symbol](item, operand() if late else operand)

    def with_(self, manager: Any, body: Callable[[Any], Any], dead: str = "") -> Any:
        """`with manager as entered: body(entered)`."""
        with manager as entered:
            return body(entered)
        return None

    def del_item(self, value: Any, index: Any) -> None:
        """`del value[index]`."""
        del value[index]

    def changed(self, owner: Any, name: str) -> Any:
        """The owner itself."""
        return owner

    def update_attr(self, owner: Any, name: str, symbol: str, operand: Any, late: bool = False) -> None:
        """`owner.name += operand`; a late operand is a function, called after the attribute was read."""
        old = getattr(owner, name)
        setattr(owner, name, _UPDATES[symbol](old, operand() if late else operand))

    def binary(self, symbol: str, left: Any, right: Any) -> Any:
        """`left symbol right`."""
        return _BINARY[symbol](left, right)

    def unary(self, symbol: str, value: Any) -> Any:
        """`symbol value`."""
        return {"-": operator.neg, "+": operator.pos, "~": operator.invert}[symbol](value)

    def update(self, symbol: str, target: Any, value: Any) -> Any:
        """What `target symbol value` makes of the target."""
        return _UPDATES[symbol](target, value)

    def latest(self, value: Any) -> Any:
        """The value itself: lists of Python's stay what they are."""
        return value

    def unpack(self, value: Any, before: int, after: int | None = None) -> Any:
        """As many items as there are targets; with `after`, a list of those between is one."""
        if after is None:
            return value
        (*items,) = value
        least = before + after
        if len(items) < least:
            raise ValueError(f"not enough values to unpack (expected at least {least}, got {len(items)})")
        end = len(items) - after
        return [*items[:before], items[before:end], *items[end:]]

    def taken_apart(self, subject: Any, is_mapping: bool, is_nested: bool) -> Any:
        """What Python compares with the structure of a pattern."""
        return subject

    def class_parts(self, subject: Any, kind: Any, count: int, names: tuple[str, ...]) -> Any:
        """The attributes that a pattern asks for."""
        if not isinstance(subject, kind):
            return None
        if count == 1 and kind.__module__ == "builtins":
            return (subject, *(getattr(subject, name) for name in names))
        wanted = (*getattr(kind, "__match_args__", ())[:count], *names)
        if not all(hasattr(subject, name) for name in wanted):
            return None
        return tuple(getattr(subject, name) for name in wanted)

    def watch(self, subject: Any) -> None:
        """Nothing is to be noted."""

    def spread(self, value: Any) -> tuple[Any, ...]:
        """`*value` in a list."""
        return Spread([*value])

    def list_display(self, *parts: Any) -> list[Any]:
        """`[a, *b]`."""
        return [item for part in parts for item in (part if type(part) is Spread else [part])]

    def tuple_display(self, *parts: Any) -> tuple[Any, ...]:
        """`(a, *b)`."""
        return tuple(self.list_display(*parts))

    def call_spread(self, function: Any, *parts: Any, **named: Any) -> Any:
        """`function(a, *b)`."""
        return self.call(function, *self.list_display(*parts), **named)

    def gathered(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """`*args` of a function."""
        return args

    def dict_display(self, *parts: tuple[Any, ...]) -> dict[Any, Any]:
        """`{a: b, **c}`."""
        made: dict[Any, Any] = {}
        for part in parts:
            made.update([part] if len(part) == 2 else part[0])
        return made

    def set_display(self, *parts: Any) -> set[Any]:
        """`{a, *b}`."""
        return set(self.list_display(*parts))

    def class_made(self, kind: Any) -> Any:
        return kind

    def bound(self, value: Any) -> Any:
        """The value itself."""
        return value

    def load_free(self, read: Body, name: str) -> Any:
        return read()

    def load(self, read: Body, name: str) -> Any:
        """A variable that may have no value."""
        try:
            return read()
        except NameError:
            pass  # raised outside of the handler, so that its context is that of the user's program
        raise UnboundLocalError(unbound_message(name))

    def percent(self, text: Any, values: Any) -> Any:
        """`text % values`."""
        return text % values

    def fstring(self, *parts: Any) -> str:
        """An f-string, of texts and (value, conversion, format)."""
        return "".join(part if isinstance(part, str) else _formatted(*part) for part in parts)

    def comprehension(
        self,
        kind: str,
        iterable: Any,
        element: Callable[[Any], Any],
        condition: Callable[[Any], Any] | None = None,
        flat: bool = False,
    ) -> Any:
        """A comprehension; of a flat one, each element is an iterable of elements."""
        if kind in ("generator", "passed_on", "each", "picked", "walk"):
            return self._generator(iter(iterable), element, condition, flat)
        found: list[Any] = []
        for item in iterable:
            if condition is None or condition(item):
                result = element(item)
                if flat:
                    found.extend(result)
                else:
                    found.append(result)
        return {"list": list, "passed": list, "set": set, "dict": dict}[kind](found)

    def _generator(
        self,
        iterator: Iterable[Any],
        element: Callable[[Any], Any],
        condition: Callable[[Any], Any] | None,
        flat: bool,
    ) -> Iterator[Any]:
        for item in iterator:
            if condition is None or condition(item):
                if flat:
                    yield from element(item)
                else:
                    yield element(item)


class PlainLoopOperators(PythonOperators):
    """Operators that run the loops that Python can run by itself as the user wrote them."""

    def while_(
        self,
        test: Body,
        body: Body,
        otherwise: Body | None = None,
        dead: str = "",
        plain: Plain | None = None,
    ) -> Any:
        """`while`."""
        if plain is None:
            return super().while_(test, body, otherwise)
        return _all_of(plain)

    def for_(
        self,
        iterable: Any,
        body: Callable[[Any], Any],
        otherwise: Body | None = None,
        dead: str = "",
        plain: Plain | None = None,
        leaves: bool = False,
    ) -> Any:
        """`for`."""
        if plain is None:
            return super().for_(iterable, body, otherwise)
        return _all_of(plain)


def _all_of(plain: Plain) -> None:
    assert plain(math.inf)


class ForgettingOperators(PythonOperators):
    """Operators that unbind the names that are said to be dead: a program that reads one nevertheless fails."""

    def if_(self, test: Any, then: Body, otherwise: Body | None = None, dead: str = "") -> Any:
        """`if`, then forget."""
        try:
            return super().if_(test, then, otherwise)
        finally:
            _forget(dead, then, otherwise)

    def while_(
        self,
        test: Body,
        body: Body,
        otherwise: Body | None = None,
        dead: str = "",
        plain: Plain | None = None,
    ) -> Any:
        """`while`; names are forgotten after each iteration, too."""
        try:
            return super().while_(test, _forgetting(dead, body, otherwise), otherwise)
        finally:
            _forget(dead, test, body, otherwise)

    def for_(
        self,
        iterable: Any,
        body: Callable[[Any], Any],
        otherwise: Body | None = None,
        dead: str = "",
        plain: Plain | None = None,
        leaves: bool = False,
    ) -> Any:
        """`for`; names are forgotten after each iteration, too."""
        try:
            return super().for_(iterable, _forgetting(dead, body, otherwise), otherwise)
        finally:
            _forget(dead, body, otherwise)

    def try_(
        self,
        body: Body,
        handlers: tuple[Handler, ...],
        otherwise: Body | None,
        final: Body | None,
        dead: str = "",
    ) -> Any:
        """`try`, then forget."""
        try:
            return super().try_(body, handlers, otherwise, final)
        finally:
            _forget(dead, body, otherwise, final, *(handler for _, _, handler in handlers))

    def then_(self, status: Any, rest: Body, dead: str = "") -> Any:
        """The rest of a block, then forget."""
        try:
            return super().then_(status, rest)
        finally:
            _forget(dead, rest)


def _forgetting(dead: str, body: Callable[..., Any], otherwise: Body | None) -> Callable[..., Any]:
    def run(*arguments: Any) -> Any:
        try:
            return body(*arguments)
        finally:
            _forget(dead, body, otherwise)

    return run


def _forget(dead: str, *functions: Callable[..., Any] | None) -> None:
    for name in dead.split():
        for function in functions:
            if function is not None and name in function.__code__.co_freevars:
                cell = cell_of(function, name)
                cell.cell_contents = None
                del cell.cell_contents


def _formatted(value: Any, conversion: str | None, spec: str | None) -> str:
    convert: dict[str | None, Callable[[Any], Any]] = {None: lambda v: v, "r": repr, "s": str, "a": ascii}
    return format(convert[conversion](value), spec or "")


__all__ = ["ForgettingOperators", "PlainLoopOperators", "PythonOperators", "cell_of", "unbound_message"]
