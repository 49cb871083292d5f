"""`weft.custom_gradient` and `weft.checkpoint`: functions whose gradients are not those of what they compute."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ...dialect.callbacks import is_repeatable
from ...dialect.errors import UnsupportedError, WeftTypeError
from ...dialect.mlir import ir
from ...dialect.ops.creation import Constant
from ...dialect.ops.differentiation import DEEPEST, EXACT, Barrier, Cotangent, Custom, Pairs
from ...dialect.register import context
from ..autograph.marks import do_not_convert
from ..autograph.operators.calls.calls import call
from ..tracing.array import TracedArray, wrap
from ..tracing.current import current_trace, remembering
from ..tracing.recorder import Recorder, Storage
from ..tracing.staging import staged
from .arguments import name_of, with_variables
from .eager import EagerRecorder
from .independent import Rules, Variable, described, fitting, has_derivative, write_back
from .products import vjp
from .structures import leaves_of, map_leaves, structure_of
from .tape_requests import is_object
from .watching import Watching

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")

_EFFECTS = (
    "{} prints, calls Python or writes to arrays or attributes from outside, which would happen at another place, or "
    "more than once: do that outside of it"
)

_numbers = itertools.count()
"""No two rules are one, in whatever trace."""

Rule = Callable[[Any], Sequence[Any]]
"""From the cotangent of what a function returned to those of its arguments."""


def custom_gradient(f: Callable[P, tuple[R, Callable[..., Any]]]) -> Callable[P, R]:
    """A function with a gradient of its own: `f` returns its result, and a function that tells the gradient.

    That takes the cotangent of the result (for a tuple or list one for each item) and returns those of the positional
    arguments: one, or as many as there are, of their structures, shapes and dtypes, with None for zero. It is not
    called unless a gradient is asked for, and may be differentiated itself. What `f` uses of differentiated arrays is
    passed as arguments. Raises `TypeError` where the gradient does not fit.

    >>> @weft.custom_gradient
    ... def clipped(x):
    ...     return x, lambda g: np.clip(g, -1.0, 1.0)  # the gradient, not the value
    >>> weft.grad(lambda x: np.sum(clipped(x) ** 2))(np.array([0.25, 3.0]))
    array([0.5, 1. ])
    """
    name = name_of(f, "weft.custom_gradient")

    @functools.wraps(f)
    @do_not_convert
    def customised(*args: Any, **kwargs: Any) -> Any:
        def run(*given: Any) -> tuple[Any, Rule]:
            returned = call(f, *given, **kwargs)
            if not isinstance(returned, tuple) or len(returned) != 2 or not callable(returned[1]):
                raise WeftTypeError(
                    f"{name}, which is a custom_gradient, returns a pair of its result and a function, not "
                    f"{described(returned)}"
                )
            y, pullback = returned

            def rule(cotangent: Any) -> Sequence[Any]:
                several = cotangent if isinstance(y, (tuple, list)) else (cotangent,)
                return _listed(call(pullback, *several), len(args), name)

            return y, rule

        return _with_rule(run, args, name, f)

    return customised


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """The function, of which nothing is kept for the gradient but its arguments: for the reverse it runs again.

    That takes less memory, and the time of another run. `f` is traced twice; it returns arrays and numbers, or
    structures of them, and neither prints nor writes to arrays from outside; it may read these. In plain Python all is
    kept.

    >>> @weft.checkpoint
    ... def layer(w, x):
    ...     return np.tanh(x @ w)
    >>> weft.grad(lambda w: np.sum(layer(w, np.eye(2))))(np.zeros((2, 2)))
    array([[1., 1.],
           [1., 1.]])
    """
    name = name_of(f, "weft.checkpoint")

    @functools.wraps(f)
    @do_not_convert
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        trace = current_trace()
        if trace is None:
            return call(f, *args, **kwargs)
        return _Checkpointed(trace, lambda *given: call(f, *given, **kwargs), name).run(args)

    return checkpointed


class _Checkpointed:
    """A call of a function that runs again for its gradient: by its arguments, and by the arrays that it reads."""

    def __init__(self, trace: Recorder, function: Callable[..., Any], name: str) -> None:
        self._trace = trace
        self._function = function
        self._what = f"{name}, which is under weft.checkpoint,"
        self._name = name

    def run(self, args: tuple[Any, ...]) -> Any:
        """The result, with the rule."""
        trace, variables = self._trace, list[Variable]()
        given = [with_variables(trace, arg, f"args[{i}]", variables) for i, arg in enumerate(args)]
        y, arrays = self._watched(lambda: self._function(*given), None)
        for variable in variables:
            write_back(variable)
        own = {variable.array._storage for variable in variables}
        captured = {storage: value for storage, value in arrays.items() if storage not in own}

        def pairs(cotangent: Any) -> list[tuple[Any, Any]]:
            return self._pairs(given, variables, captured, cotangent)

        return _recorded(trace, y, pairs, self._name, EXACT)

    def _watched(self, run: Callable[[], Any], behind: Any) -> tuple[Any, dict[Storage, Any]]:
        """What a run gives, and the arrays from outside that it reads, with their independent values."""
        watching = Watching.only_read(self._trace, behind)
        watching.open()
        try:
            found = _without_effects(run, self._what)
        finally:
            watching.close()
        if watching.is_written:
            raise UnsupportedError(_EFFECTS.format(self._what))
        return found, watching.arrays

    def _pairs(
        self,
        given: list[Any],
        variables: list[Variable],
        captured: dict[Storage, Any],
        cotangent: Any,
    ) -> list[tuple[Any, Any]]:
        """Arguments and arrays from outside with their cotangents, of another run behind those of the result."""
        trace = self._trace
        seed = next(leaf for leaf, _ in leaves_of(cotangent) if isinstance(leaf, TracedArray))
        again = [map_leaves(lambda leaf, _: _behind(leaf, seed), arg, "") for arg in given]
        (_, pullback), arrays = self._watched(lambda: vjp(self._function, *again), seed._value())
        by = [None if is_object(arg) else part for arg, part in zip(given, pullback(cotangent), strict=True)]
        found = _pairs(trace, given, by, variables, self._name)
        outside = {storage: value for storage, value in captured.items() if storage in arrays}
        for storage, value in outside.items():
            base = TracedArray(storage, (), storage.type)
            gradient = pullback.by(cotangent, Variable(base, base, arrays[storage]))
            found.append((value, gradient._value()))
        return found


def _behind(leaf: Any, seed: TracedArray) -> Any:
    """An argument, as it is not known to be before the cotangent is."""
    if not isinstance(leaf, TracedArray) or not has_derivative(leaf):
        return leaf
    trace = leaf._storage.trace
    (value,) = trace.create(Barrier, [leaf._value(), seed._value()], {})
    made = wrap(trace, value, made_at=trace.place)
    return made._as_array(leaf._storage.is_array)._like_python(leaf._python_type)


_MOST_NESTED = 3
"""So often a rule that uses its own function is recorded in itself: there are as many derivatives, and one more."""


def _with_rule(run: Callable[..., tuple[Any, Rule]], args: tuple[Any, ...], name: str, key: Any) -> Any:
    """The result of a function, which is told by a key, whose derivative is a rule."""
    trace = current_trace() or remembering()
    if trace is None:
        return run(*args)[0]
    variables: list[Variable] = []
    given = [with_variables(trace, arg, f"args[{i}]", variables) for i, arg in enumerate(args)]
    y, rule = run(*given)
    for variable in variables:
        write_back(variable)

    rules = trace.state(Rules)

    def pairs(cotangent: Any) -> list[tuple[Any, Any]]:
        rules.open.append(key)
        try:
            return _pairs(trace, given, rule(cotangent), variables, name)
        finally:
            rules.open.pop()

    rules.count += 1
    if isinstance(trace, EagerRecorder):
        return _remembered(trace, y, variables, pairs, name)
    if rules.open.count(key) >= _MOST_NESTED:
        itself = [(variable.value, variable.value) for variable in variables]  # what it depends on is known
        return _recorded(trace, y, lambda _: itself, name, DEEPEST)
    return _recorded(trace, y, pairs, name)


def _recorded(
    trace: Recorder,
    y: Any,
    pairs: Callable[[Any], list[tuple[Any, Any]]],
    name: str,
    mark: str = "",
) -> Any:
    """The result, with the rule recorded beside it on stand-ins for cotangents."""
    number, places = next(_numbers), itertools.count()

    def stand_in(leaf: Any, _: str) -> Any:
        if not has_derivative(leaf):
            return None
        value = staged(trace, leaf)._value()
        (made,) = trace.create(Cotangent, [value], {"number": number, "place": next(places)})
        return wrap(trace, made, made_at=trace.place)

    cotangent = map_leaves(stand_in, y, "")
    if not any(leaf is not None for leaf, _ in leaves_of(cotangent)):
        return y
    found = _without_effects(lambda: pairs(cotangent), f"the gradient of {name}")
    (chain,) = trace.create(Constant, [], {"value": np.zeros(())})
    for value, derivative in found:
        (chain,) = trace.create(Pairs, [value, derivative, chain], {})
    places = itertools.count()

    def result(leaf: Any, _: str) -> Any:
        if not has_derivative(leaf):
            return leaf
        array = staged(trace, leaf)
        attributes = {"number": number, "place": next(places)}
        (made,) = trace.create(Custom, [array._value(), chain], attributes)
        if mark:
            with context():
                made.owner.operation.attributes[mark] = ir.UnitAttr.get()
        wrapped = wrap(trace, made, made_at=trace.place)
        return wrapped._as_array(array._storage.is_array)._like_python(array._python_type)

    return map_leaves(result, y, "")


def _remembered(
    recorder: EagerRecorder,
    y: Any,
    variables: list[Variable],
    pairs: Callable[[Any], list[tuple[Any, Any]]],
    name: str,
) -> Any:
    """The result in plain Python, remembered as made by a step that has the rule."""
    arrays = [staged(recorder, leaf) if has_derivative(leaf) else None for leaf, _ in leaves_of(y)]
    kept = [array for array in arrays if array is not None]

    def pull(given: Sequence[Any]) -> list[tuple[Any, Any]]:
        wrapped = iter([wrap(recorder, node) for node in given])
        seeds = iter([None if array is None else next(wrapped) for array in arrays])
        return pairs(map_leaves(lambda leaf, _: next(seeds), y, ""))

    values = [variable.value for variable in variables]
    made = iter(recorder.with_rule([array._value() for array in kept], values, pull, name))

    def result(leaf: Any, _: str) -> Any:
        if not has_derivative(leaf):
            return leaf
        array = staged(recorder, leaf)
        wrapped = wrap(recorder, next(made))
        return wrapped._as_array(array._storage.is_array)._like_python(array._python_type)

    return map_leaves(result, y, "")


def _listed(found: Any, count: int, name: str) -> Sequence[Any]:
    """What a rule returned as one cotangent for each argument."""
    if count == 1 and not (isinstance(found, (tuple, list)) and len(found) == 1):
        return [found]
    if not isinstance(found, (tuple, list)) or len(found) != count:
        raise WeftTypeError(
            f"the gradient of {name} has to be a tuple of {count}, one for each argument, but is {described(found)}"
            + (f" of {len(found)}" if isinstance(found, (tuple, list)) else "")
        )
    return found


def _pairs(
    trace: Recorder, given: Sequence[Any], found: Sequence[Any], variables: list[Variable], name: str
) -> list[tuple[Any, Any]]:
    """The arguments with what a rule gives for them."""
    remaining = iter(variables)
    pairs: list[tuple[Any, Any]] = []
    for number, (argument, cotangent) in enumerate(zip(given, found, strict=True)):
        path = f"args[{number}]"
        leaves = leaves_of(argument, path)
        if cotangent is None and structure_of(argument) is not None:
            cotangent = map_leaves(lambda leaf, _: None, argument, "")
        if structure_of(cotangent) != structure_of(argument):
            raise WeftTypeError(
                f"the gradient of {name} by {path} has another structure than the argument: it is "
                f"{described(cotangent)}"
            )
        for (leaf, place), (part, _) in zip(leaves, leaves_of(cotangent), strict=True):
            if not has_derivative(leaf):
                continue
            variable = next(remaining)
            if part is not None:
                fits = fitting(
                    trace, part, variable.array.type, f"the gradient of {name} by {place}", "the argument"
                )
                pairs.append((variable.value, fits._value()))
    return pairs


def _without_effects(run: Callable[[], Any], what: str) -> Any:
    """Run what is run again, or elsewhere, for a gradient; refuse what would happen twice, or in the wrong place."""
    trace = current_trace()
    if trace is None:
        return run()
    before = _effects_of(trace)
    found = run()
    if _effects_of(trace) != before:
        raise UnsupportedError(_EFFECTS.format(what))
    return found


def _effects_of(trace: Any) -> tuple[Any, ...]:
    """What tells whether something was done that is seen from outside."""
    inputs = [found.traced for found in getattr(trace.python_state, "inputs", ())]
    written = sum(array._storage.version for array in (*trace.arguments, *inputs))
    acting = sum(not is_repeatable(callback) for callback in trace.callbacks)
    return acting, written, trace.python_state is not None and trace.python_state.has_changed()
