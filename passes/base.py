"""What a weft pass is: on modules, and behind them on the text that LLVM reads."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, ClassVar, TypeAlias

from ..dialect.mlir import Module
from ..dialect.records import dataclass

Statistics: TypeAlias = "Counter[str]"
"""What a pass counted while it ran, by a short description: `{"ops folded": 3}`."""


class Counting(Counter[str]):
    """Statistics that tell of each change when it is counted: a pass counts one when it has made it."""

    def __setitem__(self, what: str, count: int) -> None:
        more = count - self[what]
        super().__setitem__(what, count)
        self.counted(what, more)

    def counted(self, what: str, more: int) -> None:
        """Some more changes were made."""

    def passed(self, name: str) -> None:
        """A pass inside of this one ran, which may have changed what it does not count."""

    def update(self, counts: Any = None, /, **others: int) -> None:
        """Count one by one, which Counter does not do while it is empty."""
        for what, count in {**dict(counts or {}), **others}.items():
            self[what] += count


def name_by_class(kind: type) -> str:
    """What something is called whose class says it: as `skip-fills` of `SkipFills`.

    >>> name_by_class(Counting), name_by_class(type("SkipFills", (), {}))
    ('counting', 'skip-fills')
    """
    return re.sub("(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


class _Named:
    """What has a name and a summary: those of the class and the first sentence about it, if it says no others."""

    name: ClassVar[str]
    summary: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = name_by_class(cls)
        if "summary" not in vars(cls):
            sentence = " ".join((cls.__doc__ or "").split()).partition(". ")[0].removesuffix(".")
            cls.summary = sentence[:1].lower() + sentence[1:]


@dataclass(frozen=True)
class Pass(_Named):
    """A rewrite of a module: valid IR in, valid IR out.

    A pass is a frozen dataclass in a file of its own; its fields are its options, as in
    `weft-fold{max-elements=64}` (underscores in field names are written as dashes). Its name is that of the class, as
    `skip-fills` of `SkipFills`, and its summary the first sentence about it, unless it has a `name` or `summary`.
    """

    def require(self, module: Module) -> None:
        """Raise `PassError`, with a diagnostic at the op, for IR that the pass does not take."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Rewrite the module in place and count what was done. The module's context is current."""
        raise NotImplementedError


@dataclass(frozen=True)
class TextPass(_Named):
    """A rewrite of LLVM assembly, which is what follows the last module: valid text in, valid text out."""

    def run(self, text: str, statistics: Statistics) -> str:
        """The text rewritten; counts what was done."""
        raise NotImplementedError
