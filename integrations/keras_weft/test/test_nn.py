"""`keras.ops.nn`: the same values compiled as in plain Python, and gradients."""

from __future__ import annotations

import inspect
from typing import Any

import keras
import ml_dtypes
import numpy as np
import pytest
from compared import Row, compare, compare_gradients, rows
from keras import ops

import weft
from keras_weft.src.ops import activations

ACTIVATIONS = [name for name in activations.__all__ if name != "threshold"]


def activation_rows(dtype: Any) -> dict[str, Row]:
    array = rows()
    x = (array(3, 8) * 3).astype(dtype)
    table = {name: (getattr(ops, name), x) for name in ACTIVATIONS if name != "tanh"}
    table["exact gelu"] = (lambda x: ops.gelu(x, approximate=False), x)
    table["softmax of axes"] = (lambda x: ops.softmax(x, axis=(0, 1)), x)
    table["threshold"] = (lambda x: ops.threshold(x, 0.3, -1.0), x)
    return table


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_activations(dtype: Any) -> None:
    table = activation_rows(dtype)
    compare(table)
    for name, (function, x) in table.items():
        assert function(x).dtype == dtype, name


def test_activations_of_extreme_numbers_are_finite_where_they_should_be() -> None:
    x = np.array([-1e4, -100, 0, 100, 1e4], np.float32)
    both = ("sigmoid", "log_sigmoid", "softplus", "silu", "gelu", "elu", "softmax", "log_softmax")
    table = {name: (getattr(ops, name), x) for name in both}
    compare(table)
    loss = weft.function(lambda x: sum(function(x).sum() for function, _ in table.values()))
    gradient = weft.function(weft.do_not_convert(weft.grad(loss)))(x)
    assert np.isfinite(gradient).all()


def test_gradients_of_activations() -> None:
    array = rows(1)
    x = array(2, 6, dtype=np.float64)
    compare_gradients({name: (getattr(keras.src.backend.nn, name), x) for name in ACTIVATIONS})


def window_rows(dtype: Any = np.float32) -> dict[str, Row]:
    array = rows(2)
    line, plane, solid = (array(*shape, dtype=dtype) for shape in ((2, 9, 4), (2, 7, 6, 4), (1, 5, 6, 4, 2)))
    kernel_1, kernel_2, kernel_3 = (
        array(*s, dtype=dtype) for s in ((3, 4, 5), (3, 2, 4, 6), (2, 3, 2, 2, 3))
    )
    first = "channels_first"
    return {
        "conv 1d": (lambda x, k: ops.conv(x, k, 2, "same"), line, kernel_1),
        "conv 1d causal": (
            lambda x, k: keras.src.backend.nn.conv(x, k, 1, "causal", None, 2),
            line,
            kernel_1,
        ),
        "conv 2d": (lambda x, k: ops.conv(x, k, (1, 2), "valid", dilation_rate=(2, 1)), plane, kernel_2),
        "conv 2d groups": (lambda x, k: ops.conv(x, k, 1, "same"), plane, array(3, 3, 2, 6, dtype=dtype)),
        "conv 2d first": (
            lambda x, k: ops.conv(x, k, 2, "same", first),
            plane.transpose(0, 3, 1, 2),
            kernel_2,
        ),
        "conv 3d": (lambda x, k: ops.conv(x, k, 2, "same"), solid, kernel_3),
        "depthwise": (
            lambda x, k: ops.depthwise_conv(x, k, 1, "same"),
            plane,
            array(3, 3, 4, 2, dtype=dtype),
        ),
        "separable": (
            lambda x, d, p: ops.separable_conv(x, d, p, 2, "valid"),
            plane,
            array(2, 3, 4, 2, dtype=dtype),
            array(1, 1, 8, 3, dtype=dtype),
        ),
        "transpose 1d": (lambda x, k: ops.conv_transpose(x, k, 3, "same"), line, array(4, 3, 4, dtype=dtype)),
        "transpose 2d": (
            lambda x, k: ops.conv_transpose(x, k, (2, 1), "valid", dilation_rate=1),
            plane,
            array(2, 3, 5, 4, dtype=dtype),
        ),
        "transpose 3d": (lambda x, k: ops.conv_transpose(x, k, 2), solid, array(2, 2, 2, 3, 2, dtype=dtype)),
        "max pool 1d": (lambda x: ops.max_pool(x, 2, padding="same"), line),
        "max pool 2d": (lambda x: ops.max_pool(x, (2, 3), 1), plane),
        "max pool 3d": (lambda x: ops.max_pool(x, 2, 2, "same"), solid),
        "average pool 1d": (lambda x: ops.average_pool(x, 3, 2, "same"), line),
        "average pool 2d": (lambda x: ops.average_pool(x, 3, 2, "same"), plane),
        "average pool 3d": (lambda x: ops.average_pool(x, (2, 3, 2), 1, "same"), solid),
        "adaptive average": (lambda x: ops.adaptive_average_pool(x, (3, 4)), plane),
        "adaptive max": (lambda x: ops.adaptive_max_pool(x, (2, 5, 3)), solid),
        "adaptive max 1d": (lambda x: ops.adaptive_max_pool(x, 4, first), line),
        "unfold": (
            lambda x: ops.unfold(x, (2, 3), dilation=(2, 1), padding=1, stride=(1, 2)),
            plane.transpose(0, 3, 1, 2),
        ),
        "fold": (
            lambda x: ops.fold(x, (6, 5), (2, 3), dilation=(2, 1), padding=1, stride=(1, 2)),
            array(2, 12, 18, dtype=dtype),
        ),
        "depth to space": (lambda x: ops.depth_to_space(x, 2), plane),
        "space to depth": (
            lambda x: ops.space_to_depth(x, 2, "channels_first"),
            array(2, 3, 4, 6, dtype=dtype),
        ),
    }


