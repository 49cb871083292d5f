"""`weft.summary`: what TensorBoard shows of programs, written from plain Python and from compiled functions alike.

The names are those of `tf.summary`. It needs the package `tensorboard`, which `pip install "weft[tensorboard]"` brings
along, and no TensorFlow.
"""

from ...dialect.imports import names_on_first_use

_NAMES = {
    ".graphs": "graph",
    ".summaries": "histogram image scalar text write",
    ".writers": "SummaryWriter create_file_writer flush get_step record_if set_step should_record_summaries",
}
"""What is here, by module; all of it is loaded on first use."""

__getattr__, __dir__, __all__ = names_on_first_use(globals(), _NAMES)
