"""The process that runs programs: `python -m fuzz.worker` reads requests and writes verdicts, a line of JSON each.

A request has the `text` of a program, or the `seed` to write one from, and the `stage` to compile it to. Programs that
do not end eagerly are invalid; one that does not end compiled is for the watchdog on the other side to see. With
`--check-handles`, a use of what a recording has erased ends the process, where it may go unnoticed otherwise.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import resource
import sys
import warnings
from contextlib import nullcontext
from typing import Any

_MEMORY = 8 << 30


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The verdict for one request."""
    from fuzz.effort import MOST_OPS
    from fuzz.grammar.module import random_program
    from fuzz.verdict import judge

    text = request["text"] if "text" in request else random_program(request["seed"])
    most_ops = None if request.get("whole") else MOST_OPS
    return judge(text, request["stage"], most_ops).as_json() | {"text": text}


def main() -> None:
    """Answer until there are no more requests."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what native code prints is no reply
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    import weft

    weft.settings.cache = False
    weft.settings.retracing_warning = 0
    from support.erased_handles import checked_handles

    # What is loaded once need not be looked through at every collection: that took a fifth of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    checked = checked_handles if "--check-handles" in sys.argv else nullcontext
    for line in sys.stdin:
        with checked():
            answered = answer(json.loads(line))
        replies.write(json.dumps(answered) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
