"""Data sets of weft as data of `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from typing import Any

from keras.src.trainers.data_adapters import data_adapter_utils
from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator

import weft


class DatasetAdapter(DataAdapter):
    """Gives the batches of a `weft.data.Dataset`, walked by Python."""

    def __init__(self, dataset: Any, class_weight: Any = None) -> None:
        self.dataset = dataset
        self._class_weight = class_weight

    @property
    def spec(self) -> Any:
        """The types of a batch."""
        return self.dataset.element_spec

    def get_numpy_iterator(self) -> Iterator[Any]:
        """The batches of an epoch."""
        for batch in self.dataset:
            yield self.weighted(batch)

    def weighted(self, batch: Any) -> tuple[Any, ...]:
        """A batch with the weights of its classes, if there are any."""
        parts = batch if isinstance(batch, tuple) else (batch,)
        if self._class_weight is None:
            return parts
        if len(parts) != 2:
            raise ValueError(
                "`class_weight` is for data sets of (x, y), and this one has elements of "
                f"{len(parts)} part{'s' * (len(parts) != 1)}"
            )
        return *parts, data_adapter_utils.class_weight_to_sample_weights(parts[1], self._class_weight)

    @property
    def num_batches(self) -> int | None:
        """How many batches an epoch has; None where only walking tells it."""
        count = int(self.dataset.cardinality())
        return count if count >= 0 else None

    @property
    def batch_size(self) -> int | None:
        """Not known: batches are elements of the data set."""
        return None


class Batches(EpochIterator):
    """The batches of epochs, in lists of as many as an execution of the model has steps; the last may be shorter."""

    _num_batches: int | None

    def __next__(self) -> tuple[int, int, list[Any]]:
        begin, end, iterator = next(self._epoch_iterator)
        data = list(itertools.islice(iterator, self.steps_per_execution))
        if data:
            return begin, end, data
        if self.steps_per_epoch is not None or begin == 0:
            self._interrupted_warning()
        if self._num_batches is None:
            self._num_batches = begin
        self._current_iterator = None
        self.data_adapter.on_epoch_end()
        raise StopIteration


def batches_of(
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    shuffle: bool = False,
    **options: Any,
) -> Batches:
    """The batches of epochs, of whatever Keras takes as data, or of a `weft.data.Dataset`."""
    if isinstance(x, weft.data.Dataset):
        for name, given in (("y", y), ("sample_weight", sample_weight)):
            if given is not None:
                raise ValueError(
                    f"When providing `x` as a weft.data.Dataset, `{name}` should not be passed: its elements are "
                    "(x, y) or (x, y, sample_weight)."
                )
        x = DatasetAdapter(x, class_weight)
        class_weight, shuffle = None, False  # data sets shuffle by themselves
    elif isinstance(x, Iterator) and not isinstance(x, Generator):
        raise ValueError(
            f"x is a {type(x).__name__}, whose items can be had once: pass a generator, `(batch for batch in x)`, or "
            "what can be walked in each epoch, `weft.data.Dataset.from_iterable(batches)` of a list of batches"
        )
    return Batches(
        x=x, y=y, sample_weight=sample_weight, class_weight=class_weight, shuffle=shuffle, **options
    )


class WholeEpochs:
    """Gives a data set once for each epoch, in the place of its batches."""

    steps_per_epoch = None

    def __init__(self, dataset: Any) -> None:
        self.data_adapter = DatasetAdapter(dataset)
        self.num_batches = self.data_adapter.num_batches

    def __iter__(self) -> Iterator[tuple[int, int, list[Any]]]:
        yield 0, (self.num_batches or 1) - 1, [self.data_adapter.dataset]

    def reset(self) -> None:
        """Nothing is kept."""


__all__ = ["DatasetAdapter", "WholeEpochs", "batches_of"]
