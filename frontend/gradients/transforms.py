"""`weft.grad`, `weft.value_and_grad` and `weft.stop_gradient`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from ...dialect.errors import WeftTypeError
from ...dialect.ops.differentiation import StopGradient
from ..autograph.marks import do_not_convert
from ..autograph.operators.calls.calls import call
from ..function import Function
from ..tracing.array import TracedArray
from ..tracing.staging import emit
from .arguments import Argnums, DifferentiatedArguments
from .independent import as_number, gradient_of, has_derivative, ones_like, require_scalar, write_back
from .object_arguments import reading, with_objects
from .recording import delivered, recording
from .structures import map_leaves

P = ParamSpec("P")
Transform = TypeVar("Transform", bound=Callable[..., Function[..., Any]])


def _remembered(transform: Transform) -> Transform:
    """A transform that gives one compiled function for one function: who asks in a loop compiles once."""
    known: Any = functools.lru_cache(maxsize=64, typed=True)(transform)

    @functools.wraps(transform)
    def remembered(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any:
        key = tuple(argnums) if isinstance(argnums, list) else argnums
        try:
            hash((f, key))
        except TypeError:
            return transform(f, argnums, has_aux)
        return known(f, key, has_aux)

    return cast(Transform, remembered)


@_remembered
def value_and_grad(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False
) -> Function[P, tuple[Any, Any]]:
    """A function that returns what `f` returns, and its gradient by the arguments that `argnums` counts or names.

    `f` returns a real number, or with `has_aux` a pair of it and anything else. The arguments are arrays or numbers
    of floating-point or complex dtypes, or lists, tuples, dicts and dataclasses of these; the gradient has their
    structure, shapes and dtypes, with None for what has no derivative. That by an object is a dict of those by its
    arrays that `f` has read (`{"w": ..., "layers[0].b": ...}`). For several `argnums` it is a tuple. The gradient by a
    complex argument is df/dre + i df/dim. Raises `TypeError` for an argument of integers and for a result that is no
    real number, `ValueError` for one that is not one number and for an argument that `f` has not,
    `weft.DifferentiationError` where the derivative of something is not known.

    >>> weft.value_and_grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    of_weft = _Transform(f, argnums, has_aux)  # named so that no variable of the user's has its name

    @functools.wraps(f)
    @do_not_convert
    def differentiated(*args: P.args, **kwargs: P.kwargs) -> Any:
        return of_weft.value_and_grad(args, kwargs)

    made = Function(differentiated, None, f"value_and_grad({of_weft.name})")
    return made.made_by(value_and_grad, f, argnums, has_aux)


@_remembered
def grad(f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False) -> Function[P, Any]:
    """A function that returns the gradient of `f`, as `weft.value_and_grad`; with `has_aux`, also the rest of a pair.

    >>> weft.grad(lambda x: x**3)(2.0)
    12.0
    >>> weft.grad(weft.grad(lambda x: x**3))(2.0)
    12.0
    >>> weft.grad(lambda x, y: x * y, ("y", "x"))(2.0, y=3.0)
    (2.0, 3.0)
    """
    of_weft = _Transform(f, argnums, has_aux)  # named so that no variable of the user's has its name

    @functools.wraps(f)
    @do_not_convert
    def differentiated(*args: P.args, **kwargs: P.kwargs) -> Any:
        value, found = of_weft.value_and_grad(args, kwargs)
        return (found, value[1]) if of_weft.has_aux else found

    return Function(differentiated, None, f"grad({of_weft.name})").made_by(grad, f, argnums, has_aux)


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


def without_aux(returned: Any, has_aux: bool, name: str) -> Any:
    """What is differentiated, of what a function returned."""
    if has_aux and not (isinstance(returned, tuple) and len(returned) == 2):
        raise WeftTypeError(
            f"with has_aux=True {name} returns a pair of what is differentiated and the rest, not a "
            f"{type(returned).__name__}"
        )
    return returned[0] if has_aux else returned


class _Transform:
    """A function, and by which of its arguments it is differentiated."""

    def __init__(self, function: Callable[..., Any], argnums: Argnums, has_aux: bool) -> None:
        self.function = function
        self.arguments = DifferentiatedArguments(function, argnums, "weft.grad")
        self.name = self.arguments.name
        self.has_aux = has_aux

    def value_and_grad(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function on independent values, and ask for the gradients of what it returns."""
        with recording() as trace:
            given = self.arguments.given(trace, args, kwargs)
            with reading(trace, given.chosen) as tape:
                returned = call(self.function, *given.args, **given.kwargs)
            y = without_aux(returned, self.has_aux, self.name)
            require_scalar(y, self.name)
            ys = [as_number(trace, y)]
            ones = [ones_like(trace, ys[0])]
        found = given.structured(iter([gradient_of(trace, ys, ones, v) for v in given.variables]))
        found = with_objects(tape, ys, given.chosen, found, lambda v: gradient_of(trace, ys, ones, v))
        for variable in given.variables:
            write_back(variable)
        return delivered((returned, found[0] if self.arguments.is_one else tuple(found)))
