"""Summaries of values: numbers, histograms, pictures and texts, written when the program gets to them.

In a compiled function each is a call of Python when the function runs, in the order of the program, as `print` is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ..runtime_values.outside_traces import outside_traces
from ..runtime_values.values import Frozen
from ..signature.traced_value import held
from ..tracing.current import current_trace
from ..tracing.staging import host_call, trace_of
from .packages import messages, tensorboard
from .pictures import png
from .writers import Setting, records, setting_now, setting_of_trace


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> None:
    """Write a number under a name, for a step: a point of a curve, in single precision.

    Without a writer (`weft.summary.create_file_writer`) nothing is written. Raises `ValueError` for arrays of several
    elements and where nothing says which step it is, and `TypeError` for what is no real number.

    >>> import weft
    >>> weft.summary.scalar("loss", 0.25, step=1)
    """
    _record("scalar", name, data, step, lambda tag, value: _scalar(tag, value, description))


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> None:
    """Write how the elements of an array of any shape are distributed, in so many buckets (30).

    Raises `ValueError` for NaN and infinities, of which there is no histogram, and otherwise as `weft.summary.scalar`.

    >>> import weft
    >>> weft.summary.histogram("weights", [0.5, 1.5, 1.0], step=1)
    """
    _record("histogram", name, data, step, lambda tag, value: _histogram(tag, value, buckets, description))


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> None:
    """Write the first `max_outputs` pictures of an array of images, rows, columns and channels.

    There are 1 to 4 channels: grey, grey with opacity, red, green and blue, and these with opacity. Floats are from 0
    to 1, and are cut off there; `uint8` and `uint16` are written as they are. Raises `ValueError` for other shapes and
    `TypeError` for other dtypes.

    >>> import numpy as np
    >>> import weft
    >>> weft.summary.image("digits", np.zeros((2, 8, 8, 1)), step=1)
    """
    _record("image", name, data, step, lambda tag, value: _image(tag, value, max_outputs, description))


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> None:
    """Write a text in Markdown, or a table of texts: nested lists, or an array of strings.

    >>> import weft
    >>> weft.summary.text("note", "learning rate **halved**", step=1)
    """
    _record("text", name, data, step, lambda tag, value: _text(tag, value, description))


def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> None:
    """Write an array or a text with metadata, a `SummaryMetadata` of TensorBoard's, for a plugin of its.

    >>> import weft
    >>> weft.summary.write("mine", [1.0, 2.0], step=1)
    """
    _record("write", tag, tensor, step, lambda tag, value: _written(tag, value, metadata))


def _record(kind: str, name: Any, data: Any, step: Any, summary: Callable[[str, Any], Any]) -> None:
    """Write a summary, made of its name and its value: now, or when the program runs that is traced."""
    trace = trace_of((name, data, step)) or current_trace()
    said = setting_of_trace()
    step = held(said.step if step is None else step)
    if trace is None:
        _write(kind, setting_now(), name, held(data), step, summary)
        return
    frozen = Frozen(trace, (name, held(data), step, said.condition))
    thaw = frozen.thaw

    def write_at_run_time(*arrays: Any) -> None:
        tag, value, at, condition = thaw(arrays)
        now = Setting(said.writer, None, condition).inside(setting_now())
        _write(kind, now, tag, value, at, summary)

    host_call(trace, outside_traces(write_at_run_time, f"weft.summary.{kind}"), frozen.operands)


def _write(
    kind: str, setting: Setting, name: Any, data: Any, step: Any, summary: Callable[[str, Any], Any]
) -> None:
    if not records(setting):
        return
    assert setting.writer is not None
    if not isinstance(name, str):
        raise WeftTypeError(f"weft.summary.{kind}: a name is a text, and not {name!r}")
    number = _number(kind, name, setting.step if step is None else step)
    setting.writer.write_event(step=number, summary=summary(name, data))


def _number(kind: str, name: str, step: Any) -> int:
    """A step as an integer."""
    if step is None:
        raise WeftValueError(
            f"weft.summary.{kind}({name!r}): nothing says which step it is: give step=, or write "
            "`with writer.as_default(step):`"
        )
    try:
        return operator.index(np.asarray(held(step))[()])
    except TypeError:
        raise WeftTypeError(
            f"weft.summary.{kind}({name!r}): a step is an integer, and not {step!r}"
        ) from None


def _reals(kind: str, name: str, data: Any) -> np.ndarray[Any, Any]:
    """Real numbers, as an array that NumPy's functions know."""
    array = np.asarray(data)
    if array.dtype.kind in "biuf":
        return array
    try:
        if array.dtype.kind == "V":  # bfloat16 and others of ml_dtypes
            return array.astype(np.float32)
    except (TypeError, ValueError):
        pass
    raise WeftTypeError(
        f"weft.summary.{kind}({name!r}) is of real numbers, and the data are of dtype {array.dtype}"
    )


