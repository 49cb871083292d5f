"""Graphs of compiled functions, as TensorBoard's own reader finds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

event_accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard"
)


def helper(z: Any) -> Any:
    return np.exp(z) + 1


@weft.function
def train(x: Any, n: Any) -> Any:
    t = helper(x)
    for i in range(n):
        if t.sum() > 3:
            t = t * 0.5
        else:
            t = helper(t) - i
    return t.sum(), t


SPECS = weft.TensorSpec((None, 3), "float32"), weft.TensorSpec((), "int64")


def nodes(logdir: Path) -> dict[str, Any]:
    return {node.name: node for node in event_accumulator.EventAccumulator(str(logdir)).Reload().Graph().node}


def test_scopes_are_functions_lines_and_regions(tmp_path: Path) -> None:
    weft.summary.graph(train.get_concrete_function(*SPECS), tmp_path)
    found = nodes(tmp_path)
    first = train.python_function.__code__.co_firstlineno
    inside = helper.__code__.co_firstlineno + 1
    called = f"L{inside}_return_np.exp_z_1"
    exp = found[f"train/L{first + 2}_t_helper_x/helper/{called}/exp"]
    assert (exp.op, list(exp.input)) == ("weft.exp", ["x"])
    loop = f"train/L{first + 3}_for_i_in_range_n/for"
    branch = f"{loop}/body/L{first + 4}_if_t.sum_3/if"
    assert list(found[f"{loop}/body/carried"].input) == [f"train/L{first + 2}_t_helper_x/helper/{called}/add"]
    assert found[f"{branch}/then/L{first + 5}_t_t_0.5/multiply"].input[0] == f"{loop}/body/carried"
    assert f"{branch}/else/L{first + 7}_t_helper_t_-_i/helper/{called}/exp" in found
    assert list(found["result_1"].input) == [loop]
    assert all(source.partition(":")[0] in found for node in found.values() for source in node.input)


def test_edges_have_types(tmp_path: Path) -> None:
    train.get_concrete_function(*SPECS)
    weft.summary.graph(train, tmp_path, stage="weft")
    found = nodes(tmp_path)
    x = found["x"]
    assert [dim.size for dim in x.attr["_output_shapes"].list.shape[0].dim] == [-1, 3]
    assert x.attr["dtype"].type == 1  # DT_FLOAT
    assert x.attr["types"].s == b"tensor<?x3xf32>"
    assert any(node.op == "weft.reshape" for node in found.values())  # which the optimised one has not


def test_several_results_are_told_apart_and_no_name_is_given_twice(tmp_path: Path) -> None:
    @weft.function
    def f(constant: Any, constant_1: Any) -> Any:
        while constant.sum() > 1:
            constant, constant_1 = constant * 2 - 1, constant_1 * 3
        return constant, constant_1

    concrete = f.get_concrete_function(weft.TensorSpec((2,)), weft.TensorSpec((2,)))
    writer = weft.summary.create_file_writer(tmp_path)
    with writer.as_default():
        weft.summary.graph(concrete)
    writer.close()
    graph = event_accumulator.EventAccumulator(str(tmp_path)).Reload().Graph()
    names = [node.name for node in graph.node]
    assert len(names) == len(set(names))
    sources = [nodes(tmp_path)[f"result_{number}"].input[0] for number in range(2)]
    loops = {source.partition(":")[0] for source in sources}
    assert len(loops) == 1
    assert loops < set(names)
    assert len(set(sources)) == 2


def test_what_is_refused(tmp_path: Path) -> None:
    concrete = train.get_concrete_function(*SPECS)
    with pytest.raises(TypeError, match=r"draws a compiled function, and not .*: weft.function\(f\)"):
        weft.summary.graph(helper, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"helper was not compiled yet, .*, and write the graph of what that"
    ):
        weft.summary.graph(weft.function(helper), tmp_path)
    with pytest.raises(ValueError, match=r"stage is 'weft' or 'optimized', and not 'asm'"):
        weft.summary.graph(concrete, tmp_path, stage="asm")
    with pytest.raises(ValueError, match=r"there is no writer; give a directory"):
        weft.summary.graph(concrete)
