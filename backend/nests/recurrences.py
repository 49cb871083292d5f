"""Recognise recurrences: loops that hand numbers on, and make of them what is known for many iterations at once.

    for i: s = a[i] * s + b[i]; out[i] = s

What an iteration makes of the numbers is a map. Affine maps of all numbers together (filters, sums, products, means)
are one behind each other, and so are what an associative operation combines with a number (extremes, bits), and sums
that are kept within bounds (`bounded_sums.py`). A number may also be handed on in memory, where an iteration reads what
the last one stored. Only sums of floats are rounded otherwise for it. On tensors and on memory alike, as compactions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from ...dialect.mlir import Operation, Type, Value, ir
from ...dialect.records import dataclass, replace
from ...passes.rewriting import constant_integer, operations_in, operations_of
from .bounded_integers import BoundedIntegers, may_be_bounded
from .bounded_sums import SIDES, Bounded, bounded, constant_float, factor_unless_negative, is_same
from .emit import create
from .iterations import is_of_last, loads_before_stores, reads_nothing_it_writes, shares_nothing_else
from .reductions import KINDS

MOST_NUMBERS = 6
"""Of a map: threads hand them to each other. A filter of second order has as many."""
_OF_FLOATS = {"add": "arith.addf", "subtract": "arith.subf", "multiply": "arith.mulf"}
_OF_INTEGERS = {"add": "arith.addi", "subtract": "arith.subi", "multiply": "arith.muli"}
_OPERATORS = {name: key for names in (_OF_FLOATS, _OF_INTEGERS) for key, name in names.items()}
_COMBINED = set(KINDS) - set(_OPERATORS)
_ORDERED = {2: 4, 3: 5, 4: 2, 5: 3}
"""Predicates of `arith.cmpf` by which extremes are chosen, and those that mean the same of swapped numbers."""
_MORE, _ORD = (2, 3), 7

Part: TypeAlias = "int | Value"
"""A number of a map: 0 or 1 where that is known, else a value."""


@dataclass(frozen=True)
class Affine:
    """A sum of multiples of the numbers that are handed on, and of a constant, which comes last."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Combined:
    """A number that is handed on, combined with another one: by an operation, or as the one that compares so."""

    number: int
    name: str
    part: Value
    predicate: ir.Attribute | None = None

    def combine(self, first: Value, second: Value) -> Value:
        """Two numbers combined, the earlier one first."""
        if self.predicate is None:
            return create(self.name, [first.type], [first, second])
        truth, chooses = ir.IntegerType.get_signless(1), {"predicate": self.predicate}
        is_chosen = create("arith.cmpf", [truth], [second, first], chooses)
        return create(self.name, [first.type], [is_chosen, second, first])


Form: TypeAlias = "Affine | Combined | Bounded"


@dataclass(frozen=True)
class Handed:
    """A number that is handed on."""

    before: Value
    """What an iteration finds."""
    after: Value
    """What it leaves."""
    result: Value | None
    """What is left in the end, unless it is in memory."""
    first: Value | None
    """What the first iteration finds; None where it loads it."""


