"""`weft-opt --bisect=SCRIPT`: which pass of a pipeline, and which rewrite in it, makes a script fail on the IR."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..dialect.errors import WeftValueError
from ..dialect.mlir import Module, ir
from ..passes.base import Counting
from ..passes.pipeline import Step, make_pass, run_pipeline
from .catalogue import all_passes
from .options import Options
from .scripts import Script

_LIMITED_UPSTREAM = frozenset({"canonicalize"})
"""Upstream's passes that have the option max-num-rewrites."""


class _Enough(Exception):
    """As many rewrites were done as are wanted."""


class _Limited(Counting):
    """Statistics of a pass that end it when it has counted some changes."""

    def __init__(self, limit: int | None) -> None:
        super().__init__()
        self.limit = limit
        self.names: list[str] = []

    def counted(self, what: str, more: int) -> None:
        self.names += [what] * more
        if self.limit is not None and len(self.names) >= self.limit:
            raise _Enough


@dataclass(frozen=True)
class Rewrites:
    """The IR before a pass, of which the first few rewrites can be done alone."""

    before: str
    step: Step

    def after(self, limit: int) -> str | None:
        """The IR after some rewrites; None where it is no valid IR."""
        module = ir.Module.parse(self.before)
        if self.step.name in all_passes():
            with contextlib.suppress(_Enough):
                make_pass(self.step, all_passes()).run(module, _Limited(limit))
            run_pipeline(module, [Step("trivial-dce")])  # what a pass does at its end
        else:
            # MLIR counts anew in each iteration: these are the rewrites of the first.
            options = f"{self.step.options} max-iterations=1 max-num-rewrites={limit}".strip()
            run_pipeline(module, [Step(self.step.name, options, self.step.anchors)], passes=all_passes())
        with module.context.attach_diagnostic_handler(lambda _: True):  # of what is half done
            try:
                module.operation.verify()
            except ir.MLIRError:
                return None
        return text_of(module)

    def names(self) -> list[str]:
        """What the rewrites of the pass are called, one after the other; empty where they cannot be done alone."""
        if self.step.name in all_passes():
            statistics = _Limited(None)
            make_pass(self.step, all_passes()).run(ir.Module.parse(self.before), statistics)
            return statistics.names
        if self.step.name not in _LIMITED_UPSTREAM or "max-" in self.step.options:
            return []
        count, found = 1, self.after(1)
        while (further := self.after(2 * count)) != found:
            count, found = 2 * count, further
        count = first_failing(count, lambda number: self.after(number) == found)
        return [_A_PATTERN] * count + ["iterations behind the first"]

    def pattern(self, wanted: str) -> str:
        """Which pattern of MLIR makes this IR by the first rewrite, as far as that can be told.

        MLIR leaves patterns out by their names, which its library holds: the first half of them, and so on.
        """
        names = pattern_names()

        def misses(count: int) -> bool:
            options = f"{self.step.options} disable-patterns={{{','.join(names[:count])}}}".strip()
            return replace(self, step=replace(self.step, options=options)).after(1) != wanted

        if "patterns" in self.step.options or misses(0) or not misses(len(names)):
            return _A_PATTERN
        return f"{_A_PATTERN}, {names[first_failing(len(names), misses) - 1].rpartition('}::')[2]}"


_A_PATTERN = "a pattern of MLIR"


@cache
def pattern_names() -> list[str]:
    """The names of classes in MLIR's library, patterns among them, but for those that options cannot say."""
    texts = [path.read_bytes() for path in Path(ir.__file__).parent.glob("_mlir_libs/*CAPI*")]
    found = (name for text in texts for name in re.findall(rb"DesiredTypeName = ([\w:{}<> ()]+)\]", text))
    return sorted({name.decode() for name in found})


def text_of(module: Module) -> str:
    """A module with its locations, as text that is read again."""
    text: str = module.operation.get_asm(enable_debug_info=True)
    return text


def first_failing(count: int, fails: Callable[[int], bool]) -> int:
    """The least number from 1 to `count` that fails, where those below do not and those from it on do.

    >>> first_failing(100, lambda number: number >= 37)
    37
    """
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(middle) else (middle, high)
    return high


@dataclass
class Bisection:
    """Looks for the pass and the rewrite after which a script fails."""

    script: Script
    options: Options
    shown: Callable[[Module, Options], str]
    """How IR is written for the script."""

    def report(self, module: Module, steps: Sequence[Step]) -> Iterator[str]:
        """Lines that tell what was found.

        Raises `WeftValueError` where there is nothing to find, and `PassError` where a pass fails by itself.
        """
        if not steps:
            raise WeftValueError("--bisect needs passes: flags or --pass-pipeline")
        texts = [text_of(module)]
        for step in steps:
            run_pipeline(module, [step], passes=all_passes(), verify=self.options.verify_each)
            texts.append(text_of(module))
        self._require_ends(texts, len(steps))
        number = first_failing(len(steps), lambda n: self._fails(texts[n]))
        step = steps[number - 1]
        yield f"the pass is {number} of {len(steps)}: {step.text}"
        yield from self._report_rewrite(Rewrites(texts[number - 1], step), texts[number])
        self.before = self._shown(texts[number - 1])

    before: str = ""
    """The IR before the pass that was found."""

    def _require_ends(self, texts: Sequence[str], count: int) -> None:
        before = self.script.judge(self._shown(texts[0]))
        if before.fails:
            raise WeftValueError(
                f"--bisect: {self.script.command} fails on the input already, before any pass ({before}): "
                f"{before.output.strip()[-500:]}"
            )
        if not self._fails(texts[-1]):
            raise WeftValueError(
                f"--bisect: {self.script.command} does not fail after all {count} passes, so there is none to find"
            )

    def _report_rewrite(self, rewrites: Rewrites, whole: str) -> Iterator[str]:
        names = rewrites.names()
        after = {0: rewrites.before, len(names): whole}

        def text(count: int) -> str | None:
            if count not in after:
                found = rewrites.after(count)
                if found is None:
                    return None
                after[count] = found
            return after[count]

        def fails(count: int) -> bool:
            found = text(count)
            return found is not None and self._fails(found)

        number = first_failing(len(names), fails) if names else 0
        old, new = (text(number - 1), text(number)) if number else (None, None)
        if old is None or new is None:
            number, old, new = 0, rewrites.before, whole
        if number:
            name = names[number - 1]
            if name == _A_PATTERN:
                name = Rewrites(old, rewrites.step).pattern(new)
            yield f"the rewrite is {number} of {len(names)} that it counts: {name}"
        else:
            yield "its rewrites cannot be done one by one; all it did:"
        yield from _difference(self._shown(old), self._shown(new))

    def _fails(self, text: str) -> bool:
        return self.script.judge(self._shown(text)).fails

    def _shown(self, text: str) -> str:
        return self.shown(ir.Module.parse(text), self.options)


def _difference(before: str, after: str) -> list[str]:
    return list(
        difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=2)
    )
