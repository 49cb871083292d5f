"""Native code that begins the pool of threads of a library where this is loaded, and ends it where it goes.

Translated to native code with `threads/pool_code.py`.
"""

from __future__ import annotations

import sys

from ..native_python.intrinsics import CFunction, address_of, set_word, stack, word
from ..threads.count import MOST_THREADS
from ..threads.pool_code import weft_pool_set_threads, weft_pool_setup, weft_pool_stop

sched_getaffinity = CFunction(3, "i32")
sysconf = CFunction(1)
pthread_atfork = CFunction(3, "i32")

ON_LINUX = sys.platform == "linux"
PROCESSORS_ONLINE = 58 if sys.platform == "darwin" else 84
WORDS = 128
"""Of the set of processors: so many as there may be threads, and more."""


def weft_pool_begin() -> None:
    """Let loops be shared among as many threads as the process has processors; a child begins anew."""
    weft_pool_setup()
    weft_pool_set_threads(min(max(processors(), 1), MOST_THREADS))
    pthread_atfork(address_of(weft_pool_stop), 0, address_of(weft_pool_setup))


def processors() -> int:
    """How many processors the process may run on."""
    if ON_LINUX:
        found = stack(WORDS)
        for number in range(WORDS):
            set_word(found + 8 * number, 0)
        if sched_getaffinity(0, 8 * WORDS, found) == 0:
            count = 0
            for number in range(WORDS):
                rest = word(found + 8 * number)
                while rest != 0:
                    rest = rest & (rest - 1)
                    count += 1
            return count
    return sysconf(PROCESSORS_ONLINE)