@dataclass
class Recurrence:
    """A loop that hands numbers on."""

    loop: Operation
    handed: list[Handed]
    shape: list[Form]
    """The form of each number behind iterations: which parts are 0 or 1 in all of them."""
    overwritten: list[Operation]
    """What loads numbers that the same iteration stores others over."""

    @property
    def position(self) -> Value:
        """The position of the loop."""
        return self.loop.regions[0].blocks[0].arguments[0]

    def making(self, values: Iterable[Value], given: Iterable[Value] = ()) -> list[Operation]:
        """The operations of an iteration that make some values of others that are given."""
        ops = operations_in(self.loop.regions[0].blocks[0])
        pending, seen, found = list(values), set(given), set[Operation]()
        while pending:
            value = pending.pop()
            if value not in seen and not isinstance(value.owner, ir.Block):
                seen.add(value)
                found.add(value.owner.operation)
                pending += _asked_by(value.owner.operation)
        return [op for op in ops if op in found]

    @property
    def numbers(self) -> list[Operation]:
        """What an iteration does to find the numbers behind it."""
        return self.making([each.after for each in self.handed], [each.before for each in self.handed])

    @property
    def element(self) -> list[Operation]:
        """What an iteration does of that before it asks for those before it."""
        asked, found = {each.before for each in self.handed}, list[Operation]()
        for op in self.numbers:
            if asked.intersection(_asked_by(op)):
                asked.update(op.results)
            else:
                found.append(op)
        return found

    def loaded(self) -> list[Value]:
        """The numbers that are handed on in memory: an iteration is given what it would load."""
        return [each.before for each in self.handed if each.first is None]

    def parts(self, value: Callable[[Value], Value]) -> list[Value]:
        """The numbers of the map of an iteration, of which `value` gives what does not depend on others."""
        forms = _Forms([each.before for each in self.handed], value, create)
        found: list[Value] = []
        for each, shape in zip(self.handed, self.shape, strict=True):
            form = forms.of(each.after)
            if isinstance(form, Affine) and isinstance(shape, Affine):
                own = zip(form.parts, shape.parts, strict=True)
                found += [
                    forms.value(part, each.after.type) for part, kept in own if not isinstance(kept, int)
                ]
            elif isinstance(form, Combined):
                found.append(form.part)
            elif isinstance(form, Bounded):
                found += [part for part in form.parts if not isinstance(part, int)]
        return found

    def types(self) -> list[tuple[Type, str]]:
        """Of the numbers of a map; and what holds of those that may overflow where those of the loop do not.

        They are finite, or, as bounds, less ("lower") or more ("upper") than everything.
        """
        found = list[tuple[Type, str]]()
        for each, shape in zip(self.handed, self.shape, strict=True):
            type = each.after.type
            if isinstance(shape, Combined):
                found.append((type, ""))
                continue
            limits = ["finite" if isinstance(type, ir.FloatType) else ""] * len(shape.parts)
            if isinstance(shape, Bounded):
                limits = shape.limits
            found += [
                (type, limit)
                for part, limit in zip(shape.parts, limits, strict=True)
                if not isinstance(part, int)
            ]
        return found

    def have_to_be_finite(self) -> list[bool]:
        """Of the numbers that are handed on, whether maps say what becomes of them only if they are finite."""
        return [isinstance(shape, Bounded) for shape in self.shape]

    def joined(self, first: Sequence[Value], second: Sequence[Value]) -> list[Value]:
        """The numbers of two maps behind each other."""
        lower, upper = self._forms(first), self._forms(second)
        arithmetic = _Arithmetic(create)
        found: list[Value] = []
        for each, form, shape in zip(self.handed, upper, self.shape, strict=True):
            if isinstance(form, Combined):
                before = lower[form.number]
                assert isinstance(before, Combined)
                found.append(form.combine(before.part, form.part))
                continue
            if isinstance(form, Bounded):
                before = lower[form.number]
                assert isinstance(before, Bounded)
                made = form.behind(before, each.after.type, arithmetic)
                found += [part for part in made.parts if not isinstance(part, int)]
                continue
            assert isinstance(shape, Affine)
            parts = _substituted(form, lower, each.after.type, arithmetic).parts
            own = zip(parts, shape.parts, strict=True)
            found += [
                arithmetic.value(part, each.after.type) for part, kept in own if not isinstance(kept, int)
            ]
        return found

    def applied(self, parts: Sequence[Value], numbers: Sequence[Value]) -> list[Value]:
        """What a map makes of numbers."""
        arithmetic = _Arithmetic(create)
        found = []
        for each, form in zip(self.handed, self._forms(parts), strict=True):
            if isinstance(form, Combined):
                found.append(form.combine(numbers[form.number], form.part))
                continue
            if isinstance(form, Bounded):
                found.append(form.applied(numbers[form.number], each.after.type, arithmetic))
                continue
            total: Part = 0
            for part, number in zip(form.parts, (*numbers, 1), strict=True):
                total = arithmetic.add(
                    total, arithmetic.multiply(part, number, each.after.type), each.after.type
                )
            found.append(arithmetic.value(total, each.after.type))
        return found

    def _forms(self, parts: Sequence[Value]) -> list[Form]:
        """The forms of which these are the numbers."""
        given = iter(parts)
        found = list[Form]()
        for shape in self.shape:
            if isinstance(shape, Combined):
                found.append(replace(shape, part=next(given)))
                continue
            parts = [part if isinstance(part, int) else next(given) for part in shape.parts]
            found.append(shape.with_parts(parts) if isinstance(shape, Bounded) else Affine(tuple(parts)))
        return found


