"""`fit`, `evaluate` and `predict`: steps that are compiled functions and write the variables of a model in place."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from keras.src import backend, tree
from keras.src import callbacks as callbacks_module
from keras.src import optimizers as optimizers_module
from keras.src.backend import config
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing, data_adapter_utils
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import pythonify_logs

import weft

from .data import Batches, WholeEpochs, batches_of
from .export import with_formats
from .steps import Steps
from .targets import require_targets, shapes_that_differ


class WeftTrainer(base_trainer.Trainer):
    """The training loops of `keras.Model`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "export" in cls.__dict__ and cls.__module__ == "keras.src.models.model":
            cls.export = with_formats(cls.export)

    def __init__(self) -> None:
        super().__init__()
        self.train_function: Steps | None = None
        self.test_function: Steps | None = None
        self.predict_function: Steps | None = None
        self._eval_epoch_iterator: Batches | None = None

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """As Keras's. Raises `weft.UnsupportedError` where a layer adds losses in a loop that arrays decide.

        Raises ValueError where there is a loss, and nothing to compare with, or nothing that fits an output.
        """
        require_targets(self, y)
        try:
            return super().compute_loss(x, y, y_pred, sample_weight, training)
        except (weft.LeakedArrayError, weft.UnsupportedError) as error:
            layers = self._flatten_layers()
            of = next((layer for layer in layers if not isinstance(layer._losses, list)), None)
            if of is None:
                raise
            raise weft.UnsupportedError(
                f"the layer {of.name!r} calls add_loss in a branch or loop that is decided when the program runs, so "
                "that how many losses there are is not known: add them up in a variable, which is 0 in front of it, "
                f"and call add_loss once behind it. {error}"
            ) from None
        except ValueError as error:
            told = shapes_that_differ(self, y, y_pred) if "shape" in str(error) else ""
            if not told:
                raise
            raise ValueError(f"{told}: {str(error).strip()}") from None

    # Steps: programs may write their own, with `weft.GradientTape`

    def train_step(self, data: Any) -> Any:
        """Learn from a batch: forward, loss, gradient, optimizer, metrics."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        with weft.GradientTape() as tape:
            y_pred = self._predicted(x, training=True)
            loss = self._loss_of(x, y, y_pred, sample_weight, training=True)
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
        if self.trainable_weights:
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> Any:
        """Look at a batch: forward, loss, metrics."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self._predicted(x, training=False)
        self._loss_of(x, y, y_pred, sample_weight, training=False)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """What the model says of a batch."""
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self._predicted(x, training=False)

    def _predicted(self, x: Any, training: bool) -> Any:
        return self(x, training=training) if self._call_has_training_arg else self(x)

    def _loss_of(self, x: Any, y: Any, y_pred: Any, sample_weight: Any, training: bool) -> Any:
        """The loss of a batch, of which the mean is kept."""
        loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=training)
        rows = next(array for array in tree.flatten(x) if array is not None).shape[0]
        self._loss_tracker.update_state(loss, sample_weight=rows)
        return loss

    # Functions of steps

    def make_train_function(self, force: bool = False) -> Steps:
        """The function that `fit` calls with a list of batches."""
        if self.train_function is None or force:
            self.train_function = self._steps("train_step")
        return self.train_function

    def make_test_function(self, force: bool = False) -> Steps:
        """The function that `evaluate` calls with a list of batches."""
        if self.test_function is None or force:
            self.test_function = self._steps("test_step")
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Steps:
        """The function that `predict` calls with a list of batches."""
        if self.predict_function is None or force:
            self.predict_function = self._steps("predict_step", joined=True)
        return self.predict_function

    def _steps(self, name: str, joined: bool = False) -> Steps:
        is_compiled = self.jit_compile and not self.run_eagerly
        step = self._from_lists(getattr(self, name))
        return Steps(step, self.steps_per_execution, is_compiled, joined, self._is_built)

    def _from_lists(self, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A step that begins with the lists that layers add losses to, whatever a trace that was given up has left."""

        @functools.wraps(step)
        def begun(data: Any) -> Any:
            for layer in self._flatten_layers():
                if not isinstance(layer._losses, list):
                    layer._losses, layer._loss_ids = [], set()
            return step(data)

        return begun

    # Loops

    @traceback_utils.filter_traceback
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
    ) -> Any:
        """Train for a number of epochs; see `keras.Model.fit`."""
        self._assert_compile_called("fit")
        epochs = _capped(epochs)
        self._eval_epoch_iterator = None
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        batches = batches_of(
            x,
            y,
            sample_weight,
            class_weight,
            shuffle,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            steps_per_execution=self.steps_per_execution,
        )
        validate = _Validation(
            self, validation_data, validation_batch_size or batch_size, validation_steps, validation_freq
        )
        return self._fitted(batches, self._train_steps, callbacks, verbose, initial_epoch, epochs, validate)

    def _fitted(
        self,
        batches: Any,
        train: Callable[[list[Any]], Any],
        callbacks: Any,
        verbose: Any,
        initial_epoch: int,
        epochs: int,
        validate: _Validation,
    ) -> Any:
        """Train on what an iterator gives for each epoch."""
        self._build_on_first(batches, "train_step")
        callbacks = self._callback_list(callbacks, verbose, epochs, batches, add_history=True)
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        epoch_logs: dict[str, Any] | None = None
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            logs = _last(self._walk(batches, train, callbacks, "train", "stop_training"))
            if logs is None:
                _require_later("fit", epoch > (self._initial_epoch or initial_epoch))
            epoch_logs = dict(self._get_metrics_result_or_logs(logs or {}))
            epoch_logs.update(validate(epoch, callbacks))
            callbacks.on_epoch_end(epoch, epoch_logs)
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers_module.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        callbacks.on_train_end(logs=epoch_logs)
        return self.history

    def _train_steps(self, batches: list[Any]) -> Any:
        """Learn from batches, by the function of now: a callback may have made another one."""
        return self.make_train_function()(batches)

    def _walk(
        self, batches: Any, run: Callable[[list[Any]], Any], callbacks: Any, kind: str, flag: str
    ) -> Iterator[Any]:
        """What is returned for each execution of one walk over the data, until a callback sets the flag."""
        on_begin = getattr(callbacks, f"on_{kind}_batch_begin")
        on_end = getattr(callbacks, f"on_{kind}_batch_end")
        for begin, end, data in batches:
            on_begin(begin)
            made = run(data)
            on_end(end, {"outputs": made} if kind == "predict" else made)
            yield made
            if getattr(self, flag):
                break

    @traceback_utils.filter_traceback
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The loss and the metrics on data; see `keras.Model.evaluate`."""
        self._assert_compile_called("evaluate")
        use_cached = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        batches = self._eval_epoch_iterator if use_cached else None
        if batches is None:
            batches = batches_of(
                x,
                y,
                sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps,
                steps_per_execution=self.steps_per_execution,
            )
            if use_cached:
                self._eval_epoch_iterator = batches
        self._build_on_first(batches, "test_step")
        callbacks = self._callback_list(callbacks, verbose, 1, batches)
        test = self.make_test_function()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        self.reset_metrics()
        logs = _last(self._walk(batches, test, callbacks, "test", "stop_evaluating"))
        if logs is None:
            _require_later("evaluate", False)
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs))
        callbacks.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """What the model says of data; see `keras.Model.predict`."""
        batches = batches_of(
            x,
            batch_size=batch_size,
            steps_per_epoch=steps,
            steps_per_execution=self.steps_per_execution,
        )
        if not self._is_built():
            self._build_on_first(batches, "predict_step")
        callbacks = self._callback_list(callbacks, verbose, 1, batches)
        predict = self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        outputs = list(self._walk(batches, predict, callbacks, "predict", "stop_predicting"))
        callbacks.on_predict_end()
        if not outputs:
            _require_later("predict", False)
        return tree.map_structure(lambda *rows: np.concatenate(rows), *outputs)

    def _callback_list(self, callbacks: Any, verbose: Any, epochs: int, batches: Any, **options: Any) -> Any:
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        return callbacks_module.CallbackList(
            callbacks,
            add_progbar=verbose != 0,
            verbose=verbose,
            epochs=epochs,
            steps=batches.num_batches,
            model=self,
            **options,
        )

    def _build_on_first(self, batches: Any, name: str) -> None:
        """Make the variables that are still to be made, by the types of the first batch."""
        if self._is_built() and self._are_metrics_built():
            self._post_build()
            return
        spec = getattr(batches.data_adapter, "spec", None)
        if spec is None:
            for _, _, data in batches:
                spec = data[0]
                break
            batches.reset()
        self._build_for(spec, name)

    def _build_for(self, spec: Any, name: str) -> None:
        """Make variables by the types of a batch, unless the program has written the step.

        Then it need not have written `call`, and the first batch makes the variables: its step runs as Python.
        """
        if getattr(type(self), name) is not getattr(WeftTrainer, name) or spec is None:
            return
        x, y, _ = data_adapter_utils.unpack_x_y_sample_weight(spec)
        if self.compiled and name != "predict_step":
            require_targets(self, y)
            self._symbolic_build(data_batch=spec)
            return
        backend.compute_output_spec(self, tree.map_structure(_symbolic, x))

    def _is_built(self) -> bool:
        return all(layer.built for layer in self._flatten_layers())

    def _are_metrics_built(self) -> bool:
        return all(part is None or part.built for part in (self._compile_metrics, self._compile_loss))

    # Single batches

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """Learn from one batch; see `keras.Model.train_on_batch`."""
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same time. "
                    f"Received: sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        return self._on_batch("train_step", self.make_train_function, (x, y, sample_weight), return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """The loss and the metrics of one batch; see `keras.Model.test_on_batch`."""
        self._assert_compile_called("test_on_batch")
        return self._on_batch("test_step", self.make_test_function, (x, y, sample_weight), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """What the model says of one batch; see `keras.Model.predict_on_batch`."""
        return tree.map_structure(backend.convert_to_numpy, self.make_predict_function()([(x,)]))

    def _on_batch(self, name: str, make: Callable[[], Steps], data: Any, return_dict: bool) -> Any:
        data = tree.map_structure(lambda x: x if x is None else np.asarray(x), data)
        if not all(len(x) for x in tree.flatten(data[0]) if x is not None and x.ndim):
            raise ValueError(f"`{name.removesuffix('_step')}_on_batch` got a batch without rows")
        if not (self._is_built() and self._are_metrics_built()):
            self._build_for(data, name)
        step = make()
        self.reset_metrics()
        logs = pythonify_logs(step([data]))
        return logs if return_dict else self._flatten_metrics_in_order(logs)


def fit_in_graph(
    model: Any,
    dataset: Any,
    epochs: int = 1,
    *,
    verbose: Any = 0,
    callbacks: Any = None,
    validation_data: Any = None,
    validation_freq: Any = 1,
    initial_epoch: int = 0,
) -> Any:
    """Train as `model.fit(dataset, epochs=epochs)` does, with each epoch as one compiled call; returns its history.

    `dataset` is a `weft.data.Dataset` of batches (x, y) or (x, y, sample_weight), whose pipeline is compiled into the
    loop. Callbacks see an epoch as one execution, as with `steps_per_execution`: their methods for batches are called
    once. Raises TypeError for other data, ValueError for a model that runs eagerly.
    """
    model._assert_compile_called("fit_in_graph")
    if not isinstance(dataset, weft.data.Dataset):
        raise TypeError(
            f"fit_in_graph takes a weft.data.Dataset, not {type(dataset).__name__}: use model.fit"
        )
    if model.run_eagerly or not model.jit_compile:
        raise ValueError(
            "fit_in_graph compiles epochs, and the model was compiled to run eagerly: use model.fit"
        )
    model._eval_epoch_iterator = None
    validate = _Validation(model, validation_data, None, None, validation_freq)
    train = model.make_train_function().epochs()
    return model._fitted(
        WholeEpochs(dataset), train, callbacks, verbose, initial_epoch, _capped(epochs), validate
    )


class _Validation:
    """What `fit` finds on data that it does not learn from."""

    def __init__(self, model: Any, data: Any, batch_size: int | None, steps: int | None, every: Any) -> None:
        self.model, self.batch_size, self.steps, self.every = model, batch_size, steps, every
        self.data = None if data is None else data_adapter_utils.unpack_x_y_sample_weight(data)

    def __call__(self, epoch: int, callbacks: Any) -> dict[str, Any]:
        """The logs of an epoch, which are none in those between."""
        if self.data is None or not self.model._should_eval(epoch, self.every):
            return {}
        x, y, sample_weight = self.data
        logs = self.model.evaluate(
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=self.batch_size,
            steps=self.steps,
            callbacks=callbacks,
            return_dict=True,
            _use_cached_eval_dataset=True,
        )
        return {f"val_{name}": value for name, value in logs.items()}


def _symbolic(array: Any) -> Any:
    if array is None:
        return None
    return backend.KerasTensor(array.shape, backend.standardize_dtype(array.dtype))


def _last(logs: Iterator[Any]) -> Any:
    """What comes last, of logs of executions; None where there is none."""
    last: Any = None
    for made in logs:
        last = made
    return last


def _require_later(method: str, is_later: bool) -> None:
    """Refuse data without a batch; of an iterator whose items an epoch before has used up, Keras has warned."""
    if not is_later:
        raise ValueError(f"`{method}` got no batch of data: x has no rows, or its iterator is exhausted")


def _capped(epochs: int) -> int:
    """A number of epochs, made smaller where the settings of Keras say so."""
    most = config.max_epochs()
    if not most or most >= epochs:
        return epochs
    warnings.warn(f"Limiting epochs to {most}", stacklevel=3)
    return int(most)


__all__ = ["WeftTrainer", "fit_in_graph"]
