"""What follows from the rules of differentiation in the op classes: tangents and cotangents of any op.

An op class states its derivative in one of four forms:

* `partials`: an expression by each operand, of the operands and the results; for elementwise ops. A number stands for
  itself, None for zero, `Choice` for an operand that is passed on where a condition holds. `singular` says that a
  partial may be infinite: a cotangent of zero stays zero then. Ops of several results have a tuple for each.
* `linear`: the operands in which the op is linear, together or (`multilinear`) one by one, in the order in which their
  cotangents are made; `transpose`, or `transpose_<operand>` where there are several, gives the cotangent.
* `jvp` and `vjp`, of one operand and result; `pushforward` and `pullback`, of all of them.
* `flat`: the derivative is zero wherever there is one.

Ops whose results are no real or complex numbers need none. The tangent of f at x along t is J t, the cotangent of g
is Jᵀ g; the gradient of a real function of complex numbers is df/dre + i df/dim, hence the conjugates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .dtypes import kind
from .emitter import Emitter, Tensor
from .errors import InternalError
from .op import Attributes, Elementwise, FieldKind, Op
from .records import dataclass
from .types import TensorType


@dataclass(frozen=True)
class Choice:
    """The partial of an op that passes on one of two operands: this one where the condition holds, half at a tie."""

    where: Callable[..., Tensor]


@dataclass(frozen=True, eq=False)
class Part:
    """A cotangent of a part of an operand: zero but for a region."""

    value: Tensor
    add: Callable[[Tensor], Tensor]
    """A tensor to which the value is added at the region."""
    write: Callable[[Tensor], Tensor] | None = None
    """A tensor in which the value replaces the region; None where elements of the region may be the same."""
    region: tuple[range, ...] | None = None
    """The region, where it is known and without gaps."""


Cotangent = Tensor | Part


def is_differentiable(op_class: type[Op], attributes: Attributes | None = None) -> bool:
    """Whether the op has a rule, with attributes."""
    if attributes is not None and op_class.why_underived(attributes):
        return False
    if op_class.flat or op_class.partials or op_class.linear:
        return True
    return op_class.vjp is not Op.vjp or op_class.pullback is not Op.pullback


def without_derivative(op_class: type[Op], attributes: Attributes) -> str:
    """What tells that an op has no rule."""
    reason = op_class.why_underived(attributes)
    return f"{op_class.mlir_name()} has no derivative" + (f": {reason}" if reason else "")


def cotangents(
    b: Emitter,
    op_class: type[Op],
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    given: Sequence[Tensor | None],
    attributes: dict[str, Any],
    wanted: Sequence[int],
) -> list[tuple[int, Cotangent]]:
    """The cotangents of the wanted operands, by their numbers, from those of the results (None for zero).

    They come in the order in which they are to be used: what reads a cotangent before what changes it.
    """
    found: list[tuple[int, Cotangent]] = []
    if op_class.partials:
        for number in wanted:
            total = _adjoint(b, op_class, operands, results, given, number, len(wanted) > 1)
            if total is not None:
                found.append((number, total))
    elif op_class.pullback is not Op.pullback:
        cotangents_of_all = op_class.pullback(b, given, operands, results, **attributes)
        found = [(n, cotangents_of_all[n]) for n in wanted if cotangents_of_all[n] is not None]
    elif given[0] is None or op_class.flat:
        return []
    elif op_class.linear:
        found = _transposed(b, op_class, operands, given[0], attributes, wanted)
    elif op_class.vjp is not Op.vjp:
        cotangent = op_class.vjp(b, given[0], operands[0], results[0], **attributes)
        found = [] if cotangent is None else [(0, cotangent)]
    else:
        raise InternalError(f"{op_class.mlir_name()} has no rule of differentiation")
    return [(number, _fitting(b, op_class, value, operands[number])) for number, value in found]


def tangents(
    b: Emitter,
    op_class: type[Op],
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    given: Sequence[Tensor | None],
    attributes: dict[str, Any],
) -> list[Tensor | None]:
    """The tangents of the results from those of the operands; None stands for zero."""
    if op_class.flat or all(tangent is None for tangent in given):
        return [None] * len(results)
    if op_class.partials:
        return [_forward(b, op_class, operands, results, given, number) for number in range(len(results))]
    if op_class.pushforward is not Op.pushforward:
        moved: list[Tensor | None] = op_class.pushforward(b, given, operands, results, **attributes)
        return moved
    if op_class.linear:
        return [_linear_tangent(b, op_class, operands, results[0], given, attributes)]
    if op_class.jvp is not Op.jvp:
        return [op_class.jvp(b, given[0], operands[0], results[0], **attributes)]
    raise InternalError(f"{op_class.mlir_name()} has no rule of differentiation")


def _fitting(b: Emitter, op_class: type[Op], cotangent: Cotangent, operand: Tensor) -> Cotangent:
    """The cotangent in the operand's shape."""
    if isinstance(cotangent, Part):
        return cotangent
    if issubclass(op_class, Elementwise):
        cotangent = b.unbroadcast(cotangent, operand)
    return b.refined(cotangent, operand.type)


