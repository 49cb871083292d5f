"""Command lines that say what may have been meant, where a word of them is misspelt."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")
_UNKNOWN = re.compile(r"unrecognized arguments: (-\S*)")


class Parser(argparse.ArgumentParser):
    """A parser whose complaints end with the command or option that is most like what was written."""

    def error(self, message: str) -> NoReturn:
        """Complain and end with status 2."""
        super().error(message + self._meant(message))

    def _meant(self, message: str) -> str:
        import difflib

        if found := _CHOICE.search(message):
            names = re.findall(r"[\w-]+", found[2])
        elif found := _UNKNOWN.search(message):
            names = list(self._options())
        else:
            return ""
        close = difflib.get_close_matches(found[1].partition("=")[0], names, n=1)
        return f"; did you mean {close[0]}?" if close else ""

    def _options(self) -> set[str]:
        """The options of the command line, and those of its commands, which do not complain of others themselves."""
        found = set(self._option_string_actions)
        for action in self._actions:
            if isinstance(action.choices, dict):
                found.update(
                    *(parser._options() for parser in action.choices.values() if isinstance(parser, Parser))
                )
        return found
