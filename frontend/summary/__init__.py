"""`weft.summary`: what TensorBoard shows of programs, written from plain Python and from compiled functions alike.

The names are those of `tf.summary`. It needs the package `tensorboard`, which `pip install "weft[tensorboard]"` brings
along, and no TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect.imports import names_on_first_use

if TYPE_CHECKING:
    from .graphs import graph
    from .summaries import histogram, image, scalar, text, write
    from .writers import (
        SummaryWriter,
        create_file_writer,
        flush,
        get_step,
        record_if,
        set_step,
        should_record_summaries,
    )

_EXPORTS = {
    "SummaryWriter": ".writers",
    "create_file_writer": ".writers",
    "flush": ".writers",
    "get_step": ".writers",
    "graph": ".graphs",
    "histogram": ".summaries",
    "image": ".summaries",
    "record_if": ".writers",
    "scalar": ".summaries",
    "set_step": ".writers",
    "should_record_summaries": ".writers",
    "text": ".summaries",
    "write": ".summaries",
}
"""What is here, by module; all of it is loaded on first use."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_first_use(globals(), _EXPORTS)

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "flush",
    "get_step",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "set_step",
    "should_record_summaries",
    "text",
    "write",
]
