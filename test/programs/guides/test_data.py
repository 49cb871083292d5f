"""tf.data: build input pipelines, with `weft.data.Dataset`; pipelines run in plain Python and in compiled loops."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

import weft

Dataset = weft.data.Dataset


def both(dataset):
    """The elements, which compiled code must find to be the same."""

    @weft.function
    def walked():
        count, total = 0, 0.0
        for element in dataset:
            count, total = count + 1, total + np.sum(element)
        return count, total

    elements = list(dataset)
    count, total = walked()
    assert (count, total) == (len(elements), sum(float(np.sum(element)) for element in elements))
    return [np.asarray(element).tolist() for element in elements]


class TestBasicMechanics:
    def test_elements_and_reduce(self):
        dataset = Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1])
        assert both(dataset) == [8, 3, 0, 8, 2, 1]
        assert next(iter(dataset)) == 8
        assert dataset.reduce(0, lambda state, value: state + value) == 22

    def test_dataset_structure(self):
        rng = np.random.default_rng(0)
        dataset1 = Dataset.from_tensor_slices(rng.uniform(size=(4, 10)))
        assert dataset1.element_spec == weft.TensorSpec((10,), "float64")
        dataset2 = Dataset.from_tensor_slices((rng.uniform(size=4), rng.integers(0, 100, (4, 100), np.int32)))
        assert dataset2.element_spec == (weft.TensorSpec((), "float64"), weft.TensorSpec((100,), "int32"))
        dataset3 = Dataset.zip(dataset1, dataset2)
        a, (b, c) = next(iter(dataset3))
        assert (a.shape, b.shape, c.shape) == ((10,), (), (100,))

    def test_structures_of_dicts(self):
        dataset = Dataset.from_tensor_slices({"a": np.arange(4), "b": np.ones((4, 2), np.float32)})
        assert sorted(dataset.element_spec) == ["a", "b"]
        assert [int(element["a"]) for element in dataset] == [0, 1, 2, 3]


class TestReadingInputData:
    def test_python_generators(self):
        def count(stop):
            i = 0
            while i < stop:
                yield i
                i += 1

        spec = weft.TensorSpec((), "int64")
        counted = Dataset.from_generator(count, args=[25], output_signature=spec)
        batches = [batch.tolist() for batch in counted.repeat().batch(10).take(4)]
        assert batches[0] == list(range(10))
        assert batches[2] == [20, 21, 22, 23, 24, 0, 1, 2, 3, 4]
        assert batches[3] == list(range(5, 15))


class TestBatching:
    def test_simple_batching(self):
        inc_dataset, dec_dataset = Dataset.range(100), Dataset.range(0, -100, -1)
        batched = Dataset.zip(inc_dataset, dec_dataset).batch(4)
        first, second = next(iter(batched))
        assert (first.tolist(), second.tolist()) == ([0, 1, 2, 3], [0, -1, -2, -3])
        assert batched.element_spec[0].shape == (None,)
        assert Dataset.range(100).batch(7, drop_remainder=True).element_spec.shape == (7,)

    def test_padding(self):
        dataset = Dataset.range(5).map(lambda x: np.full(x, x)).padded_batch(4)
        assert next(iter(dataset)).tolist() == [[0, 0, 0], [1, 0, 0], [2, 2, 0], [3, 3, 3]]


class TestWorkflows:
    def test_multiple_epochs(self):
        lines = Dataset.range(10)
        sizes = [len(batch) for batch in lines.repeat(3).batch(4)]
        assert sizes == [4, 4, 4, 4, 4, 4, 4, 2]
        assert [len(batch) for batch in lines.batch(4).repeat(3)] == [4, 4, 2] * 3

    def test_shuffling_input_data(self):
        dataset = Dataset.range(500).shuffle(buffer_size=100, seed=1).batch(20)
        first = next(iter(dataset))
        assert first.max() < 120
        elements = list(chain.from_iterable(both(dataset)))
        assert sorted(elements) == list(range(500))
        assert elements != list(range(500))

    def test_repeat_before_and_after_shuffle(self):
        shuffled = Dataset.range(100).shuffle(100, seed=2)
        after = [int(x) for batch in shuffled.batch(10).repeat(2) for x in batch]
        assert sorted(after[:100]) == sorted(after[100:]) == list(range(100))  # epochs end
        before = [int(x) for x in Dataset.range(100).repeat(2).shuffle(100, seed=2)]
        assert sorted(before[:100]) != list(range(100))  # and are mixed


class TestPreprocessing:
    def test_map_and_filter(self):
        dataset = Dataset.range(10).map(lambda x: x * x).filter(lambda x: x % 2 == 0)
        assert both(dataset) == [0, 4, 16, 36, 64]

    def test_arbitrary_python(self):
        def reversed_digits(x):
            return np.int64(str(int(x))[::-1])

        dataset = Dataset.range(10, 14).map(
            lambda x: weft.py_call(reversed_digits, x, result=weft.TensorSpec((), "int64"))
        )
        assert both(dataset) == [1, 11, 21, 31]

    def test_time_series_by_batch(self):
        range_ds = Dataset.range(100)
        batches = range_ds.batch(10, drop_remainder=True)
        pairs = batches.map(lambda batch: (batch[:-1], batch[1:]))
        first, second = next(iter(pairs))
        assert (first.tolist(), second.tolist()) == (list(range(9)), list(range(1, 10)))
        split = Dataset.range(100).batch(15, drop_remainder=True).map(lambda batch: (batch[:-5], batch[-5:]))
        features, label = next(iter(split))
        assert (features.tolist(), label.tolist()) == (list(range(10)), [10, 11, 12, 13, 14])

    def test_time_series_by_window(self):
        windows = Dataset.range(12).window(5, shift=1, drop_remainder=True)
        found = [sub.tolist() for sub in windows.flat_map(lambda sub: sub.batch(5, drop_remainder=True))]
        assert found == [list(range(i, i + 5)) for i in range(8)]


def test_errors_say_what_is_wrong():
    with pytest.raises(ValueError, match=r"4.*3|3.*4"):
        Dataset.from_tensor_slices((np.zeros(4), np.zeros(3)))
