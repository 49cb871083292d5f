"""The attributes by which objects of a class are equal, where its `__eq__` and `__hash__` look at these alone.

A dataclass says them by its fields. Of methods that somebody wrote, those are read that compare attribute by attribute:

def __eq__(self, other):
    return isinstance(other, Cell) and (self.row, self.column) == (other.row, other.column)

def __hash__(self):
    return hash((self.row, self.column))
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..source.modules import is_users_module, told
from ..source.own_attributes import is_compared_by_fields
from .generated import is_generated


def compared_fields(kind: Any) -> tuple[str, ...] | None:
    """The attributes that tell hashable objects of a class apart; None where other things may."""
    if (
        told(kind, "__weft_row__") is not None
        or not is_users_module(kind.__module__)
        or issubclass(kind, tuple)
    ):
        return None
    return _compared_fields(kind, kind.__eq__, kind.__hash__)


@functools.cache
def _compared_fields(kind: Any, equals: Any, hashes: Any) -> tuple[str, ...] | None:
    compared: tuple[str, ...] | None
    if is_generated(equals) and is_generated(hashes) and is_compared_by_fields(kind):
        compared = tuple(field.name for field in dataclasses.fields(kind) if field.compare)
        hashed = generated_hash(kind)
    else:
        compared, hashed = _compared_by(equals, kind), _hashed_by(hashes)
    if compared is None or hashed is None or not set(hashed) <= set(compared):
        return None
    return compared if all(_is_plain(kind, name) for name in compared) else None


def generated_hash(kind: Any) -> tuple[str, ...] | None:
    """The attributes of whose tuple the `__hash__` that a dataclass got gives the hash; None for other classes."""
    if not is_generated(kind.__hash__) or not is_compared_by_fields(kind):
        return None
    is_hashed = {f.name: f.compare if f.hash is None else f.hash for f in dataclasses.fields(kind)}
    return tuple(name for name, hashed in is_hashed.items() if hashed)


def _is_plain(kind: type, name: str) -> bool:
    """Whether an attribute of objects is what they hold, and no method of their class gives it."""
    asks: Any = kind.__getattribute__
    if told(kind, "__getattr__") is not None or asks is not object.__getattribute__:
        return False
    member = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
    return not hasattr(type(member), "__get__") or isinstance(member, types.MemberDescriptorType)


def _written(function: Any) -> tuple[list[str], list[ast.stmt]] | None:
    """The parameters and statements of a method that somebody wrote."""
    if not isinstance(function, types.FunctionType) or is_generated(function):
        return None
    try:
        (made,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, SyntaxError, TypeError, ValueError):
        return None
    if not isinstance(made, ast.FunctionDef) or made.decorator_list:
        return None
    body = made.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return [argument.arg for argument in made.args.args], body


def _hashed_by(function: Any) -> tuple[str, ...] | None:
    """The attributes of which `__hash__` gives the hash."""
    match _written(function):
        case [owner], [ast.Return(ast.Call(ast.Name("hash"), [given], []))]:
            is_pythons = inspect.getclosurevars(function).builtins.get("hash") is hash
            return _attributes(given, owner) if is_pythons else None
    return None


def _compared_by(function: Any, kind: type) -> tuple[str, ...] | None:
    """The attributes that `__eq__` compares, if all that it says of a class's objects is that they are equal."""
    match _written(function):
        case [owner, other], [*tests, ast.Return(value)] if value is not None:
            tells = functools.partial(_tells_class, owner, other, function, kind)
            parts = [part for part in _joined(value) if not tells(part)]
            found = [_equal_attributes(part, owner, other) for part in parts]
            if None not in found and all(_is_test_of_class(test, tells) for test in tests):
                return tuple(name for names in found for name in names or ())
    return None


def _joined(value: ast.expr) -> Iterator[ast.expr]:
    """What must all be true for a value to be."""
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And):
        for part in value.values:
            yield from _joined(part)
    else:
        yield value


def _is_test_of_class(statement: ast.stmt, tells: Callable[[ast.expr], bool]) -> bool:
    """Whether a statement returns where the other object is of another class."""
    match statement:
        case ast.If(ast.UnaryOp(ast.Not(), test), [ast.Return(result)], []):
            return tells(test) and _is_no(result)
        case ast.If(ast.Compare(left, [ast.IsNot() | ast.NotEq()], [right]), [ast.Return(result)], []):
            return tells(ast.Compare(left, [ast.Is()], [right])) and _is_no(result)
    return False


def _is_no(result: ast.expr | None) -> bool:
    return result is not None and ast.unparse(result) in ("False", "NotImplemented")


def _tells_class(owner: str, other: str, function: Any, kind: type, test: ast.expr) -> bool:
    """Whether a test asks no more than of which class the other object is, and holds for two of one class."""
    own, others = {f"type({owner})", f"{owner}.__class__"}, {f"type({other})", f"{other}.__class__"}
    match test:
        case ast.Call(ast.Name("isinstance"), [ast.Name(name), classes], []) if name == other:
            named = classes.elts if isinstance(classes, ast.Tuple) else [classes]
            return any(ast.unparse(one) in own or _is_base(function, one, kind) for one in named)
        case ast.Compare(left, [ast.Is() | ast.Eq()], [right]):
            sides = ast.unparse(left), ast.unparse(right)
            return any(one in own and two in others for one, two in (sides, sides[::-1]))
    return False


def _is_base(function: Any, named: ast.expr, kind: type) -> bool:
    """Whether what a function calls by a name is a class that another one is, or is derived from."""
    if not isinstance(named, ast.Name):
        return False
    scope = inspect.getclosurevars(function)
    found = {**scope.builtins, **scope.globals, **scope.nonlocals}.get(named.id)
    return isinstance(found, type) and found in kind.__mro__


def _equal_attributes(test: ast.expr, owner: str, other: str) -> tuple[str, ...] | None:
    """The attributes that a comparison of the same ones of two objects looks at."""
    match test:
        case ast.Compare(left, [ast.Eq()], [right]):
            for one, two in ((owner, other), (other, owner)):
                names = _attributes(left, one)
                if names is not None and names == _attributes(right, two):
                    return names
    return None


def _attributes(value: ast.expr, owner: str) -> tuple[str, ...] | None:
    """The names of `owner.a`, or of those in a tuple."""
    match value:
        case ast.Attribute(ast.Name(name), attribute) if name == owner:
            return (attribute,)
        case ast.Tuple(entries):
            found = [_attributes(entry, owner) for entry in entries]
            return None if None in found else tuple(name for names in found for name in names or ())
    return None