def test_windows() -> None:
    compare(window_rows(), 1e-5)


def test_gradients_of_windows() -> None:
    table = window_rows(np.float64)
    pools = ("max pool 2d", "average pool 3d", "fold", "adaptive average")
    compare_gradients({name: table[name] for name in pools})
    # Keras computes these in float32; they are linear in each operand, so that steps may be long.
    convolutions = ("conv 1d", "conv 2d groups", "conv 3d", "transpose 2d")
    compare_gradients({name: table[name] for name in convolutions}, step=0.1, tolerance=1e-3)


def test_fold_is_the_transpose_of_unfold() -> None:
    array = rows(3)
    x = array(2, 3, 6, 5, dtype=np.float64)
    options = {"dilation": (2, 1), "padding": 1, "stride": (1, 2)}
    columns = ops.unfold(x, (2, 3), **options)
    other = array(*columns.shape, dtype=np.float64)
    there = np.sum(columns * other)
    np.testing.assert_allclose(there, np.sum(x * ops.fold(other, (6, 5), (2, 3), **options)))


def loss_rows(dtype: Any = np.float32) -> dict[str, Row]:
    array = rows(4)
    logits = array(4, 5, dtype=dtype)
    share = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    labels = np.array([3, 0, 4, 1])
    one = np.eye(5, dtype=dtype)[labels]
    within = 1 / (1 + np.exp(-array(4, 5, dtype=dtype)))
    return {
        "one hot": (lambda x: ops.one_hot(x, 5, axis=0), np.array([[3, -1], [0, 4]])),
        "one hot of bytes": (lambda x: ops.one_hot(x, 5, dtype="int32"), labels.astype(np.uint8)),
        "multi hot": (lambda x: ops.multi_hot(x, 6), np.array([[3, 1], [0, 3]])),
        "categorical": (lambda t, x: ops.categorical_crossentropy(t, x, from_logits=True), one, logits),
        "categorical of shares": (ops.categorical_crossentropy, one, share),
        "sparse": (lambda t, x: ops.sparse_categorical_crossentropy(t, x, from_logits=True), labels, logits),
        "sparse of shares": (ops.sparse_categorical_crossentropy, labels[:, None], share),
        "binary": (lambda t, x: ops.binary_crossentropy(t, x, from_logits=True), one, logits),
        "binary of shares": (ops.binary_crossentropy, one, within),
        "moments": (lambda x: ops.moments(x, axes=[0], keepdims=True), logits),
        "batch normalization": (
            lambda x, m, v, o, s: ops.batch_normalization(x, m, v, -1, offset=o, scale=s),
            *(logits, array(5, dtype=dtype), share[0], array(5, dtype=dtype), array(5, dtype=dtype)),
        ),
        "layer normalization": (lambda x: ops.layer_normalization(x), logits),
        "rms normalization": (lambda x, s: ops.rms_normalization(x, s), logits, array(5, dtype=dtype)),
        "psnr": (lambda x, y: ops.psnr(x, y, 2.0), logits, share),
        "attention": (
            lambda q, k, v: ops.dot_product_attention(q, k, v, is_causal=True),
            *(array(2, 3, 4, 5, dtype=dtype), array(2, 3, 2, 5, dtype=dtype), array(2, 3, 2, 5, dtype=dtype)),
        ),
        "attention with a bias": (
            lambda q, k, v, b: ops.dot_product_attention(q, k, v, bias=b, scale=0.3),
            *(array(2, 3, 2, 5, dtype=dtype), array(2, 4, 2, 5, dtype=dtype), array(2, 4, 2, 5, dtype=dtype)),
            array(1, 2, 3, 4, dtype=dtype),
        ),
    }


