"""Steps of a model as compiled functions: what runs lists of batches."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src import tree

import weft


class Steps:
    """Runs a step for each of some batches; in the compiled functions it writes the variables of the model in place.

    Several batches of one shape are one call, in which the loop over them is compiled; those that are left, as the
    smaller one at the end of the data, are a call each. With `joined`, what the steps return is joined along the first
    axis, else it is what the last one returns.
    """

    def __init__(
        self,
        step: Callable[[Any], Any],
        count: int,
        is_compiled: bool,
        joined: bool,
        is_built: Callable[[], bool],
    ) -> None:
        self._step = step = _on_copies(step)
        self._count = count
        self._joined = joined
        self._is_compiled = is_compiled
        self._is_built = is_built
        self._has_run = self._is_known_to_run = False
        self._epochs: Epochs | None = None
        self.one: Any = weft.function(step) if is_compiled else step
        """The function of one batch."""
        self.several: Any = weft.function(self._mapped) if is_compiled else None
        """The function of as many batches as an execution has steps, stacked."""

    def __call__(self, batches: list[Any]) -> Any:
        """What the steps return, joined or of the last of them."""
        if len(batches) == 1 or not self._is_compiled or not self._has_run or not self._are_stacked(batches):
            results = [self._run(self.one, batch) for batch in batches]
            return _concatenated(results) if self._joined else results[-1]
        return self._run(self.several, tree.map_structure(_stacked, *batches))

    def draw(self, writer: Any) -> bool:
        """Write the graph of what is compiled for TensorBoard; False as long as nothing is."""
        if not self._is_compiled:
            return True  # nothing ever is
        known = [] if self._epochs is None else [self._epochs.function]
        for function in (*known, self.several, self.one):
            if function.cache_info().currsize:
                with writer.as_default():
                    weft.summary.graph(function)
                return True
        return False

    def epochs(self) -> Epochs:
        """The same step as what walks whole data sets."""
        if self._epochs is None:
            self._epochs = Epochs(self._step)
        return self._epochs

    def _are_stacked(self, batches: list[Any]) -> bool:
        """Whether the batches are as many as an execution has, of the same shapes."""
        if len(batches) != self._count:
            return False
        first, *others = ([np.shape(array) for array in tree.flatten(batch)] for batch in batches)
        return all(shapes == first for shapes in others)

    def _mapped(self, batches: Any) -> Any:
        """The loop over stacked batches."""
        results = weft.map(self._step, batches)
        if not self._joined:
            return tree.map_structure(lambda rows: rows[-1], results)
        return tree.map_structure(lambda rows: np.reshape(rows, (-1, *rows.shape[2:])), results)

    def _run(self, function: Any, data: Any) -> Any:
        """Call a compiled function, or Python from now on where weft refuses the program."""
        if not self._is_compiled:
            return self._step(data)
        if not self._has_run:
            self._has_run = True
            if not self._is_built():  # what is not built by now is where it is used
                return self._step(data)
        try:
            result = function(data)
        except weft.WeftError as error:
            if not isinstance(error, weft.UnsupportedError) and self._is_known_to_run:
                raise  # it may come from the run, which has written variables by then
            return self._run_eagerly(data, error)
        self._is_known_to_run = True
        return result

    def _run_eagerly(self, data: Any, error: weft.WeftError) -> Any:
        """Run the step as Python from now on, as weft refuses it; raise the error where Python fails as well."""
        try:
            result = self._step(data)
        except Exception:
            raise error from None
        warnings.warn(
            f"the model runs eagerly, as weft cannot compile its step: {error}",
            weft.FallbackWarning,
            stacklevel=5,
        )
        self._is_compiled = False
        self.one = self._step
        return result


def _on_copies(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A step that leaves the arrays of the program as they are, where a layer or a loss writes `x += y`.

    To Keras arrays never change. Compiled code copies those alone that are written.
    """

    @functools.wraps(step)
    def on_copies(data: Any) -> Any:
        return step(tree.map_structure(lambda x: np.copy(x) if hasattr(x, "shape") else x, data))

    return on_copies


def _stacked(*arrays: Any) -> Any:
    return None if arrays[0] is None else np.stack(arrays)


def _concatenated(results: list[Any]) -> Any:
    if len(results) == 1:
        return results[0]
    return tree.map_structure(lambda *rows: np.concatenate(rows), *results)


class Epochs:
    """Walks a whole data set in one call, in which the pipeline and the loop are compiled."""

    def __init__(self, step: Callable[[Any], Any]) -> None:
        self._step = step
        self.function = weft.function(weft.autograph.convert(_walk))
        """The function of a step and a data set."""

    def __call__(self, datasets: list[Any]) -> Any:
        """What the step returns for the last batch; None where there is none."""
        count, logs = self.function(self._step, datasets[0])
        return logs if count else None


def _walk(step: Callable[[Any], Any], dataset: Any) -> Any:
    count, logs = 0, {}
    for batch in dataset:
        logs = step(batch)
        count += 1
    return count, logs


__all__ = ["Epochs", "Steps"]
