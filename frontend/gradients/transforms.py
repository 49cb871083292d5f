"""`weft.grad`, `weft.value_and_grad`, `weft.jvp` and `weft.stop_gradient`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops.differentiation import StopGradient
from ..autograph.marks import do_not_convert
from ..autograph.operators.calls.calls import call
from ..function import Function
from ..signature.signature import signature_of
from ..tracing.array import TracedArray
from ..tracing.current import current_trace
from ..tracing.recorder import Recorder
from ..tracing.staging import emit
from .independent import (
    Variable,
    gradient_of,
    has_derivative,
    independent,
    moved,
    require_scalar,
    tangent_of,
    write_back,
)
from .structures import map_leaves


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Function:
    """A function that returns what `f` returns, and its gradient by the arguments that `argnums` counts.

    `f` returns a real number, or with `has_aux` a pair of it and anything else. The arguments are arrays or numbers
    of floating-point or complex dtypes, or lists, tuples, dicts and dataclasses of these; the gradient has their
    structure, shapes and dtypes, with None for what has no derivative. For several `argnums` it is a tuple. The
    gradient by a complex argument is df/dre + i df/dim. Raises `TypeError` for an argument of integers and for a
    result that is no real number, `ValueError` for one that is not one number and for an argument that `f` has not,
    `weft.UnsupportedError` where the derivative of something is not known.

    >>> weft.value_and_grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    of_weft = _Transform(f, argnums, has_aux)  # named so that no variable of the user's has its name

    @functools.wraps(f)
    @do_not_convert
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        return of_weft.value_and_grad(args, kwargs)

    return Function(differentiated, None, f"value_and_grad({of_weft.name})")


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of `f`, as `weft.value_and_grad`; with `has_aux`, also the rest of a pair.

    >>> weft.grad(lambda x: x**3)(2.0)
    12.0
    >>> weft.grad(weft.grad(lambda x: x**3))(2.0)
    12.0
    """
    of_weft = _Transform(f, argnums, has_aux)  # named so that no variable of the user's has its name

    @functools.wraps(f)
    @do_not_convert
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        value, found = of_weft.value_and_grad(args, kwargs)
        return (found, value[1]) if of_weft.has_aux else found

    return Function(differentiated, None, f"grad({of_weft.name})")


def jvp(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """What `f` returns, and how that changes as the arguments move along tangents: a pair of the same structures.

    `tangents` has the structure, shapes and dtypes of `args`; for what has no derivative it holds None. Nothing is kept
    on the way: the derivative is computed beside the values. Raises `TypeError` where a tangent does not fit.

    >>> weft.jvp(lambda x: x**3, (2.0,), (1.0,))
    (8.0, 12.0)
    """
    if current_trace() is not None:
        return _pushed(f, args, tangents)
    return _pushing(f)(tuple(args), tuple(tangents))


@functools.lru_cache(maxsize=64)
def _pushing(f: Callable[..., Any]) -> Function:
    """What is compiled for calls outside of compiled functions."""

    @do_not_convert
    def pushed(args: Any, tangents: Any) -> Any:
        return _pushed(f, args, tangents)

    return Function(pushed, None, f"jvp({_name_of(f)})")


def _pushed(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    trace = current_trace()
    if trace is None:
        raise UnsupportedError(
            f"the tangent of {_name_of(f)} is computed by compiled code, but run_functions_eagerly(True) is in force"
        )
    if len(args) != len(tangents):
        raise WeftTypeError(
            f"{_name_of(f)} is called with {len(args)} arguments, but there are {len(tangents)} tangents"
        )
    moves: list[Any] = []
    map_leaves(lambda leaf, _: moves.append(leaf), list(tangents), "tangents")
    remaining = iter(moves)
    variables: list[Variable] = []

    def visit(leaf: Any, path: str) -> Any:
        move = next(remaining, None)
        if not has_derivative(leaf) or move is None:
            return leaf
        variables.append(moved(trace, leaf, move, path))
        return variables[-1].array

    returned = call(f, *map_leaves(visit, list(args), "args"))
    changes = map_leaves(lambda leaf, _: tangent_of(trace, leaf, variables), returned, "")
    for variable in variables:
        write_back(variable)
    return returned, changes


def stop_gradient(x: Any) -> Any:
    """x, of which derivatives do not know how it was computed: they are those of a constant.

    >>> weft.grad(lambda x: x * weft.stop_gradient(x))(3.0)
    3.0
    """

    def stopped(leaf: Any, path: str) -> Any:
        if not isinstance(leaf, TracedArray) or not has_derivative(leaf):
            return leaf
        made = emit(leaf._storage.trace, StopGradient, [leaf], {})
        return made._as_array(leaf._storage.is_array)._like_python(leaf._python_type)

    return map_leaves(stopped, x, "x")


class _Transform:
    """A function, and by which of its arguments it is differentiated."""

    def __init__(self, function: Callable[..., Any], argnums: int | Sequence[int], has_aux: bool) -> None:
        self.function = function
        self.name = _name_of(function)
        self.argnums = argnums
        self.numbers = _checked_argnums(function, argnums, self.name)
        self.has_aux = has_aux

    def value_and_grad(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function on independent values, and ask for the gradients of what it returns."""
        trace = current_trace()
        if trace is None:
            raise UnsupportedError(
                f"the gradient of {self.name} is computed by compiled code, but run_functions_eagerly(True) is in force"
            )
        variables: list[Variable] = []
        given = self._independent(trace, args, variables)
        returned = call(self.function, *given, **kwargs)
        y = self._number_of(returned)
        found = iter([gradient_of(trace, y, variable) for variable in variables])
        gradients = [
            map_leaves(lambda leaf, _: next(found) if has_derivative(leaf) else None, args[number], "")
            for number in self.numbers
        ]
        for variable in variables:
            write_back(variable)
        return returned, gradients[0] if isinstance(self.argnums, int) else tuple(gradients)

    def _independent(self, trace: Recorder, args: tuple[Any, ...], variables: list[Variable]) -> list[Any]:
        """The arguments with independent values for those by which is differentiated; these are noted."""
        parameters = list(signature_of(self.function).parameters)

        def visit(leaf: Any, path: str) -> Any:
            if not has_derivative(leaf):
                return leaf
            variables.append(independent(trace, leaf))
            return variables[-1].array

        given = list(args)
        for number in self.numbers:
            if number >= len(args):
                raise WeftValueError(
                    f"{self.name} got {len(args)} positional arguments: there is none with number {number}"
                )
            path = parameters[min(number, len(parameters) - 1)]
            _require_derivative(args[number], path, self.name)
            given[number] = map_leaves(visit, args[number], path)
        return given

    def _number_of(self, returned: Any) -> Any:
        """The number that is differentiated, of what the function returned."""
        if self.has_aux and not (isinstance(returned, tuple) and len(returned) == 2):
            raise WeftTypeError(
                f"with has_aux=True {self.name} returns a pair of the number and the rest, not a "
                f"{type(returned).__name__}"
            )
        y = returned[0] if self.has_aux else returned
        require_scalar(y, self.name)
        return y


def _require_derivative(argument: Any, path: str, name: str) -> None:
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


def _checked_argnums(f: Callable[..., Any], argnums: int | Sequence[int], name: str) -> tuple[int, ...]:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    kinds = [p.kind for p in signature_of(f).parameters.values()]
    is_open = inspect.Parameter.VAR_POSITIONAL in kinds
    count = sum(
        k in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in kinds
    )
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int):
            raise WeftTypeError(f"argnums counts arguments from 0: it is an int or several, not {argnums!r}")
        if number < 0 or (number >= count and not is_open):
            raise WeftValueError(f"argnums is {number}, but {name} takes {count} positional arguments")
    if not numbers:
        raise WeftValueError(f"argnums is empty: name an argument of {name}")
    return numbers


def _name_of(f: Callable[..., Any]) -> str:
    if not callable(f):
        raise WeftTypeError(f"weft.grad takes a function, not {f!r}")
    return getattr(f, "__name__", None) or type(f).__name__


__all__ = ["grad", "jvp", "stop_gradient", "value_and_grad"]