def match_recurrence(loop: Operation) -> Recurrence | None:
    """See a loop as a recurrence, or say that it is none."""
    if loop.name != "scf.for" or (constant_integer(loop.operands[2]) or 0) < 1:
        return None
    handed = _handed(loop)
    if not handed or not shares_nothing_else(loop, [each.before for each in handed if each.first is None]):
        return None
    forms = _Forms([each.before for each in handed], lambda value: value, _some)
    shape = [forms.of(each.after) for each in handed]
    known = [form for form in shape if form is not None]
    if len(known) < len(shape) or not _are_apart(known) or not _are_alike(handed, known):
        return None
    closed = _closed(handed, known)
    found = Recurrence(loop, handed, closed, [])
    types = found.types()
    # Where it may overflow, iterations are done again, which others may have written over.
    if any(limit for _, limit in types) and not reads_nothing_it_writes(loop, found.loaded()):
        overwritten = loads_before_stores(loop, found.loaded())
        if overwritten is None:
            return None
        if any(_depend([load.results[0]], [each.before for each in handed]) for load in overwritten):
            return None
        found.overwritten = [op for op in operations_in(loop.regions[0].blocks[0]) if op in overwritten]
    if any(isinstance(form, Bounded) for form in closed) and any(map(_stores, found.numbers)):
        return None  # which a thread may do for other iterations
    return found if len(types) <= MOST_NUMBERS else None


def _stores(op: Operation) -> bool:
    return any(inner.name == "memref.store" for inner in operations_of(op))


def _handed(loop: Operation) -> list[Handed] | None:
    """The numbers that iterations hand on; None where something else is handed on."""
    block = loop.regions[0].blocks[0]
    *ops, end = operations_in(block)
    found, targets = list[Handed](), set[Value]()
    numbers = [argument for argument in list(block.arguments)[1:] if _is_number(argument.type)]
    for number, first in enumerate(list(loop.operands)[3:]):
        before, after = block.arguments[1 + number], end.operands[number]
        if _is_number(first.type):
            found.append(Handed(before, after, loop.results[number], first))
        elif isinstance(first.type, ir.RankedTensorType):
            targets.add(before)
        else:
            return None
    for op in ops:
        places = list(op.operands)[2:]
        if op.name == "tensor.insert" and op.operands[1] in targets and not _depend(places, numbers):
            targets.add(op.results[0])
        elif targets.intersection(op.operands) and op.name != "tensor.dim":
            return None  # what is read there may be of an iteration before
    for store in (op for op in ops if op.name == "memref.store"):
        for load in (op for op in ops if op.name == "memref.load"):
            if _is_number(load.results[0].type) and is_of_last(load, store, loop):
                found.append(Handed(load.results[0], store.operands[0], None, None))
    return found


def _depend(values: Iterable[Value], others: Iterable[Value]) -> bool:
    """Whether some values depend on others."""
    pending, wanted, seen = list(values), set(others), set[Value]()
    while pending:
        each = pending.pop()
        if each in wanted:
            return True
        if each not in seen and not isinstance(each.owner, ir.Block):
            seen.add(each)
            pending += _asked_by(each.owner.operation)
    return False


def _is_number(type: Type) -> bool:
    """Whether threads hand numbers of a type to each other, and sums are not rounded more than is worth it."""
    if isinstance(type, ir.IndexType):
        return True
    least = 8 if isinstance(type, ir.IntegerType) else 32
    return isinstance(type, (ir.IntegerType, ir.FloatType)) and bool(type.width >= least)


