"""The arguments of a function by which is differentiated: counted or named, with independent values in their places."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.records import dataclass
from ..signature.signature import signature_of
from ..tracing.recorder import Recorder
from .independent import Variable, has_derivative, independent
from .structures import map_leaves
from .tape_requests import is_object

Argnums: TypeAlias = "int | str | Sequence[int | str]"
"""Which arguments: a number counted from 0, the name of a parameter, or several of these."""

Make: TypeAlias = Callable[[Recorder, Any, str], Variable]
"""Makes an independent value of an array or number, which is called as told."""


def name_of(f: Callable[..., Any], what: str = "weft.grad") -> str:
    """What a function is called; raises for what is none."""
    if not callable(f):
        raise WeftTypeError(f"{what} takes a function, not {f!r}")
    return getattr(f, "__name__", None) or type(f).__name__


@dataclass(frozen=True, eq=False)
class Given:
    """A call of the function with independent values."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    chosen: list[Any]
    """What was passed for each of the arguments by which is differentiated."""
    variables: list[Variable]

    def structured(self, found: Iterator[Any]) -> list[Any]:
        """Values for the variables in the structures of the arguments, with None for what has no derivative."""
        return [
            map_leaves(lambda leaf, _: next(found) if has_derivative(leaf) else None, value, "")
            for value in self.chosen
        ]


class DifferentiatedArguments:
    """By which of its arguments a function is differentiated."""

    def __init__(self, function: Callable[..., Any], argnums: Argnums, what: str) -> None:
        self.name = name_of(function, what)
        self.is_one = isinstance(argnums, (int, str))
        self._parameters = signature_of(function).parameters
        self._positional = [
            p.name
            for p in self._parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)
        ]
        self._keys = [self._checked(key) for key in self._listed(argnums)]

    def given(self, trace: Recorder, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
        """The arguments of a call with independent values for those by which is differentiated."""
        taken, named = list(args), dict(kwargs)
        chosen: list[Any] = []
        variables: list[Variable] = []
        for key in self._keys:
            holder, place, path = self._place(key, taken, named)
            chosen.append(holder[place])
            if is_object(holder[place]):
                continue
            require_derivative(holder[place], path, self.name)
            holder[place] = with_variables(trace, holder[place], path, variables)
        return Given(tuple(taken), named, chosen, variables)

    def _listed(self, argnums: Argnums) -> list[int | str]:
        if isinstance(argnums, (int, str)):
            return [argnums]
        try:
            listed = list(argnums)
        except TypeError:
            raise self._no_argnums(argnums) from None
        if not listed:
            raise WeftValueError(f"argnums is empty: name an argument of {self.name}")
        return listed

    def _no_argnums(self, given: Any) -> WeftTypeError:
        return WeftTypeError(f"argnums counts arguments from 0 or names them, but one is {given!r}")

    def _checked(self, key: Any) -> int | str:
        kinds = [p.kind for p in self._parameters.values()]
        if isinstance(key, str):
            if key not in self._parameters and inspect.Parameter.VAR_KEYWORD not in kinds:
                raise WeftValueError(f"argnums names {key!r}, but {self.name} has no such parameter")
            return key
        if isinstance(key, bool) or not isinstance(key, int):
            raise self._no_argnums(key)
        is_open = inspect.Parameter.VAR_POSITIONAL in kinds
        if key < 0 or (key >= len(self._positional) and not is_open):
            raise WeftValueError(
                f"argnums is {key}, but {self.name} takes {len(self._positional)} positional arguments"
            )
        return key

    def _place(self, key: int | str, args: list[Any], kwargs: dict[str, Any]) -> tuple[Any, Any, str]:
        """The list or dict that holds an argument, where in it, and what the argument is called."""
        if isinstance(key, str):
            number = self._positional.index(key) if key in self._positional else len(args)
        else:
            number = key
        name = key if isinstance(key, str) else self._positional[min(key, len(self._positional) - 1)]
        if number >= len(args) and name not in kwargs and name in self._parameters:
            default = self._parameters[name].default
            if default is not inspect.Parameter.empty:
                kwargs[name] = default
        if name in kwargs:
            return kwargs, name, name
        if number >= len(args):
            raise WeftValueError(f"{self.name} is differentiated by its argument {name!r}, but got none")
        return args, number, name


def with_variables(
    trace: Recorder,
    value: Any,
    path: str,
    variables: list[Variable],
    make: Make = lambda trace, leaf, _: independent(trace, leaf),
) -> Any:
    """The same structure with independent values for what has derivatives; these are noted."""

    def visit(leaf: Any, path: str) -> Any:
        if not has_derivative(leaf):
            return leaf
        variables.append(make(trace, leaf, path))
        return variables[-1].array

    return map_leaves(visit, value, path)


def require_derivative(argument: Any, path: str, name: str) -> None:
    """Raise where an argument has nothing by which can be differentiated."""
    found: list[bool] = []
    map_leaves(lambda leaf, _: found.append(has_derivative(leaf)), argument, path)
    if any(found):
        return
    dtype = getattr(argument, "dtype", type(argument).__name__)
    raise WeftTypeError(
        f"argument {path!r} of {name} is of {dtype}, by which there is no derivative; convert it, "
        f"{path}.astype(float), or leave it out of argnums"
    )