def _scalar(name: str, data: Any, description: str | None) -> Any:
    array = _reals("scalar", name, data)
    if array.ndim:
        raise WeftValueError(
            f"weft.summary.scalar({name!r}) is of one number, and the data have the shape {array.shape}; "
            "weft.summary.histogram is for many"
        )
    return tensorboard("plugins.scalar.summary_v2").scalar_pb(name, array.astype(np.float32), description)


def _histogram(name: str, data: Any, buckets: int | None, description: str | None) -> Any:
    array = _reals("histogram", name, data).astype(np.float64)
    strange = int(np.count_nonzero(~np.isfinite(array)))
    if strange:
        raise WeftValueError(
            f"weft.summary.histogram({name!r}): {strange} of {array.size} elements are NaN or infinite, of which there "
            "is no histogram; write that of x[np.isfinite(x)]"
        )
    return tensorboard("plugins.histogram.summary_v2").histogram_pb(name, array, buckets, description)


def _image(name: str, data: Any, max_outputs: int, description: str | None) -> Any:
    pixels = _pixels(name, data)[: max(max_outputs, 0)]
    height, width = pixels.shape[1:3]
    texts = [str(width).encode(), str(height).encode(), *(png(picture) for picture in pixels)]
    metadata = tensorboard("plugins.image.metadata").create_summary_metadata(
        display_name=None, description=description
    )
    return _of_tensor(name, np.array(texts, dtype=np.object_), metadata)


def _pixels(name: str, data: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(data)
    if array.ndim != 4 or not 1 <= array.shape[3] <= 4 or 0 in array.shape[1:3]:
        raise WeftValueError(
            f"weft.summary.image({name!r}): the shape is images, rows, columns and 1 to 4 channels, and not "
            f"{array.shape}; one picture x is x[None], a grey one x[None, ..., None]"
        )
    if array.dtype in (np.uint8, np.uint16):
        return array
    array = _reals("image", name, array)
    if array.dtype.kind == "b":
        return np.where(array, 255, 0).astype(np.uint8)
    if array.dtype.kind != "f":
        raise WeftTypeError(
            f"weft.summary.image({name!r}): pixels are uint8, uint16, or floats from 0 to 1, and not {array.dtype}"
        )
    scaled = np.nan_to_num(np.clip(array.astype(np.float64), 0.0, 1.0)) * 255.5
    return scaled.astype(np.uint8)  # which cuts off: all 256 values have equal parts


def _text(name: str, data: Any, description: str | None) -> Any:
    array = np.asarray(data, dtype=np.object_)
    if not all(isinstance(one, (str, bytes)) for one in array.flat):
        raise WeftTypeError(f"weft.summary.text({name!r}) is of texts, and not of {data!r}")
    return tensorboard("plugins.text.summary_v2").text_pb(name, array, description)


def _written(tag: str, tensor: Any, metadata: Any) -> Any:
    array = np.asarray(tensor)
    return _of_tensor(tag, array.astype(np.object_) if array.dtype.kind in "US" else array, metadata)


def _of_tensor(tag: str, array: np.ndarray[Any, Any], metadata: Any) -> Any:
    found = messages("summary").Summary()
    tensor = tensorboard("util.tensor_util").make_tensor_proto(array)
    found.value.add(tag=tag, metadata=metadata, tensor=tensor)
    return found