def test_losses_and_normalization() -> None:
    compare(loss_rows(), 1e-5)


def test_gradients_of_losses_and_normalization() -> None:
    table = loss_rows(np.float64)
    labels = np.array([3, 0, 4, 1])
    logits = table["sparse"][2]
    chosen = {
        "sparse": (lambda x: ops.sparse_categorical_crossentropy(labels, x, from_logits=True), logits),
        **{name: table[name] for name in ("categorical", "binary", "binary of shares", "moments")},
        "batch normalization": table["batch normalization"],
    }
    compare_gradients(chosen, tolerance=1e-5)
    compare_gradients({"attention": table["attention with a bias"]}, step=1e-2, tolerance=3e-3)  # in float32


def test_a_mask_hides_what_it_should() -> None:
    array = rows(5)
    query, key, value = array(1, 2, 1, 4), array(1, 3, 1, 4), array(1, 3, 1, 4)
    mask = np.array([[True, False, True], [False, True, False]])[None, None]
    found = ops.dot_product_attention(query, key, value, mask=mask)
    np.testing.assert_allclose(found[0, 1, 0], value[0, 1, 0], rtol=1e-6)
    changed = value.copy()
    changed[0, 1] = 100
    np.testing.assert_allclose(ops.dot_product_attention(query, key, changed, mask=mask)[0, 0], found[0, 0])


def ctc_arrays(dtype: Any = np.float32) -> tuple[Any, ...]:
    array = rows(6)
    labels = np.array([[1, 2, 2], [3, 1, 0]])
    return labels, array(2, 7, 4, dtype=dtype), np.array([3, 2]), np.array([7, 5])


def test_ctc() -> None:
    labels, output, label_lengths, lengths = ctc_arrays()
    table: dict[str, Row] = {
        "loss": (ops.ctc_loss, labels, output, label_lengths, lengths),
        "greedy": (ops.ctc_decode, output, lengths),
        "greedy, repeated": (
            lambda x, n: ops.ctc_decode(x, n, merge_repeated=False, mask_index=2),
            output,
            lengths,
        ),
        "beam": (
            lambda x, n: ops.ctc_decode(x, n, "beam_search", beam_width=5, top_paths=3, mask_index=1),
            *(output, lengths),
        ),
    }
    compare(table, 1e-5)


def test_the_loss_of_ctc_is_that_of_all_alignments() -> None:
    labels, output, label_lengths, lengths = ctc_arrays(np.float64)
    found = ops.ctc_loss(labels, output, label_lengths, lengths)
    for row in range(2):
        logits = output[row, : lengths[row]]
        shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        total = 0.0
        for path in np.ndindex(*(4,) * lengths[row]):
            kept = [label for place, label in enumerate(path) if not place or path[place - 1] != label]
            if [label for label in kept if label] == list(labels[row, : label_lengths[row]]):
                total += np.prod(shares[np.arange(lengths[row]), path])
        np.testing.assert_allclose(found[row], -np.log(total), rtol=1e-5)
    # in float32, as Keras does
    loss = lambda x: ops.ctc_loss(labels, x, label_lengths, lengths)  # noqa: E731
    compare_gradients({"loss": (loss, output)}, step=1e-2, tolerance=3e-3)


