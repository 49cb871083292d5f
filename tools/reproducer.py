"""Reproducers: the input of a run together with its pipeline, in the format of mlir-opt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..dialect.errors import WeftValueError
from ..dialect.records import dataclass
from ..passes.managers import module_pipeline
from ..passes.pipeline import Step
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


@dataclass
class Reproducer:
    """Writes a reproducer, and removes it again unless the `with` block was left by an exception or sets `failed`.

    A crash ends the process inside the block, so the file stays. Without a path, nothing is written.
    """

    path: str
    source: Source
    steps: Sequence[Step]
    verify_each: bool
    failed: bool = False
    stays: bool = False
    """Whether it is kept in any case."""

    def __enter__(self) -> Reproducer:
        self.begin_emission([])
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.path and kind is None and not self.failed and not self.stays:
            Path(self.path).unlink()

    def begin_emission(self, pipelines: Sequence[str]) -> None:
        """Add what follows the pipeline that was asked for: other pipelines, by their names."""
        if not self.path:
            return
        pipeline = module_pipeline([*(step.text for step in self.steps), *pipelines])
        escaped = pipeline.replace("\\", "\\\\").replace('"', '\\"')
        verify_each = str(self.verify_each).lower()
        text = _TEMPLATE.format(text=self.source.text, pipeline=escaped, verify_each=verify_each)
        Path(self.path).write_text(text, encoding="utf-8")


def read_reproducer(source: Source) -> tuple[Source, str]:
    """The input and the pipeline that a reproducer holds; raises `WeftValueError` when it is none."""
    found = _PIPELINE.search(source.text)
    if found is None:
        raise WeftValueError(f"{source.name} holds no pipeline: it is not a reproducer")
    pipeline = re.sub(r"\\(.)", r"\1", found[1])
    return Source(source.name, _METADATA.sub("\n", source.text)), pipeline
