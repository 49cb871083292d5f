"""What weft says while it works, by category: `WEFT_LOG=trace,cache` to the loggers `weft.trace` and `weft.cache`.

Where the program has configured `logging`, its handlers get the records; else they are written to stderr.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .settings import settings

if TYPE_CHECKING:
    import logging  # which takes 8 ms to import, and few programs are listened to


def is_logged(category: str) -> bool:
    """Whether somebody wants to read what is said in a category.

    >>> with weft.settings.scope(log="trace, cache"):
    ...     is_logged("cache"), is_logged("fusion")
    (True, False)
    """
    return bool(settings.log) and category in settings.log.replace(" ", "").split(",")


def log(category: str, text: str) -> None:
    """Say something in a category, if it is logged."""
    if is_logged(category):
        _logger(category).info("%s", text)


def _logger(category: str) -> logging.Logger:
    import logging

    root, logger = logging.getLogger("weft"), logging.getLogger(f"weft.{category}")
    if not root.handlers:
        root.addHandler(_handler())
    if not logger.isEnabledFor(logging.INFO):
        logger.setLevel(logging.INFO)
    return logger


def _handler() -> logging.Handler:
    """What writes to stderr as long as the program has no handlers of its own."""
    import logging

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not logging.getLogger().handlers:
                print(self.format(record), file=sys.stderr)

    handler = Shown()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    return handler
