"""`weft.vjp` and `weft.jvp`: products with the Jacobian of a function, from the left and from the right."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...dialect.errors import WeftTypeError
from ..autograph.marks import do_not_convert
from ..autograph.operators.calls.calls import call
from ..calls.eager_calls import is_eager
from ..function import Function
from ..tracing.array import TracedArray
from ..tracing.current import current_trace
from ..tracing.recorder import Recorder
from ..tracing.staging import staged
from .arguments import name_of, with_variables
from .independent import (
    Variable,
    described,
    fitting,
    gradient_of,
    has_derivative,
    moved,
    tangent_of,
    write_back,
)
from .object_arguments import moved_variables, moves_of, reading, with_objects
from .recording import delivered, recording
from .structures import leaves_of, map_leaves, structure_of
from .tape_requests import is_object
from .traced_tape import TracedTape
from .transforms import without_aux


def vjp(f: Callable[..., Any], *args: Any, has_aux: bool = False) -> Any:
    """What `f` returns, and a function that takes cotangents of it and returns those of the arguments, a tuple.

    A cotangent has the structure, shapes and dtypes of what `f` returns, with None (or anything) for what has no
    derivative; those of the arguments have their structures, with None, and that of an object is a dict of those of its
    arrays that `f` has read. With `has_aux`, `f` returns a pair of what is
    differentiated and the rest, which comes third. The function may be called any number of times; `f` runs once: in
    a compiled function as a part of it, else in plain Python, on arrays that remember how they were computed. Raises
    `TypeError` where a cotangent does not fit.

    >>> @weft.function
    ... def doubled(x, g):
    ...     y, pullback = weft.vjp(lambda x: x * x, x)
    ...     return y, pullback(g)
    >>> doubled(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    (array([1., 4.]), (array([ 2., 40.]),))
    """
    name = name_of(f, "weft.vjp")
    variables: list[Variable] = []
    with recording() as trace:
        given = [with_variables(trace, arg, f"args[{i}]", variables) for i, arg in enumerate(args)]
        with reading(trace, args) as tape:
            returned = call(f, *given)
        y = without_aux(returned, has_aux, name)
        pullback = Pullback(trace, y, args, variables, name, tape)
    for variable in variables:
        write_back(variable)
    y, *aux = delivered((y, *returned[1:])) if has_aux else (delivered(y),)
    return (y, pullback, *aux)


class Pullback:
    """From cotangents of a result to those of the arguments that it was computed of."""

    def __init__(
        self,
        trace: Recorder,
        y: Any,
        args: Sequence[Any],
        variables: list[Variable],
        name: str,
        tape: TracedTape | None,
    ) -> None:
        self._trace = trace
        self._tape = tape
        """What has seen the arrays of objects."""
        self._structure = structure_of(y)
        self._values = [
            staged(trace, leaf).copy() if has_derivative(leaf) else None for leaf, _ in leaves_of(y)
        ]
        """The results as they are now, whatever is written to them later; None for what has no derivative."""
        self._args = args
        self._variables = variables
        self._name = name

    @do_not_convert
    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments, a tuple."""
        ys, seeds = self._fitting(cotangent)

        def ask(variable: Variable) -> Any:
            return gradient_of(self._trace, ys, seeds, variable)

        found = map(ask, self._variables)
        by = [
            map_leaves(lambda leaf, _: next(found) if has_derivative(leaf) else None, arg, "")
            for arg in self._args
        ]
        return tuple(map(delivered, with_objects(self._tape, ys, self._args, by, ask)))

    def by(self, cotangent: Any, variable: Variable) -> Any:
        """The cotangent of another value that the result was computed of."""
        return gradient_of(self._trace, *self._fitting(cotangent), variable)

    def _fitting(self, cotangent: Any) -> tuple[list[TracedArray], list[TracedArray]]:
        if structure_of(cotangent) != self._structure:
            raise WeftTypeError(
                f"the cotangent has another structure than what {self._name} returned: it is {described(cotangent)}"
            )
        ys, seeds = [], []
        for (leaf, path), y in zip(leaves_of(cotangent, "cotangent"), self._values, strict=True):
            if y is None:
                continue
            ys.append(y)
            seeds.append(fitting(self._trace, leaf, y.type, f"the {path}", f"what {self._name} returned"))
        return ys, seeds


def jvp(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """What `f` returns, and how that changes as the arguments move along tangents: a pair of the same structures.

    `tangents` has the structure, shapes and dtypes of `args`; for what has no derivative it holds None, and for an
    object None or a dict of tangents of its arrays (`{"w": ..., "layers[0].b": ...}`). Nothing is kept on the way: the
    derivative is computed beside the values. Raises `TypeError` where a tangent does not fit.

    >>> weft.jvp(lambda x: x**3, (2.0,), (1.0,))
    (8.0, 12.0)
    """
    if current_trace() is not None or is_eager():
        return _pushed(f, args, tangents)
    return _pushing(f)(tuple(args), tuple(tangents))


@functools.lru_cache(maxsize=64)
def _pushing(f: Callable[..., Any]) -> Function[..., Any]:
    """What is compiled for calls outside of compiled functions."""

    @do_not_convert
    def pushed(args: Any, tangents: Any) -> Any:
        return _pushed(f, args, tangents)

    return Function(pushed, None, f"jvp({name_of(f, 'weft.jvp')})")


def _pushed(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    name = name_of(f, "weft.jvp")
    if len(args) != len(tangents):
        raise WeftTypeError(
            f"{name} is called with {len(args)} arguments, but there are {len(tangents)} tangents"
        )
    objects = [(i, arg, t) for i, (arg, t) in enumerate(zip(args, tangents, strict=True)) if is_object(arg)]
    given = list(tangents)
    for i, _, _ in objects:
        given[i] = None
    if structure_of(list(args)) != structure_of(given):
        raise WeftTypeError(f"the tangents have another structure than the arguments of {name}")
    remaining = iter([leaf for leaf, _ in leaves_of(given)])
    variables: list[Variable] = []
    with recording() as trace:
        moves = [move for i, owner, t in objects for move in moves_of(trace, owner, t, f"args[{i}]")]

        def visit(leaf: Any, path: str) -> Any:
            move = next(remaining)
            if not has_derivative(leaf) or move is None:
                return leaf
            variables.append(moved(trace, leaf, move, path))
            return variables[-1].array

        moved_args = map_leaves(visit, list(args), "args")
        with reading(trace, [owner for _, owner, _ in objects] if moves else ()) as tape:
            returned = call(f, *moved_args)
        moving = [*variables, *moved_variables(tape, moves)]
        changes = map_leaves(lambda leaf, _: tangent_of(trace, leaf, moving), returned, "")
    for variable in variables:
        write_back(variable)
    return delivered((returned, changes))
