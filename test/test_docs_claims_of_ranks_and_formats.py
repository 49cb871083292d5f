"""What the pages on engines, ranks, split arrays, ONNX, StableHLO and the pipeline say in sentences, tried."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, refused, require

CLAIMS = Claims()
claim = CLAIMS.claim
ranks, P = weft.distributed, weft.distributed.P
PAIR = ranks.Mesh.simulated(2)
X: Any = np.arange(6.0)


@claim("distributed.md", "`from weft.distributed import Mesh, all_reduce` works, too")
def _() -> None:
    from weft.distributed import Mesh, all_reduce

    assert (Mesh, all_reduce) == (ranks.Mesh, ranks.all_reduce)


@claim("distributed.md", 'two axes; without names there is one, `"d"`')
def _() -> None:
    one, two = ranks.Mesh.simulated(3), ranks.Mesh.simulated(rows=2, columns=3)
    assert (one.axis_names, one.size, dict(one.shape)) == (("d",), 3, {"d": 3})
    assert (two.size, dict(two.shape), list(two.ranks)) == (6, {"rows": 2, "columns": 3}, list(range(6)))


@claim(
    "distributed.md", "or a function that takes a rank and returns the\ntuple; without it `f` takes nothing"
)
def _() -> None:
    assert PAIR.run(lambda x: x + 1, lambda rank: (rank * 10,)) == [1, 11]
    assert PAIR.run(ranks.rank) == [0, 1]


@claim("distributed.md", "(None: stacked along a new first one)")
def _() -> None:
    joined, stacked = PAIR.run(lambda x: (ranks.all_gather(x, 0), ranks.all_gather(x, None)), [(X,), (X,)])[0]
    assert joined.shape == (12,)
    assert stacked.shape == (2, 6)


@claim("distributed.md", "what the rank `shift` below has; zeros where there is none")
def _() -> None:
    def shifted(x: Any) -> Any:
        return ranks.send_receive(x, 1, False), ranks.send_receive(x, 1, True)

    first, second = PAIR.run(shifted, [(np.ones(1),), (np.full(1, 2.0),)])
    assert first == (0, 2)
    assert second == (1, 1)


@claim("distributed.md", "decide by `all_reduce(condition,")
def _() -> None:
    @weft.function
    def divergent(x: Any) -> Any:
        return ranks.all_reduce(x) if np.sum(x) > 0 else x

    @weft.function
    def together(x: Any) -> Any:
        return ranks.all_reduce(x) if ranks.all_reduce(np.sum(x) > 0, "any") else x

    arguments = [(np.zeros(1),), (np.ones(1),)]
    with pytest.raises(weft.DivergenceError):
        PAIR.run(divergent, arguments)
    assert PAIR.run(together, arguments) == [1, 1]


@claim("partition.md", "rows\nover all ranks of it, and `P()` nothing")
def _() -> None:
    mesh = ranks.Mesh.simulated(rows=2, columns=2)
    data = np.arange(16.0).reshape(4, 4)
    for spec, shape in (
        (P("rows"), (2, 4)),
        (P(None, "rows"), (4, 2)),
        (P("rows", "columns"), (2, 2)),
        (P(("rows", "columns")), (1, 4)),
        (P(), (4, 4)),
    ):
        x = ranks.scatter(data, spec, mesh)
        assert [block.shape for block in x.blocks] == [shape] * 4
        np.testing.assert_array_equal(x.gather(), data)


@claim("partition.md", "are NumPy's, in blocks")
def _() -> None:
    x = ranks.scatter(X.reshape(3, 2), P("d"), PAIR)
    for found, wanted in (
        (x.T, X.reshape(3, 2).T),
        (x[1:3] * 2, X.reshape(3, 2)[1:3] * 2),
        (x.sum(axis=0), X.reshape(3, 2).sum(axis=0)),
    ):
        np.testing.assert_array_equal(found.gather() if isinstance(found, type(x)) else found, wanted)


@claim("partition.md", "such functions raise `weft.PartitionError` with the\nline")
def _() -> None:
    x = ranks.scatter(X, P("d"), PAIR)
    with pytest.raises(weft.PartitionError, match=r"of_ranks_and_formats\.py"):
        ranks.partition(lambda x: print(np.sum(x)))(x)


@claim("stablehlo.md", "XLA's processors keep the last one,\n  as NumPy does")
def _() -> None:
    def written(x: Any, places: Any) -> Any:
        y = np.zeros(3)
        y[places] = x
        return y

    places = np.array([1, 1, 2])
    concrete = weft.function(written).get_concrete_function(X[:3], places)
    again = weft.from_stablehlo(concrete.to_stablehlo(checks=False))
    np.testing.assert_array_equal(again(X[:3], places), written(X[:3], places))


@claim("stablehlo.md", "Structures are flattened. Arrays from outside are constants")
def _() -> None:
    outside = np.ones(3)
    concrete = weft.function(lambda p: {"a": p["x"] + outside, "b": p["y"][0]}).get_concrete_function(
        {"x": X[:3], "y": [X]}
    )
    again = weft.from_stablehlo(concrete.to_stablehlo())
    first, second = again(X[:3], X)
    outside += 1
    np.testing.assert_array_equal(first, X[:3] + 1)
    np.testing.assert_array_equal(second, X)
    np.testing.assert_array_equal(again(X[:3], X)[0], first)


@claim("stablehlo.md", "integers divided by zero are -1 (all bits set)")
def _() -> None:
    divided = weft.from_stablehlo(
        "func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %z = stablehlo.divide %x, %y : tensor<2xi32>\n  return %z : tensor<2xi32>\n}"
    )
    assert divided(np.int32([7, -7]), np.int32([0, 2])).tolist() == [-1, -3]


@claim("onnx.md", "Numbers that are the same at each call are no outputs")
def _() -> None:
    pytest.importorskip("onnx", reason="needs onnx")
    concrete = weft.function(lambda x: {"y": x + 1, "n": 3}).get_concrete_function(X)
    assert [output.name for output in concrete.to_onnx().graph.output] == ["y"]


@claim("onnx.md", "`np.maximum(x, 0)` is `Relu`, exponentials over their sum are `Softmax`")
def _() -> None:
    pytest.importorskip("onnx", reason="needs onnx")

    def softmax(x: Any) -> Any:
        e = np.exp(np.maximum(x, 0) - np.max(np.maximum(x, 0), axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    specs = weft.TensorSpec([None, 4], "float32")
    model = weft.function(softmax).get_concrete_function(specs).to_onnx()
    assert [node.op_type for node in model.graph.node] == ["Relu", "Softmax"]


@claim("onnx.md", "by default 20")
def _() -> None:
    onnx = pytest.importorskip("onnx", reason="needs onnx")
    concrete = weft.function(lambda x: x + 1).get_concrete_function(X)
    newest = onnx.defs.onnx_opset_version()
    found = [
        concrete.to_onnx(**chosen).opset_import[0].version
        for chosen in ({}, {"opset": 18}, {"opset": newest})
    ]
    assert found == [20, 18, newest]
    for opset in (17, newest + 1):
        with pytest.raises(ValueError, match="opset"):
            concrete.to_onnx(opset=opset)


@claim(
    "pipeline.md",
    "Code for another machine can be looked at at any stage, down to `asm`; a call of it is an error",
)
def _() -> None:
    abroad = weft.function(lambda x: x + 1, target="aarch64")
    assert "fadd" in abroad.get_concrete_function(X).as_text("asm")
    refused(lambda x: x + 1, X, target="aarch64")


NUMBERS: list[tuple[str, str, str, int]] = [
    ("pipeline.md", "up to 1 KiB they are compiled in", "frontend.guards.inputs.CONSTANT_BYTES", 1 << 10),
    (
        "pipeline.md",
        "up to 16 MiB (`make-room-first`)",
        "passes.control_flow.make_room_first.MOST_BYTES",
        16 << 20,
    ),
    (
        "pipeline.md",
        "from 64 KiB on by the result\n   pool",
        "backend.cpu.memory.limit.POOLED_BYTES",
        64 << 10,
    ),
    (
        "pipeline.md",
        "in registers, one in each lane, up to 16 complex\nnumbers",
        "backend.cpu.codegen.fourier.transforms.IN_REGISTERS",
        16,
    ),
    (
        "pipeline.md",
        "from line to line in memory up to 4,096",
        "backend.cpu.codegen.fourier.transforms.LONGEST",
        4096,
    ),
    (
        "pipeline.md",
        "Rows are added up in parts of 512",
        "backend.cpu.codegen.contractions.one_pass.PART",
        512,
    ),
    (
        "pipeline.md",
        "up to four rows, a large right operand",
        "backend.cpu.codegen.contractions.plan.FEW_ROWS",
        4,
    ),
    (
        "pipeline.md",
        "up to 48 rows, a large right operand",
        "backend.cpu.codegen.contractions.streamed_product.MOST_ROWS",
        48,
    ),
    (
        "gradients.md",
        "beside the values for up to 16 numbers in the arguments",
        "frontend.gradients.jacobians.FORWARD_INPUTS",
        16,
    ),
    (
        "engines.md",
        "up to\n256 kB, are looked up in memory",
        "frontend.calls.shipped_code.MOST_BYTES",
        256 << 10,
    ),
    ("engines.md", "at most 100) over more than 32 MiB", "frontend.dask.tracing._MOST_TRIPS", 100),
    ("engines.md", "at most 100) over more than 32 MiB", "frontend.dask.tracing.SMALL", 32 << 20),
    ("distributed.md", "if that has 16,384 elements or more", "passes.ranks.overlap_messages._LEAST", 16_384),
    (
        "onnx.md",
        "what is known is unrolled, up to 16 turns",
        "frontend.onnx.reading.rules.control_flow._UNROLLED",
        16,
    ),
]


@pytest.mark.parametrize(
    ("page", "words", "name", "number"), NUMBERS, ids=[name for _, _, name, _ in NUMBERS]
)
def test_numbers_of_pages_are_those_of_the_sources(page: str, words: str, name: str, number: int) -> None:
    require(page, words)
    module, _, constant = name.rpartition(".")
    assert getattr(importlib.import_module(f"weft.{module}"), constant) == number


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