def test_a_beam_of_all_prefixes_gives_the_probabilities_of_labels() -> None:
    _, output, _, lengths = ctc_arrays(np.float64)
    paths, scores = ops.ctc_decode(output[:, :4], np.minimum(lengths, 4), "beam_search", 400, 4, mask_index=0)
    for row in range(2):
        shares = np.exp(output[row, :4]) / np.exp(output[row, :4]).sum(-1, keepdims=True)
        totals: dict[tuple[int, ...], float] = {}
        for path in np.ndindex(4, 4, 4, 4):
            kept = [label for place, label in enumerate(path) if not place or path[place - 1] != label]
            labels = tuple(label for label in kept if label)
            totals[labels] = totals.get(labels, 0.0) + float(np.prod(shares[np.arange(4), path]))
        best = sorted(totals.items(), key=lambda item: -item[1])[:4]
        assert [tuple(label for label in path if label >= 0) for path in paths[:, row].tolist()] == [
            labels for labels, _ in best
        ]
        np.testing.assert_allclose(scores[row], [np.log(total) for _, total in best], rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ops.conv(np.ones((1, 4, 4, 3)), np.ones((2, 2, 2, 4))), "must be evenly divisible"),
        (lambda: keras.src.backend.nn.conv(np.ones((1, 2, 2, 3)), np.ones((3, 3, 3, 4))), "empty output"),
        (
            lambda: keras.src.backend.nn.max_pool(np.ones((1, 4, 4, 3)), 2, padding="full"),
            "Invalid padding 'full'",
        ),
        (
            lambda: keras.src.backend.nn.conv(np.ones((1, 4, 4, 3)), np.ones((2, 2, 3, 1)), (1, 2, 3)),
            "`strides`",
        ),
        (lambda: ops.glu(np.ones((2, 3))), "divisible by 2"),
        (lambda: ops.dot_product_attention(*[np.ones((2, 3, 4))] * 3), "only supports 4D"),
        (
            lambda: ops.dot_product_attention(np.ones((1, 2, 3, 4)), *[np.ones((1, 2, 2, 4))] * 2),
            "must be a multiple",
        ),
        (lambda: ops.categorical_crossentropy(np.ones((2, 3)), np.ones((2, 4))), "must have the same shape"),
        (lambda: ops.sparse_categorical_crossentropy(np.ones(3, int), np.ones((2, 4))), "up until the last"),
        (
            lambda: keras.src.backend.nn.sparse_categorical_crossentropy(np.int32(1), np.float32(1)),
            "at least rank 1",
        ),
        (
            lambda: keras.src.backend.nn.categorical_crossentropy(np.float32(1), np.float32(1)),
            "at least rank 1",
        ),
        (lambda: ops.psnr(np.ones(2), np.ones(3), 1.0), "must match"),
        (lambda: ops.one_hot(np.ones(2, int), 3, sparse=True), "sparse=True"),
        (lambda: ops.multi_hot(np.ones(2, int), 3, sparse=True), "sparse=True"),
        (lambda: ops.ctc_decode(np.ones((1, 2, 3)), np.ones(1, int), "widest"), "Invalid strategy"),
        (lambda: keras.src.backend.nn.adaptive_max_pool(np.ones((1, 2)), 2), "1D, 2D and 3D"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_labels_of_no_class_are_refused_when_a_compiled_step_runs() -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=9))
    x, labels = rows()(5, 4), np.array([0, 2, 1, 9, 0])
    assert np.isfinite(model.train_on_batch(x, labels))
    before = model.get_weights()
    for wrong in (3, -1):
        labels[1] = wrong
        with pytest.raises(ValueError, match=r"in the range \[0, 3\).*from .* to .*ignore_class"):
            model.train_on_batch(x, labels)
        with pytest.raises(ValueError, match=r"in the range \[0, 3\)"):
            keras.losses.sparse_categorical_crossentropy(labels, model(x), from_logits=True)
    for a, b in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_synchronized_moments_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="synchronized"):
        ops.moments(np.ones((2, 3)), 0, synchronized=True)


def test_all_functions_of_other_backends_are_there() -> None:
    nn, other = keras.src.backend.nn, keras.src.backend.numpy.__name__
    assert other == "keras_weft.src.ops.numpy"
    source = inspect.getsource(keras.src.ops.nn)
    for name in set(source.split("backend.nn.")[1:]):
        assert hasattr(nn, name.split("(")[0]), name.split("(")[0]