def _asked_by(op: Operation) -> list[Value]:
    """The values that an operation, and what is in its regions, asks for."""
    return [*op.operands, *(value for inner in operations_of(op) for value in inner.operands)]


def _are_apart(forms: Sequence[Form]) -> bool:
    """Whether what is combined or bounded is made of itself alone, and nothing affine is made of it."""
    for number, form in enumerate(forms):
        if isinstance(form, (Combined, Bounded)):
            others = [other for other in forms if isinstance(other, Affine)]
            if form.number != number or any(other.parts[number] != 0 for other in others):
                return False
    return True


def _are_alike(handed: Sequence[Handed], forms: Sequence[Form]) -> bool:
    """Whether affine maps are of numbers of one type each."""
    return all(
        part == 0 or other.after.type == each.after.type
        for each, form in zip(handed, forms, strict=True)
        if isinstance(form, Affine)
        for part, other in zip(form.parts, handed, strict=False)
    )


def _closed(handed: Sequence[Handed], forms: list[Form]) -> list[Form]:
    """The form that maps of many iterations have, if those of one have this."""
    arithmetic = _Arithmetic(_some)
    while True:
        wider: list[Form] = []
        for each, form in zip(handed, forms, strict=True):
            if isinstance(form, Affine):
                behind = _substituted(form, forms, each.after.type, arithmetic)
                pairs = zip(form.parts, behind.parts, strict=True)
                wider.append(
                    Affine(tuple(a if isinstance(a, int) and a == b else each.after for a, b in pairs))
                )
            elif isinstance(form, Bounded):
                wider.append(form.behind(form, each.after.type, arithmetic))
            else:
                wider.append(form)
        if [_known_parts(form) for form in wider] == [_known_parts(form) for form in forms]:
            return wider
        forms = wider


def _known_parts(form: Form) -> list[int | None]:
    parts = (form.part,) if isinstance(form, Combined) else form.parts
    return [part if isinstance(part, int) else None for part in parts]


def _substituted(form: Affine, lower: Sequence[Form], type: Type, arithmetic: _Arithmetic) -> Affine:
    """An affine form in the numbers before those that it is in."""
    *parts, constant = form.parts
    total: list[Part] = [0] * len(parts) + [constant]
    for part, before in zip(parts, lower, strict=True):
        if isinstance(before, Affine) and part != 0:
            total = [
                arithmetic.add(old, arithmetic.multiply(part, own, type), type)
                for old, own in zip(total, before.parts, strict=True)
            ]
    return Affine(tuple(total))


def _some(name: str, types: list[Type], operands: list[Value], attributes: Any = None) -> Any:
    """What stands for a value while nothing is written."""
    return operands[0] if operands else name


