"""What converted code calls: an operator for each statement and expression, under the name `weft_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

Exit: TypeAlias = Any
"""How a block ends: None where it falls through, or a status that only operators look into."""

Block: TypeAlias = "Callable[[], Exit]"
"""Statements, as a function that assigns the variables around it."""

Thunk: TypeAlias = "Callable[[], Any]"
"""An expression, as a function."""

Handler: TypeAlias = "tuple[Thunk | None, str | None, Callable[..., Exit]]"
"""The exceptions (None: all), the name that one is bound to, and the function of the block, which takes it then."""


class Operators(Protocol):
    """The meaning of converted code; `dead` are the names of a statement that nothing reads behind it."""

    # Statements

    BREAK: Exit
    CONTINUE: Exit
    RETURN: Exit

    def if_(self, test: Any, body: Block, orelse: Block | None = None, /, dead: str = "") -> Exit:
        """`if test: body() else: orelse()`."""

    def while_(
        self,
        test: Thunk,
        body: Block,
        orelse: Block | None = None,
        /,
        dead: str = "",
        plain: Callable[[float], bool] | None = None,
    ) -> Exit:
        """`while test(): body() else: orelse()`.

        `plain` is the user's own loop: it runs while it has iterations left of a number, and says whether it ended.
        """

    def for_(
        self,
        iterable: Any,
        body: Callable[[Any], Exit],
        orelse: Block | None = None,
        /,
        dead: str = "",
        plain: Callable[[float], bool] | None = None,
        leaves: bool = False,
    ) -> Exit:
        """`for item in iterable: body(item) else: orelse()`; see `while_`.

        `leaves` says that the body has a `break` or `return`.
        """

    def walked(self, iterable: Any, /) -> Any:
        """What a loop walks that something else may hold, too."""

    def try_(
        self,
        body: Block,
        handlers: tuple[Handler, ...],
        orelse: Block | None,
        finalbody: Block | None,
        /,
        dead: str = "",
    ) -> Exit:
        """`try`, with its handlers; an exit of `finally` replaces every other end."""

    def then_(self, status: Exit, rest: Block, /, dead: str = "") -> Exit:
        """The rest of a block, unless a statement before it left the block."""

    def result(self, body: Block, name: str = ..., /) -> Any:
        """The value of a function whose body may return in several places, which it leaves in a variable."""

    def assert_(self, test: Any, message: Thunk | None, /) -> None:
        """`assert test, message()`."""

    def raise_(self, error: Thunk | None = None, cause: Thunk | None = None, /) -> None:
        """`raise error() from cause()`."""

    def with_(self, manager: Any, body: Callable[[Any], Exit], /, dead: str = "") -> Exit:
        """`with manager as entered: body(entered)`."""

    # Names and attributes

    def load(self, read: Thunk, name: str, /) -> Any:
        """A variable that may have no value."""

    def load_free(self, read: Thunk, name: str, /) -> Any:
        """A variable of a function around this one that may have no value."""

    def bound(self, value: Any, /) -> Any:
        """A value that is there where the statement before was not left by an exception."""

    def class_made(self, kind: Any, /) -> Any:
        """A class that a statement in the function has made."""

    def latest(self, value: Any, /) -> Any:
        """What a list of Python's has become."""

    def attr(self, owner: Any, name: str, /) -> Any:
        """`owner.name`."""

    def changed(self, owner: Any, name: str, /) -> Any:
        """The owner of an attribute that is about to be set or deleted."""

    def update_attr(self, owner: Any, name: str, symbol: str, value: Any, /, late: bool = False) -> None:
        """`owner.name symbol value`; a late value is a function, called after the attribute is read."""

    @property
    def index(self) -> Any:
        """Makes values of what stands in brackets: `index[1:n]` is `slice(1, n)`."""

    def item(self, container: Any, key: Any, /) -> Any:
        """`container[key]`."""

    def set_item(self, container: Any, key: Any, value: Any, /) -> None:
        """`container[key] = value`."""

    def del_item(self, container: Any, key: Any, /) -> None:
        """`del container[key]`."""

    def update_item(self, container: Any, key: Any, symbol: str, value: Any, /, late: bool = False) -> None:
        """`container[key] symbol value`; a late value is a function, called after the item is read."""

    def binary(self, symbol: str, left: Any, right: Any, /) -> Any:
        """`left symbol right`: arithmetic and comparisons."""

    def unary(self, symbol: str, value: Any, /) -> Any:
        """`symbol value`."""

    def update(self, symbol: str, target: Any, value: Any, /) -> Any:
        """What a variable holds after `target symbol value`."""

    def unpack(self, value: Any, before: int, after: int | None = None, /) -> Any:
        """As many items as there are targets; with `after`, a list of those between is one."""

    def taken_apart(self, subject: Any, is_mapping: bool, is_nested: bool, /) -> Any:
        """A value that Python itself compares with the structure of a pattern, perhaps parts of it, too."""

    def class_parts(self, subject: Any, kind: Any, count: int, names: tuple[str, ...], /) -> Any:
        """The attributes that a class pattern asks for, or None where it does not match."""

    # Expressions

    def if_exp(self, test: Any, body: Thunk, orelse: Thunk, /) -> Any:
        """`body() if test else orelse()`."""

    def and_(self, left: Any, /, *others: Thunk, tested: bool = False) -> Any:
        """`left and others()`; tested where only its truth matters."""

    def or_(self, left: Any, /, *others: Thunk, tested: bool = False) -> Any:
        """`left or others()`; tested where only its truth matters."""

    def not_(self, value: Any, /) -> Any:
        """`not value`."""

    def is_(self, left: Any, right: Any, /) -> Any:
        """`left is right`."""

    def is_not_(self, left: Any, right: Any, /) -> Any:
        """`left is not right`."""

    def compare(self, symbol: str, left: Any, right: Any, /) -> Any:
        """`left symbol right`."""

    def in_(self, item: Any, container: Any, /) -> Any:
        """`item in container`."""

    def not_in_(self, item: Any, container: Any, /) -> Any:
        """`item not in container`."""

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`."""

    def spread(self, value: Any, /) -> Any:
        """`*value` in a list display."""

    def list_display(self, /, *parts: Any) -> Any:
        """`[a, *b]`."""

    def tuple_display(self, /, *parts: Any) -> Any:
        """`(a, *b)`."""

    def call_spread(self, function: Any, /, *parts: Any, **named: Any) -> Any:
        """`function(a, *b, **named)`."""

    def gathered(self, args: tuple[Any, ...], /) -> Any:
        """What `*args` of a function holds."""

    def dict_display(self, /, *parts: tuple[Any, ...]) -> Any:
        """`{a: b, **c}`: pairs, and what is unpacked as a tuple of one."""

    def set_display(self, /, *parts: Any) -> Any:
        """`{a, *b}`."""

    def fstring(self, /, *parts: Any) -> Any:
        """An f-string, of texts and (value, conversion, format)."""

    def percent(self, text: Any, values: Any, /) -> Any:
        """`text % values`."""

    def comprehension(
        self,
        kind: str,
        iterable: Any,
        element: Callable[[Any], Any],
        condition: Callable[[Any], Any] | None = None,
        /,
        flat: bool = False,
    ) -> Any:
        """`[element(item) for item in iterable if condition(item)]`; if flat, what `element` gives is walked too."""
