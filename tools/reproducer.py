"""Reproducers: the input of a run together with its pipeline, in the format of mlir-opt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..dialect.errors import WeftValueError
from .inputs import Source

_TEMPLATE = """\
{text}
{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "{pipeline}",
      disable_threading: true,
      verify_each: {verify_each}
    }}
  }}
#-}}
"""
_METADATA = re.compile(r"\n\{-#.*#-\}\s*$", re.DOTALL)
_PIPELINE = re.compile(r'mlir_reproducer:\s*\{[^}]*?pipeline:\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)


@contextmanager
def reproducer(path: str, source: Source, pipeline: str, verify_each: bool) -> Iterator[list[bool]]:
    """Write a reproducer, and remove it again unless the block was left by an exception or sets the flag.

    A crash ends the process inside the block, so the file stays. The flag is the first entry of the list that
    the context manager gives. Without a path, nothing is written.
    """
    failed = [False]
    if not path:
        yield failed
        return
    escaped = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    text = _TEMPLATE.format(text=source.text, pipeline=escaped, verify_each=str(verify_each).lower())
    Path(path).write_text(text, encoding="utf-8")
    yield failed
    if not failed[0]:
        Path(path).unlink()


def read_reproducer(source: Source) -> tuple[Source, str]:
    """The input and the pipeline that a reproducer holds; raises `WeftValueError` when it is none."""
    found = _PIPELINE.search(source.text)
    if found is None:
        raise WeftValueError(f"{source.name} holds no pipeline: it is not a reproducer")
    pipeline = re.sub(r"\\(.)", r"\1", found[1])
    return Source(source.name, _METADATA.sub("\n", source.text)), pipeline