class _Arithmetic:
    """Computes with numbers of which some are known to be 0 or 1."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make = make

    def value(self, part: Part, type: Type) -> Value:
        """The value of a number."""
        if not isinstance(part, int):
            return part
        of = (
            ir.FloatAttr.get(type, float(part))
            if isinstance(type, ir.FloatType)
            else ir.IntegerAttr.get(type, part)
        )
        made: Value = self.make("arith.constant", [type], [], {"value": of})
        return made

    def add(self, left: Part, right: Part, type: Type) -> Part:
        """The sum of two numbers."""
        if left == 0 or right == 0:
            return right if left == 0 else left
        return self._made("add", left, right, type)

    def subtract(self, left: Part, right: Part, type: Type) -> Part:
        """The difference of two numbers."""
        return left if right == 0 else self._made("subtract", left, right, type)

    def multiply(self, left: Part, right: Part, type: Type) -> Part:
        """The product of two numbers."""
        if left in (0, 1) or right in (0, 1):
            return 0 if 0 in (left, right) else right if left == 1 else left
        return self._made("multiply", left, right, type)

    def divide(self, left: Part, right: Part, type: Type) -> Part:
        """The quotient of two floats."""
        operands = [self.value(left, type), self.value(right, type)]
        return 0 if left == 0 else self.make("arith.divf", [type], operands)

    def _made(self, key: str, left: Part, right: Part, type: Type) -> Part:
        names = _OF_FLOATS if isinstance(type, ir.FloatType) else _OF_INTEGERS
        made: Part = self.make(names[key], [type], [self.value(left, type), self.value(right, type)])
        return made


class _Forms:
    """What values are made of numbers that are handed on."""

    def __init__(
        self, befores: Sequence[Value], plain: Callable[[Value], Value], make: Callable[..., Any]
    ) -> None:
        self._befores, self._plain = list(befores), plain
        self._make, self._arithmetic = make, _Arithmetic(make)
        self._found: dict[Value, Form | None] = {}
        self._positive: dict[Value, Value] = {}

    def value(self, part: Part, type: Type) -> Value:
        """The value of a number."""
        return self._arithmetic.value(part, type)

    def of(self, value: Value) -> Form | None:
        """The form of a value; None if it has none that is known."""
        if value not in self._found:
            self._found[value] = self._made(value)
        return self._found[value]

    def _made(self, value: Value) -> Form | None:
        count = len(self._befores)
        if value in self._befores:
            return Affine(tuple(int(value == before) for before in self._befores) + (0,))
        if not self._depends(value):
            number = constant_integer(value)
            return Affine((*[0] * count, number if number in (0, 1) else self._plain(value)))
        op = value.owner.operation
        if op.name in _COMBINED:
            return self._combined(op) or self._bounded(op, value)
        if op.name == "arith.select":
            return self._selected(op) or self._bounded(op, value)
        if op.name == "scf.if":
            return self._bounded(op, value)
        if op.name in (*_OPERATORS, "arith.divf", "arith.negf"):
            return self._sum(op)
        return None

    def _depends(self, value: Value) -> bool:
        return _depend([value], self._befores)

    def _sum(self, op: Operation) -> Form | None:
        forms = [self.of(operand) for operand in op.operands]
        arithmetic, type = self._arithmetic, op.results[0].type
        operands = [form.parts for form in forms if isinstance(form, Affine)]
        if len(operands) < len(forms):
            return self._moved(op, forms, type)
        if op.name == "arith.negf":
            minus = self._make("arith.constant", [type], [], {"value": ir.FloatAttr.get(type, -1.0)})
            return Affine(tuple(arithmetic.multiply(part, minus, type) for part in operands[0]))
        left, right = operands
        if op.name in ("arith.addf", "arith.addi", "arith.subf", "arith.subi"):
            apply = arithmetic.add if op.name.startswith("arith.add") else arithmetic.subtract
            return Affine(tuple(apply(a, b, type) for a, b in zip(left, right, strict=True)))
        if any(part != 0 for part in left[:-1]) and any(part != 0 for part in right[:-1]):
            return None
        if op.name == "arith.divf":
            if any(part != 0 for part in right[:-1]):
                return None
            return Affine(tuple(arithmetic.divide(part, right[-1], type) for part in left))
        factor, others = (right[-1], left) if any(part != 0 for part in left[:-1]) else (left[-1], right)
        return Affine(tuple(arithmetic.multiply(part, factor, type) for part in others))

    def _selected(self, op: Operation) -> Form | None:
        condition, *ways = op.operands
        if self._depends(condition):
            return self._chosen(op, condition, *ways)
        left, right = (form.parts if isinstance(form, Affine) else () for form in map(self.of, ways))
        if not left or not right:
            return None
        type, chooses = op.results[0].type, self._plain(condition)
        return Affine(
            tuple(
                a
                if isinstance(a, int) and a == b
                else self._make("arith.select", [type], [chooses, self.value(a, type), self.value(b, type)])
                for a, b in zip(left, right, strict=True)
            )
        )

    def _chosen(self, op: Operation, condition: Value, new: Value, old: Value) -> Form | None:
        """A new number where it is more, or less, than the one that is handed on: a NaN is never chosen."""
        compare = None if isinstance(condition.owner, ir.Block) else condition.owner.operation
        if compare is None or compare.name != "arith.cmpf" or self._depends(new) or old not in self._befores:
            return None
        predicate = compare.attributes["predicate"].value
        if list(compare.operands) == [old, new]:
            predicate = _ORDERED.get(predicate)
        elif list(compare.operands) != [new, old]:
            return None
        if predicate not in _ORDERED:
            return None
        type, plain = new.type, self._plain(new)
        worst = ir.FloatAttr.get(type, -math.inf if predicate in _MORE else math.inf)
        never = self._make("arith.constant", [type], [], {"value": worst})
        order = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _ORD)}
        is_number = self._make("arith.cmpf", [ir.IntegerType.get_signless(1)], [plain, plain], order)
        part = self._make("arith.select", [type], [is_number, plain, never])
        chooses = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)
        return Combined(self._befores.index(old), op.name, part, chooses)

    def _bounded(self, op: Operation, value: Value) -> Form | None:
        """A sum within a bound."""
        number = list(op.results).index(value)
        found = bounded(op, number, self._depends) if may_be_bounded(value.type) else None
        if found is None:
            return None
        side, bound, compared, other = found
        form, result = self._of_one(compared), self._of_one(other)
        if form is None or result is None:
            return None
        if not is_same(compared, other):  # which is bound on the other side: bounds may not cross
            least, most = (bound, result.upper) if side == "lower" else (result.lower, bound)
            if [*form.parts] != result.parts[:2] or least is None or most is None:
                return None
            numbers = [constant_float(each) for each in (least, most)]
            if None in numbers or (numbers[0] or 0.0) > (numbers[1] or 0.0):
                return None
        return result.within(side, self._outside(bound), self._make)

    def _of_one(self, value: Value) -> Bounded | None:
        """The form of a value that is made of one number, with bounds or without."""
        form = self.of(value)
        kind = BoundedIntegers if isinstance(value.type, ir.IntegerType) else Bounded
        if isinstance(form, Combined) and form.name in SIDES:
            return kind(form.number, 1, 0).within(SIDES[form.name], form.part, self._make)
        if not isinstance(form, Affine):
            return form if isinstance(form, Bounded) else None
        *factors, term = form.parts
        used = [number for number, factor in enumerate(factors) if factor != 0]
        if len(used) != 1:
            return None
        factor = factors[used[0]]
        if kind is BoundedIntegers:
            return BoundedIntegers(used[0], 1, term) if isinstance(factor, int) else None
        if not isinstance(factor, int):
            factor = self._positive.setdefault(factor, factor_unless_negative(factor, self._make))
        return Bounded(used[0], factor, term)

    def _moved(self, op: Operation, forms: Sequence[Form | None], type: Type) -> Form | None:
        """A sum within bounds, and a number that is added or taken off behind them."""
        if op.name not in ("arith.addf", "arith.subf"):
            return None
        operands = list(op.operands)
        if op.name == "arith.addf" and isinstance(forms[0], Affine):
            operands.reverse()
        first, second = self._of_one(operands[0]), self.of(operands[1])
        if first is None:
            return None
        if not isinstance(second, Affine) or any(part != 0 for part in second.parts[:-1]):
            return None
        arithmetic, number = self._arithmetic, second.parts[-1]
        apply = arithmetic.add if op.name == "arith.addf" else arithmetic.subtract
        factor, *others = first.parts
        moved = [apply(part, number, type) for part in others]
        return first.with_parts([factor, moved[0], *(arithmetic.value(part, type) for part in moved[1:])])

    def _outside(self, value: Value) -> Value:
        """A value that does not depend on numbers; a constant anew, as it may lie in a branch."""
        if constant_float(value) is None or self._make is _some:
            return self._plain(value)
        made: Value = self._make(
            "arith.constant", [value.type], [], {"value": value.owner.operation.attributes["value"]}
        )
        return made

    def _combined(self, op: Operation) -> Form | None:
        """A number that is handed on, and what it is combined with."""
        for before, other in (op.operands, reversed(list(op.operands))):
            if before in self._befores and not self._depends(other):
                return Combined(self._befores.index(before), op.name, self._plain(other))
        return None
