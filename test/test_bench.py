"""The benchmarks compare the same programs: every workload has one in NumPy and in weft, and right results."""

from __future__ import annotations

import importlib
import pathlib
import sys

import numpy as np
import pytest

BENCH = pathlib.Path(__file__).resolve().parents[1] / "bench"
QUICK = (
    "matmuls_loop",
    "small_mlp",
    "mse_1e3",
    "lstm_step",
    "lstm_loop",
    "matmul_64",
    "add_one",
    "matmul_10",
)

OWN_MODULES = ("peers", "workloads", "gradient_workloads", "limits")


@pytest.fixture(autouse=True)
def _bench_is_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    yield
    for name in [name for name in sys.modules if name.split(".")[0] in OWN_MODULES]:
        del sys.modules[name]


@pytest.mark.parametrize("candidate", ["numpy", "weft", "numba", "numba_fastmath"])
def test_programs_are_workloads(candidate):
    if candidate not in ("numpy", "weft"):
        pytest.importorskip(candidate.partition("_")[0])
    programs = importlib.import_module(f"peers.{candidate}_programs").PROGRAMS
    names = {workload.name for workload in importlib.import_module("workloads").WORKLOADS}
    assert set(programs) <= names
    if candidate in ("numpy", "weft"):
        assert set(programs) == names


@pytest.mark.parametrize("name", QUICK)
def test_weft_computes_what_numpy_computes(name):
    arguments = importlib.import_module("workloads").workload(name).arguments()
    expected = importlib.import_module("peers.numpy_programs").PROGRAMS[name](*arguments)()
    got = importlib.import_module("peers.weft_programs").PROGRAMS[name](*arguments)()
    for one, other in zip(
        got if isinstance(got, tuple) else (got,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


def test_no_limit_is_claimed_where_none_is_known():
    limits = importlib.import_module("limits")
    assert limits.least_seconds(1e9, 0.0, "int32") is None
    assert limits.least_seconds(0.0, 8.0, "float32") is None
    assert limits.least_seconds(2e9, 64.0, "float32") == pytest.approx(2e9 / limits.flops_per_second())


@pytest.mark.parametrize("candidate", ["numpy", "weft", "jax", "torch"])
def test_gradients_are_workloads(candidate):
    if candidate not in ("numpy", "weft"):
        pytest.importorskip(candidate)
    programs = importlib.import_module(f"peers.{candidate}_gradients").PROGRAMS
    names = {p for w in importlib.import_module("gradient_workloads").WORKLOADS for p in w.programs}
    assert set(programs) <= names
    if candidate == "weft":
        assert set(programs) == names


def test_the_measured_gradient_is_that_of_the_measured_loss():
    workload = importlib.import_module("gradient_workloads").workload("recurrence")
    (x,) = workload.arguments()
    loss = importlib.import_module("peers.numpy_gradients").FUNCTIONS["recurrence"]
    program = importlib.import_module("peers.weft_gradients").PROGRAMS["recurrence_gradient"]
    value, gradient = program(x)()
    direction = np.zeros_like(x)
    direction[-20:] = np.random.default_rng(1).standard_normal(20)
    difference = (loss(x + 1e-6 * direction) - loss(x - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(value, loss(x))
    np.testing.assert_allclose(gradient @ direction, difference, rtol=1e-6)
