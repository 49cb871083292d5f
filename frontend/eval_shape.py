"""`weft.eval_shape`: the types of what a function would return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend.gpu.devices.on_device import ARRAYS
from ..dialect.errors import WeftTypeError
from .calls.concrete_signature import spec_of, specs_of
from .calls.traced_alone import traced_alone
from .function import Function
from .runtime_values.result_spec import ConstantResult
from .signature.signature import TensorSpec, with_own_specs
from .tracing.array import TracedArray
from .tracing.questions import static_shape


def eval_shape(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """The shapes and dtypes of what a function returns, which is traced, but not compiled and not run.

    Arguments are `weft.TensorSpec`s, in which None stands for any extent, arrays, of which only the types count, and
    Python's values, in nested containers. Returned is what the function would return, with a `TensorSpec` in the place
    of each array and number that is computed, and Python's values that are known as they are; what has no one type is
    told in words. Raises what tracing raises. State stays as it was.

    >>> def layer(x, w, b):
    ...     return {"y": x @ w + b, "n": len(w)}
    >>> weft.eval_shape(layer, weft.TensorSpec([None, 3], "float32"), np.ones((3, 2), "float32"), np.float32(0))
    {'y': TensorSpec(shape=(None, 2), dtype=float32), 'n': 3}
    """
    from .calls.result_types import type_of_result

    if not callable(function):
        raise WeftTypeError(f"eval_shape takes a function, not {function!r}")
    made: Any = function if isinstance(function, Function) else Function(function, None, None)
    arguments = made._parameters.bind(args, kwargs)
    leaves = with_own_specs(list(map(_described, arguments.leaves)))
    signature = made._signature_of(arguments._replace(leaves=leaves))
    with traced_alone(made, signature, leaves) as (trace, recorded):
        types = [*signature.types, *(extra.type for extra in trace.extra)]
    found = recorded.portable_result.leaves

    def spec(place: int) -> Any:
        leaf = found[place]
        if isinstance(leaf, ConstantResult):
            return leaf.value
        return spec_of(type_of_result(leaf, recorded.computed_types, types))

    return specs_of(recorded.portable_result.structure, spec)


def _described(leaf: Any) -> Any:
    """The type of an array that is passed, which may be of a function that is traced around this one."""
    is_array: bool = isinstance(leaf, (TracedArray, *ARRAYS))
    return TensorSpec(static_shape(leaf), leaf.dtype) if is_array else leaf
