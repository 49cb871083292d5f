"""Models of ONNX's own tests of backends: what is read is computed as ONNX says; what is not has a reason."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the package onnx is not installed")

from support import onnx_backend
from support.onnx_backend import OPS_NOT_READ, Case, outcome, reason
from weft.frontend.onnx.reading.table import RULES


def failures(cases: list[Case], *, eager: bool = False) -> list[str]:
    found = ((case, outcome(case, eager=eager)) for case in cases)
    return [f"{case.name}: {how}" for case, how in found if how.startswith(("WRONG", "FAILS"))]


@pytest.mark.slow
def test_nodes():
    """Of each op a ninth as Python, and of each third op one compiled."""
    cases = onnx_backend.node_cases()
    assert len(cases) > 1500
    by_op: dict[str, list[Case]] = {}
    for case in cases:
        if "_expanded" not in case.name:
            by_op.setdefault(case.op, []).append(case)
    assert failures([case for found in by_op.values() for case in found[::9]], eager=True) == []
    assert failures([found[len(found) // 2] for found in [*by_op.values()][::3]]) == []


@pytest.mark.soak
def test_all_as_python():
    assert failures(onnx_backend.node_cases(), eager=True) == []


def test_models():
    """One of seven of the models that PyTorch wrote."""
    assert failures(list(onnx_backend.model_cases())[::7]) == []


@pytest.mark.soak
def test_all_compiled():
    assert failures([*onnx_backend.node_cases(), *onnx_backend.model_cases()]) == []


def test_what_is_not_read_is_not():
    unread = {op for ops in OPS_NOT_READ.values() for op in ops.split()}
    assert not unread & {name for _, name in RULES}


def test_reasons():
    assert (
        reason(ValueError("y has elements that weft has not: float8e4m3fn"))
        == "elements of eight bits and less"
    )
    assert (
        reason(ValueError("the node of 'y' (StringSplit): StringSplit, version 19 of the domain")) == "texts"
    )
    assert reason(ValueError("the node of 'y' (Add): Add, version 19 of the domain")) is None
    text = (
        "node (StringSplit): StringSplit, version 19 of the domain; node (Add): Add, version 19 of the domain"
    )
    assert reason(ValueError(text)) is None