# Partials


def _partials(op_class: type[Op], result: int) -> Sequence[Any]:
    rows: Sequence[Any] = op_class.partials if op_class.results > 1 else (op_class.partials,)
    found: Sequence[Any] = rows[result]
    return found


def _adjoint(
    b: Emitter,
    op_class: type[Op],
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    given: Sequence[Tensor | None],
    number: int,
    shared: bool,
) -> Tensor | None:
    """The cotangent of an operand: the sum over the results of conj(p) * g."""
    total: Tensor | None = None
    for result, g in enumerate(given):
        partial = _partials(op_class, result)[number]
        if g is None or partial is None:
            continue
        product = _product(b, op_class, partial, g, operands, results, shared, conjugate=True)
        total = product if total is None else total + product
    return total


def _forward(
    b: Emitter,
    op_class: type[Op],
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    given: Sequence[Tensor | None],
    result: int,
) -> Tensor | None:
    """The tangent of a result: the sum over the operands of p * t."""
    total: Tensor | None = None
    shared = sum(tangent is not None for tangent in given) > 1
    if not results[result].is_differentiable:
        return None
    for partial, tangent in zip(_partials(op_class, result), given, strict=True):
        if partial is None or tangent is None:
            continue
        product = _product(b, op_class, partial, tangent, operands, results, shared, conjugate=False)
        if product.is_complex and not results[result].is_complex:
            product = b.real(product)
        total = product if total is None else total + product
    return None if total is None else b.like(total, results[result])


def _product(
    b: Emitter,
    op_class: type[Op],
    partial: Any,
    factor: Tensor,
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    shared: bool,
    *,
    conjugate: bool,
) -> Tensor:
    """A cotangent or tangent times a partial."""
    if isinstance(partial, Choice):
        chosen = partial.where(b, *operands, *results)
        other = 0
        if shared:
            other = b.select(operands[0].equals(operands[1]), factor * 0.5, 0)
        found: Tensor = b.select(chosen, factor, other)
        return found
    value = partial(b, *operands, *results) if callable(partial) else partial
    if not isinstance(value, Tensor):
        return factor if value == 1 else -factor if value == -1 else factor * value
    if conjugate:
        value = b.conj(value)
    if value.is_complex and not factor.is_complex:
        factor = b.converted(factor, value.dtype)
    product = factor * value
    return b.select(factor.equals(0), 0, product) if op_class.singular else product


# Linear ops


def _numbers_of(op_class: type[Op], name: str, count: int) -> range:
    """The numbers of the operands that a field holds."""
    fields = op_class.operand_fields()
    place = next(i for i, field in enumerate(fields) if field.name == name)
    several = count - len(fields) + 1
    variadic = next((i for i, field in enumerate(fields) if field.kind is FieldKind.OPERANDS), len(fields))
    start = place if place <= variadic else place - 1 + several
    return range(start, start + (several if place == variadic else 1))


def _transposed(
    b: Emitter,
    op_class: type[Op],
    operands: Sequence[Tensor],
    g: Tensor,
    attributes: dict[str, Any],
    wanted: Sequence[int],
) -> list[tuple[int, Cotangent]]:
    """The cotangents of what the op is linear in."""
    grouped = op_class.group_operands(operands)
    found: list[tuple[int, Cotangent]] = []
    for name in op_class.linear:
        numbers = _numbers_of(op_class, name, len(operands))
        if not any(number in wanted for number in numbers):
            continue
        rule = getattr(op_class, "transpose" if len(op_class.linear) == 1 else f"transpose_{name}")
        cotangent = rule(b, g, *grouped, **attributes)
        several = cotangent if isinstance(cotangent, (tuple, list)) else (cotangent,)
        found += [pair for pair in zip(numbers, several, strict=True) if pair[0] in wanted]
    return found


def _linear_tangent(
    b: Emitter,
    op_class: type[Op],
    operands: Sequence[Tensor],
    result: Tensor,
    given: Sequence[Tensor | None],
    attributes: dict[str, Any],
) -> Tensor | None:
    """The op on tangents: on all together, or on one after the other where it is linear in each."""
    places = {n for name in op_class.linear for n in _numbers_of(op_class, name, len(operands))}
    moving = [number for number in sorted(places) if given[number] is not None]
    if not moving or not result.is_differentiable:
        return None
    groups = [{number} for number in moving] if op_class.multilinear else [set(moving)]
    total: Tensor | None = None
    for group in groups:
        at: list[Any] = [
            (given[number] if number in group else operand if op_class.multilinear else b.zeros_like(operand))
            if number in places
            else operand
            for number, operand in enumerate(operands)
        ]
        term: Tensor = b.call(op_class.name, *at, **attributes)
        total = term if total is None else total + term
    return None if total is None else b.refined(total, result.type)


def has_numbers(tensor: TensorType) -> bool:
    """Whether values of a type have derivatives: real and complex numbers."""
    return kind(tensor.dtype) in "fc"
