"""weft-opt: run passes on MLIR text and print the result, as mlir-opt does, with the passes of weft too.

Diagnostics go to stderr as `file:line:col: error: text`, the IR to stdout; the exit status is 1 on errors.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..dialect.errors import WeftError
from .options import help_text, parse_arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run weft-opt; returns the exit status.

    >>> main(["--help"])  # doctest: +ELLIPSIS
    usage: weft-opt [file | - | package.module:function] ...
    0
    """
    try:
        options = parse_arguments(sys.argv[1:] if arguments is None else arguments)
        if options.help:
            sys.stdout.write(help_text())
            return 0
        from .session import Session  # loads the bindings, which a wrong command line need not wait for

        return Session(options).run()
    except (WeftError, OSError) as error:
        sys.stderr.write(f"weft-opt: error: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
