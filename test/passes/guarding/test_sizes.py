"""Ops on arrays whose sizes do not fit raise in front of the op; on those that fit nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from support.interpreter import interpret
from support.op_uses import WITHOUT_CASES, Use, uses_of
from support.programs import NAME, build, transform
from weft.dialect.errors import WeftError
from weft.dialect.mlir import Module
from weft.dialect.op import OPS, Op
from weft.dialect.types import TensorType
from weft.passes.guarding.size_rules import Need, SizeRule

CHECKED = ("do not fit", "does not fit", "an axis has size", "indices into an axis", "do not make")
NAMES = sorted(name for name in OPS if name not in WITHOUT_CASES)
TAKES_MORE = ("slice_update", "dynamic_slice_update", "table_find", "table_index")
"""Ops whose reference stretches what is written, or fails otherwise where there is nothing to be found."""


def uses(name: str) -> list[Use]:
    """A use for each of the cases of an op."""
    return list({(use.case.shapes, repr(use.case.attributes)): use for use in uses_of(OPS[name])}.values())


def guarded(use: Use) -> Module:
    def body(b: Any, *operands: Any) -> list[Any]:
        made = b(use.op.name, *operands, **use.case.attributes)
        return list(made) if isinstance(made, tuple) else [made]

    module = build(use.dynamic_types, body)
    transform(module, "guard-extracts,guard-sizes")
    return module


def other_sizes(operands: list[Any]) -> Iterator[list[Any]]:
    """The operands with another extent on one of the axes whose extents only the run tells."""
    for number, array in enumerate(operands):
        for axis, extent in enumerate(array.shape):
            for other in {0, 2, extent + 3} - {extent, 1}:
                if extent != 1:
                    shape = (*array.shape[:axis], other, *array.shape[axis + 1 :])
                    yield [*operands[:number], np.resize(array, shape), *operands[number + 1 :]]


def refusal_of(module: Module, operands: list[Any]) -> str:
    """What a check says of operands; what the op itself refuses is none."""
    try:
        with np.errstate(all="ignore"):
            interpret(module, NAME, operands)
    except (ValueError, IndexError) as error:
        return str(error) if any(text in str(error) for text in CHECKED) else ""
    except Exception:  # what the reference raises of values, once the checks are behind it
        return ""
    return ""


def is_taken(use: Use, operands: list[Any]) -> bool:
    """Whether the rule of an op takes these sizes."""
    try:
        use.op.result_types([TensorType(array.shape, array.dtype) for array in operands], use.case.attributes)
    except WeftError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_sizes_that_do_not_fit_are_refused_in_front_of_the_op(name: str) -> None:
    for use in uses(name):
        module = guarded(use)
        assert not refusal_of(module, use.operands()), use
        for operands in other_sizes(use.operands()):
            told = f"{use} of {[array.shape for array in operands]}"
            refusal = refusal_of(module, operands)
            if not is_taken(use, operands):
                assert refusal or use.op.family == "reductions", told
            elif name not in TAKES_MORE and refusal:
                with pytest.raises((ValueError, IndexError, np.linalg.LinAlgError)):
                    use.op.compute(operands, use.case.attributes)


def test_what_a_rule_demands_is_asked_once_of_ops_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[type[Op]] = []
    needs = SizeRule.needs

    def counted(rule: SizeRule) -> Iterator[Need]:
        asked.append(rule._op_class)
        return needs(rule)

    monkeypatch.setattr(SizeRule, "needs", counted)

    def body(b: Any, x: Any, y: Any, m: Any) -> list[Any]:
        for _ in range(50):
            x = b("add", x, y)
        return [x, b("add", m, m)]

    row, matrix = TensorType((None,), np.dtype("f8")), TensorType((None, None), np.dtype("f8"))
    module = build([row, row, matrix], body)
    transform(module, "guard-sizes")
    assert asked.count(OPS["add"]) == 2
    assert str(module).count("do not fit") == 50
