"""`weft.jacobian` and `weft.hessian`: all partial derivatives of a function, one direction after the other."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import WeftTypeError
from ...dialect.ops.creation import Constant
from ..autograph.marks import do_not_convert
from ..autograph.operators.calls.calls import call
from ..function import Function
from ..numpy_api.shape import reshape
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder
from ..tracing.staging import cast, staged
from .arguments import Argnums, DifferentiatedArguments, Given
from .independent import Rules, Variable, described, has_derivative, tangent_of, write_back
from .object_arguments import reading, with_objects
from .recording import delivered, recording
from .rows import by_rows
from .structures import map_leaves
from .traced_tape import TracedTape
from .transforms import grad, without_aux

P = ParamSpec("P")

FORWARD_INPUTS = 16
"""Up to so many numbers are moved one by one beside one run of the function, if it returns at least as many."""


def jacobian(f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False) -> Function[P, Any]:
    """A function that returns the partial derivatives of what `f` returns, by the arguments that `argnums` tells.

    `f` returns an array of real numbers, or lists, tuples, dicts and dataclasses of these, or with `has_aux` a pair of
    that and anything else, which comes second. The result has the structure of what `f` returns, with that of the
    argument at each place, a dict by the arrays that were read for an object, and a tuple for several `argnums`; its
    arrays have the shape of the result followed by that of the argument, and the dtype of the argument. `f` runs once:
    with tangents beside its values where it has few arguments (up to 16 numbers, and no object) and at least as many
    results, else in reverse, in a loop over the results. Raises `TypeError` for complex numbers and integers,
    `ValueError` for an argument that `f` has not.

    >>> weft.jacobian(lambda x: x[:2] * x[2])(np.array([1.0, 2.0, 3.0]))
    array([[3., 0., 1.],
           [0., 3., 2.]])
    """
    of_weft = _Jacobian(f, argnums, has_aux)  # named so that no variable of the user's has its name

    @functools.wraps(f)
    @do_not_convert
    def differentiated(*args: P.args, **kwargs: P.kwargs) -> Any:
        return of_weft.found(args, kwargs)

    made = Function(differentiated, None, f"jacobian({of_weft.arguments.name})")
    return made.made_by(jacobian, f, argnums, has_aux)


def hessian(f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False) -> Function[P, Any]:
    """A function that returns the second derivatives of a real function: the Jacobian of its gradient.

    Arguments, result and errors are those of `weft.jacobian` of `weft.grad(f)`: for several `argnums`, a tuple of
    tuples.

    >>> weft.hessian(lambda x: x[0] ** 2 * x[1])(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    return jacobian(grad(f, argnums, has_aux), argnums, has_aux)


class _Jacobian:
    """A function, and by which of its arguments it is differentiated."""

    def __init__(self, function: Callable[..., Any], argnums: Argnums, has_aux: bool) -> None:
        self.function = function
        self.arguments = DifferentiatedArguments(function, argnums, "weft.jacobian")
        self.has_aux = has_aux

    def found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function once, and ask for its derivatives in one direction after the other."""
        name = self.arguments.name
        with recording() as trace:
            given = self.arguments.given(trace, args, kwargs)
            for variable in given.variables:
                _require_real(variable.array, f"an argument of {name} has")
            moves = [_basis(trace, variable) for variable in given.variables]
            rules, before = trace.state(Rules), trace.state(Rules).count
            with reading(trace, given.chosen) as tape:
                returned = call(self.function, *given.args, **given.kwargs)
            if rules.count != before or tape is not None:
                moves = [[]]  # in reverse: there are no tangents, or it is not known yet what is read
            y = without_aux(returned, self.has_aux, name)
            found = map_leaves(
                lambda leaf, path: self._of_result(trace, given, moves, tape, leaf, path), y, ""
            )
        for variable in given.variables:
            write_back(variable)
        return delivered((found, returned[1]) if self.has_aux else found)

    def _of_result(
        self,
        trace: Recorder,
        given: Given,
        moves: list[list[Variable]],
        tape: TracedTape | None,
        y: Any,
        path: str,
    ) -> Any:
        """The derivatives of one array or number by all variables, in the structures of the arguments."""
        name = f"{self.arguments.name}{path and f' at {path}'}"
        if not has_derivative(y):
            raise WeftTypeError(
                f"a Jacobian is that of real numbers, but {name} returned {described(y)}; convert it "
                "to floating point, or pass it on with has_aux=True"
            )
        result = staged(trace, y).copy()
        _require_real(result, f"{name} returned")
        if all(moves) and _is_forward(result, given.variables):
            arrays = [_by_columns(trace, result, moving) for moving in moves]
        else:
            arrays = by_rows(trace, result, given.variables)
        is_number = getattr(y, "_python_type", type(y)) is float
        for array, variable in zip(arrays, given.variables, strict=True):
            if array.ndim == 0:
                array._as_array(variable.array._storage.is_array and not is_number)
                array._like_python(variable.array._python_type if is_number else None)
        found = with_objects(
            tape,
            [result],
            given.chosen,
            given.structured(iter(arrays)),
            lambda v: by_rows(trace, result, [v])[0],
            result.shape,
        )
        return found[0] if self.arguments.is_one else tuple(found)


def _require_real(array: TracedArray, where: str) -> None:
    if kind(array.dtype) == "c":
        raise WeftTypeError(
            f"a Jacobian is that of real numbers, but {where} complex ones ({array.type}); use their real "
            "and imaginary parts"
        )


def _count(arrays: Sequence[TracedArray]) -> int | None:
    """How many numbers arrays have; None where it is known only at run time."""
    extents = [extent for array in arrays for extent in array.type.shape]
    if None in extents:
        return None
    return sum(math.prod(extent or 0 for extent in array.type.shape) for array in arrays)


def _is_forward(result: TracedArray, variables: Sequence[Variable]) -> bool:
    """Whether tangents are computed, not cotangents."""
    inputs, outputs = _count([variable.array for variable in variables]), _count([result])
    if inputs is None or inputs > FORWARD_INPUTS:
        return False
    return outputs is None or inputs <= outputs


def _basis(trace: Recorder, variable: Variable) -> list[Variable]:
    """The variable moving along each of its numbers; made in front of what tangents are computed beside."""
    inputs = _count([variable.array])
    if inputs is None or inputs > FORWARD_INPUTS:
        return []
    shape = tuple(map(int, variable.array.shape))
    found = []
    for move in np.eye(inputs, dtype=variable.array.dtype):
        (tangent,) = trace.create(Constant, [], {"value": move.reshape(shape)})
        found.append(Variable(variable.given, variable.array, variable.value, tangent))
    return found


def _by_columns(trace: Recorder, y: TracedArray, moves: list[Variable]) -> Any:
    """Forwards: for each number of a variable, how the result changes with it."""
    variable = moves[0].array
    columns = [cast(tangent_of(trace, y, [moving]), variable.dtype) for moving in moves]
    return reshape(np.stack(columns, axis=-1), (*y.shape, *variable.shape))
