"""A model as a function: what is compiled are its nodes, and its weights are data beside the arguments."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ....backend.cpu.dispatch.objects import mark_callable
from ....dialect.errors import WeftTypeError, WeftValueError
from ....dialect.types import compatible_shapes
from ...artifacts.recorded_function import placeholder
from ...calls.concrete import ConcreteFunction
from ...compiling.program import CallSignature
from ...function import Function
from ...guards.handles import Item, Owner
from ...guards.inputs import Decisions
from ...signature.signature import TensorSpec
from ...tracing.array import TracedArray
from ...tracing.current import current_trace
from ...tracing.extents import known_shape
from ...tracing.trace import Trace
from .evaluation import Evaluation
from .graphs import Graph, Value, shown
from .sizes import as_array


class OnnxFunction(Function[..., Any]):
    """A function that `weft.onnx.load` made of a model: compiled, differentiated, saved like any other."""

    weights: dict[str, np.ndarray[Any, Any]]
    """The model's arrays of floats by name, read at each call; an entry may be replaced by one of its type."""
    input_names: tuple[str, ...]
    """What the model calls its inputs, in the order of the arguments."""
    output_names: tuple[str, ...]
    """What the model calls its outputs, in the order of the results."""

    def __init__(
        self,
        name: str,
        graph: Graph,
        inputs: Sequence[Value],
        weights: dict[str, np.ndarray[Any, Any]],
        evaluation: Evaluation,
        doc: str,
    ) -> None:
        self._graph = graph
        self._inputs = tuple(inputs)
        self._evaluation = evaluation
        parameters = _parameters(inputs)
        super().__init__(placeholder(name, parameters, self._evaluated), None, name)
        self._source = placeholder(name, parameters)
        self.weights = weights
        self._types = [Value(key, array.dtype, array.shape, True) for key, array in weights.items()]
        self.input_names = tuple(value.name for value in inputs)
        self.output_names = tuple(value.name for value in graph.outputs)
        self.__doc__ = doc

    def apply(self, weights: Mapping[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        """What the model gives with other weights: a function of these, by which they are differentiated.

        `weights` has an array for some or all of the names in `self.weights`; the others are as they are. Raises
        `ValueError` for names that the model has not, and for other shapes.
        """
        unknown = [name for name in weights if name not in self.weights]
        if unknown:
            raise WeftValueError(
                f"{self.name} has no weights of these names: {', '.join(map(repr, unknown))}"
            )
        for value in self._types:
            if value.name in weights:
                shape = _shape_of(weights[value.name])
                if not compatible_shapes(value.sizes or (), shape):
                    raise WeftValueError(
                        f"{self.name}: the weights {value.name!r} have the shape {value.shape}, not {shape}"
                    )
        return self._run(self._inputs_of(args, kwargs), {**self._own_weights(), **weights})

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The specialisation for example arguments; without any, for the types that the model says its inputs have."""
        if not args and not kwargs and self._inputs:
            args = tuple(self._spec(value) for value in self._inputs)
        return super().get_concrete_function(*args, **kwargs)

    def _spec(self, value: Value) -> TensorSpec:
        if value.dtype is None or value.sizes is None:
            raise WeftValueError(
                f"{self.name} does not say which type its input {value.name!r} has: pass a weft.TensorSpec for each"
            )
        return TensorSpec(value.sizes, value.dtype)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{value.name}: {shown(value)}" for value in self._inputs)
        return f"<weft.function {self.name}({inputs}) of a model of ONNX>"

    def __reduce__(self) -> NoReturn:
        raise WeftTypeError(f"{self.name} comes from a model of ONNX: load the model in the other process")

    # From a call to a program

    def _compiled(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> ConcreteFunction:
        """Compile: its source is no Python, which the disk cache could compare."""
        program, _ = self._traced(signature, leaves, decisions)
        return ConcreteFunction(signature, program, self)

    def _traced_function(self) -> Callable[..., Any]:
        return self._evaluated

    def _evaluated(self, *args: Any, **kwargs: Any) -> Any:
        """The results for arrays, which are computed, or traced arrays, for which they are recorded."""
        return self._run(self._inputs_of(args, kwargs), self._own_weights())

    def _own_weights(self) -> dict[str, Any]:
        """The weights; in a trace what stands for them, as they are read at each call."""
        weights = {value.name: self._weight(value) for value in self._types}
        trace = current_trace()
        if not isinstance(trace, Trace) or trace.python_state is None:
            return weights
        owner = Owner(f"the weights of {self.name}", self.weights)
        return {
            name: trace.python_state.stand_in(Item(name, owner, name), array)
            for name, array in weights.items()
        }

    def _weight(self, value: Value) -> np.ndarray[Any, Any]:
        """The array that is in the place of a weight, if it has its type."""
        array = self.weights.get(value.name)
        if not isinstance(array, np.ndarray) or (array.dtype, array.shape) != (value.dtype, value.shape):
            given = f"{array!r:.60}"
            if isinstance(array, np.ndarray):
                given = shown(Value("", array.dtype, array.shape, True))
            raise WeftTypeError(f"{self.name}: the weights {value.name!r} are {shown(value)}, not {given}")
        return array

    def _inputs_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by the names of the model's inputs."""
        bound = self._parameters.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = zip(self._inputs, bound.arguments.values(), strict=True)
        return {value.name: checked(self.name, value, argument) for value, argument in given}

    def _run(self, inputs: Mapping[str, Any], weights: Mapping[str, Any]) -> Any:
        """The results: one array, or a tuple of them."""
        outer = {**weights, **inputs}
        results = [as_array(found) for found in self._evaluation.graph(self._graph, (), outer, {})]
        return results[0] if len(results) == 1 else tuple(results)


mark_callable(OnnxFunction, is_method=True)


def _shape_of(value: Any) -> tuple[int | None, ...]:
    return known_shape(value) if isinstance(value, TracedArray) else np.shape(value)


def checked(function: str, value: Value, argument: Any) -> Any:
    """An argument, if it has the type that the model says."""
    if not value.is_tensor:
        return argument
    if not isinstance(argument, (np.ndarray, TracedArray, np.generic)):
        argument = np.asarray(argument)
        if value.dtype is not None and np.can_cast(argument.dtype, value.dtype, "same_kind"):
            argument = argument.astype(value.dtype)
    shape = _shape_of(argument)
    same_dtype = value.dtype is None or argument.dtype == value.dtype
    if not same_dtype or (value.sizes is not None and not compatible_shapes(value.sizes, shape)):
        given = shown(Value(value.name, argument.dtype, tuple(shape), True))
        kind = WeftValueError if same_dtype else WeftTypeError
        raise kind(f"{function}: the input {value.name!r} is {shown(value)}, not {given}")
    return argument


def _parameters(inputs: Sequence[Value]) -> list[inspect.Parameter]:
    """A parameter for each input, of its name if Python can have that."""
    names: list[str] = []
    for number, value in enumerate(inputs):
        name = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in value.name)
        if not name.isidentifier():
            name = f"input_{name}" if name else f"input_{number}"
        while name in names or keyword.iskeyword(name):
            name += "_"
        names.append(name)
    return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
