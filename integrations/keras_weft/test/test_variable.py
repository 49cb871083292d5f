"""`keras.Variable`: written in place, read by traces and tapes, and NumPy's for those who ask."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import keras
import numpy as np
import pytest

import weft


def test_it_is_written_in_place_by_python_and_compiled_code() -> None:
    variable = keras.Variable(np.arange(3, dtype="float32"))
    array = variable.value
    variable.assign(variable + 1)
    assert variable.value is array
    np.testing.assert_array_equal(array, [1, 2, 3])
    with pytest.raises(ValueError, match="must match"):
        variable.assign(np.zeros(4))

    @weft.function
    def add(x: Any) -> Any:
        variable.assign_add(x)
        return np.sum(variable) + keras.ops.max(variable)

    assert add(np.float32(1)) == 9 + 4
    assert add(np.float32(1)) == 12 + 5
    assert add.trace_count == 1
    np.testing.assert_array_equal(array, [3, 4, 5])


def test_what_was_read_is_no_alias() -> None:
    variable = keras.Variable(np.zeros(2, "float32"))
    before, converted = variable.numpy(), keras.ops.convert_to_numpy(variable)
    variable.assign([1.0, 2.0])
    assert not before.any()
    assert not converted.any()
    assert np.asarray(variable) is variable.value
    np.testing.assert_array_equal(np.array(variable, dtype="int8"), np.array([1, 2], "int8"))


def test_functions_of_numpy_take_it() -> None:
    variable = keras.Variable(np.arange(6, dtype="float32"))

    def computed() -> Any:
        return np.reshape(variable, (2, 3)) @ np.stack([variable[:3], np.exp(variable)[3:]]).T

    np.testing.assert_allclose(weft.function(computed)(), computed(), rtol=1e-6)
    assert np.add(variable, variable)[5] == 10
    assert keras.ops.add(1, variable)[0] == 1
    assert (np.concatenate([variable, {"a": variable}["a"]]) == np.tile(variable.numpy(), 2)).all()


def test_tapes_watch_it() -> None:
    used, unused = keras.Variable(3.0), keras.Variable(1.0)

    def gradients() -> Any:
        with weft.GradientTape() as tape:
            loss = used * used
        return tape.gradient(loss, [used, unused])

    for found in (gradients(), weft.function(gradients)()):
        assert found[0] == 6
        assert found[1] is None


def test_copies_are_apart() -> None:
    variable = keras.Variable(np.ones(2, "float32"), name="weights")
    for copied in (copy.deepcopy(variable), pickle.loads(pickle.dumps(variable))):
        copied.assign([5.0, 5.0])
        assert copied.name == "weights"
        assert variable.numpy().tolist() == [1, 1]


def test_the_scope_of_half_precision() -> None:
    variable = keras.Variable(np.ones(2, "float32"))
    with keras.src.backend.AutocastScope("float16"):
        assert variable.dtype == "float16"
        assert variable.value.dtype == np.float16
        assert keras.ops.add(variable, variable).dtype == np.float16
    assert variable.value.dtype == np.float32


def test_layers_may_be_built_in_a_compiled_function() -> None:
    layer = keras.layers.Dense(2)
    outer = weft.function(lambda x: layer(x))
    x = np.ones((1, 3), "float32")
    results = [outer(x) for _ in range(3)]
    np.testing.assert_allclose(results[0], results[2])
    np.testing.assert_allclose(results[0], layer(x), rtol=1e-6)
    assert len(layer.weights) == 2


def test_seeds_are_state() -> None:
    keras.utils.set_random_seed(3)
    seeds = keras.random.SeedGenerator(7)
    expected = [keras.random.uniform((2,), seed=seeds) for _ in range(2)]
    seeds.state.assign(keras.random.SeedGenerator(7).state)
    draw = weft.function(lambda: keras.random.uniform((2,), seed=seeds))
    np.testing.assert_array_equal([draw(), draw()], expected)
    assert draw.trace_count == 1


def test_lists_of_variables_grow_once() -> None:
    class Two(keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = keras.layers.Dense(2)

        def build(self, shape: Any) -> None:
            self.scales = [self.add_weight(shape=(), initializer="ones")]
            self.inner.build(shape)

        def call(self, x: Any) -> Any:
            return self.inner(x) * self.scales[0]

    layer = Two()
    outer = weft.function(lambda x: layer(x))
    for rows in (1, 2, 1, 2):
        outer(np.ones((rows, 3), "float32"))
    assert len(layer._trainable_variables) == 1
    assert len(layer.inner._trainable_variables) == 2


def test_devices() -> None:
    with keras.device("CPU:0"):
        assert keras.ops.ones((2,)).sum() == 2
    with (
        pytest.raises(ValueError, match="computes on the processor, and not on 'gpu:0'"),
        keras.device("gpu:0"),
    ):
        pass
