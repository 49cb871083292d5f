"""What is wrong with a data set is said in the program's own names, at its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

Dataset = weft.data.Dataset
TWO = np.zeros((2, 3))

MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: Dataset.from_tensor_slices({"x": TWO, "y": [1, 2, 3]}),
        ValueError,
        r"from_tensor_slices: tensors\['x'\] has 2 rows, but tensors\['y'\] has 3",
    ),
    (
        lambda: Dataset.from_tensor_slices((TWO, 5)),
        ValueError,
        r"tensors\[1\] is a number, which has none: from_tensors",
    ),
    (lambda: Dataset.from_tensor_slices(()), ValueError, "tensors holds no arrays"),
    (lambda: Dataset.range(3).batch(0), ValueError, "batch: batch_size is at least 1, not 0"),
    (lambda: Dataset.range(3).batch(2.0), TypeError, "batch takes a whole number, not float 2.0"),  # type: ignore[arg-type]
    (lambda: Dataset.range(3).shuffle(0), ValueError, "shuffle: buffer_size is at least 1, not 0"),
    (lambda: Dataset.range(3).repeat().shuffle(), ValueError, "without an end needs a buffer_size"),
    (lambda: Dataset.range(3).repeat().cache(), ValueError, r"cache in front of repeat\(\)"),
    (lambda: Dataset.range(3).take("2"), TypeError, "take takes a whole number, not str '2'"),  # type: ignore[arg-type]
    (lambda: Dataset.range(3).window(0), ValueError, "window: size is at least 1, not 0"),
    (lambda: Dataset.range(3).window(2, shift=0), ValueError, "window: shift is at least 1, not 0"),
    (lambda: Dataset.range(0, 3, 0), ValueError, "range: step is 0"),
    (lambda: Dataset.range(3).map(5), TypeError, "map takes a function of an element, not int"),  # type: ignore[arg-type]
    (lambda: Dataset.range(3).interleave(lambda x: x, 0), ValueError, "cycle_length is at least 1"),
    (
        lambda: list(Dataset.range(3).flat_map(lambda x: x)),
        TypeError,
        "makes a data set of each element, not int64",
    ),
    (lambda: Dataset.zip(Dataset.range(3), TWO), TypeError, "zip takes data sets, not ndarray"),
    (lambda: Dataset.zip(()), ValueError, "zip takes at least one data set"),
    (lambda: Dataset.range(3).concatenate(TWO), TypeError, "concatenate takes data sets, not ndarray"),  # type: ignore[arg-type]
    (lambda: Dataset.from_iterable(5), TypeError, "from_iterable takes an iterable, not int"),  # type: ignore[arg-type]
    (lambda: Dataset.from_generator([1]), TypeError, "from_generator takes a function .* not list"),  # type: ignore[arg-type]
    (lambda: Dataset.from_iterable([1], "f4"), TypeError, "the types of elements are nested weft.TensorSpec"),
    (
        lambda: list(Dataset.range(1, 4).map(lambda x: np.full(x, x)).batch(2)),
        ValueError,
        r"have one shape, but element 1 of this one has shape \(2,\), and element 0 \(1,\); padded_batch",
    ),
    (
        lambda: list(Dataset.range(1, 4).map(lambda x: np.full(x, x)).padded_batch(3, padded_shapes=[2])),
        ValueError,
        "an element has 3 entries along axis 0, and padded_shapes says 2",
    ),
    (
        lambda: list(Dataset.range(3).padded_batch(3, padded_shapes=[2])),
        ValueError,
        "padded_shapes has 1 dimensions for a part of an element that has 0",
    ),
    (
        lambda: list(Dataset.range(3).filter(lambda x: x + 1)),
        TypeError,
        "filter: the predicate returned int64 of shape",
    ),
    (
        lambda: list(Dataset.from_tensor_slices(TWO).filter(lambda x: x > 0)),
        TypeError,
        r"the predicate returned bool of shape \(3,\), and has to return a bool",
    ),
]


@pytest.mark.parametrize(("mistake", "kind", "message"), MISTAKES)
def test_mistakes_are_named(mistake: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        mistake()
    assert isinstance(caught.value, weft.WeftError)


def walked(dataset: Any) -> Any:
    count = 0
    for _ in dataset:
        count += 1
    return count


def wrong(x: Any) -> Any:
    return x @ np.zeros((4, 2))  # three are wanted


def refused(x: Any) -> Any:
    if x[0] > 0:
        raise ValueError("a positive element")
    return x


def test_mistakes_in_compiled_functions() -> None:
    compiled = weft.function(walked)
    with pytest.raises(TypeError, match="filter: the predicate returned int64 of shape"):
        compiled(Dataset.range(3).filter(lambda x: x + 1))
    with pytest.raises(ValueError, match="batch: batch_size is at least 1, not 0"):
        weft.function(lambda x: walked(Dataset.from_tensor_slices(x).batch(0)))(TWO)


def test_functions_fail_at_their_line() -> None:
    for dataset in (
        Dataset.from_tensor_slices(TWO).map(wrong),
        Dataset.from_tensor_slices(TWO).map(wrong).batch(2),
    ):
        with pytest.raises(ValueError, match="matmul") as caught:
            weft.function(walked)(dataset)
        assert caught.traceback[-1].name == "wrong"
    for function in (walked, weft.function(walked)):
        with pytest.raises(ValueError, match="a positive element"):
            function(Dataset.from_tensor_slices(TWO + 1).map(refused).batch(2))
        assert function(Dataset.from_tensor_slices(TWO).map(refused).batch(2)) == 1


def test_an_exhausted_data_set_of_an_iterator_is_empty() -> None:
    dataset = Dataset.from_iterable(iter([np.float64(1)]))
    assert [list(dataset), list(dataset)] == [[1.0], []]
    with pytest.raises(weft.UnsupportedError, match="the data set has no elements to tell the types of"):
        _ = dataset.element_spec
