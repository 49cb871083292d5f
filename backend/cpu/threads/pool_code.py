"""The native code of the thread pool, in the part of Python that `native_python/translator.py` translates.

    void weft_parallel_for(void (*body)(int64_t begin, int64_t end, void *context),
                           int64_t trips, int64_t grain, void *context)

calls `body` for pieces of `range(trips)` of at least `grain` trips, from as many threads as there are pieces and
threads for, and returns when all is done. A negative grain asks for equal pieces, one for each thread, of at least
`-grain` trips. The caller works, too. The pool serves one caller at a time; whoever finds it taken (another thread of
Python, or a body that shares work) does its work alone, so that nothing ever waits for a thread that waits. Which
thread gets which piece is chance: bodies must not care.

    int64_t weft_threads(void)

is for loops that do something else where no other thread will help.

All is told by `STATE`: the upper part is how many workers may still join the job, the lower 16 bits how many are in it.

* The owner of the pool (who changed `BUSY` from 0 to 1) writes the job and then stores the number of places to the
  state. That store releases the job; a worker joins by a compare-and-swap that acquires, and as the swaps of other
  workers are read-modify-writes they continue the release sequence: a worker that is in a job has read its fields. An
  old state that was compared successfully is no harm: the swap read the state that is there now.
* The owner ends the job by taking away the places that are left, so that it never waits for a worker that did not come
  in time, and waits until the lower part is 0. Workers leave by a subtraction that releases; the owner's load acquires:
  all that workers wrote is seen by who called, and no worker reads a job while the next one is written.
* Pieces are taken from `NEXT` by compare-and-swap without order: nothing but the number is passed by it.
* Workers look for a job for some 50 microseconds and then sleep. A sleeper counts itself in `SLEEPERS` before it looks
  at the state a last time; the owner stores the state before it looks at the sleepers; these four are sequentially
  consistent, so one of the two sees the other. The sleeper counts itself, looks and waits under the mutex; the owner
  passes through the mutex before it signals: the sleeper is waiting by then, or has seen the places.

A child of `fork` has no workers. Right before a fork idle workers end, which leaves nothing half done; the pool of the
child begins anew.
"""

from __future__ import annotations

from ..native_python.intrinsics import (
    Order,
    Static,
    address_of,
    atomic_add,
    atomic_and,
    atomic_exchange,
    atomic_load,
    atomic_store,
    call_void,
    compare_exchange,
    compare_exchange_weak,
    pause,
    set_word,
    word,
)
from ..native_python.layout import WORD
from .count import MOST_THREADS
from .posix import (
    allow_signals,
    initialise,
    join,
    lock,
    refuse_signals,
    start_thread,
    unlock,
    wait,
    wake_all,
    wake_one,
    yield_processor,
)

SPINS_BEFORE_SLEEP = 1000
"""A pause of a recent x86 processor takes some 50 nanoseconds."""

SPINS_BEFORE_YIELD = 2000
"""A worker that is not done by then may be waiting for the processor that the owner is using."""


class Job:
    """What is shared: a body and its context, how many trips and the least of a piece, and twice the threads."""

    BODY, CONTEXT, TRIPS, GRAIN, SHARES = range(0, 5 * WORD, WORD)


PLACE = 1 << 16
"""Of the state: a worker may join."""
WORKERS = PLACE - 1
"""Of the state: the workers that are in the job."""

STATE = Static(1)
NEXT = Static(1)
BUSY = Static(1)
SLEEPERS = Static(1)
THREADS = Static(1)
"""How many threads a job may have, the caller's included."""
STARTED = Static(1)
"""How many workers there are; only the owner knows."""
STOPPING = Static(1)
JOB = Static(5)
HANDLES = Static(MOST_THREADS)


def weft_parallel_for(body: int, trips: int, grain: int, context: int) -> None:
    """Share a loop."""
    threads = atomic_load(THREADS, Order.RELAXED)  # a setting: nothing goes with it
    if threads > 1:
        pieces = min(trips // max(grain, -grain), threads)
        # Acquires what the last owner wrote, such as the workers it started. A pool that is taken is not looked into.
        if pieces > 1 and compare_exchange(BUSY, 0, 1, Order.ACQUIRE, Order.RELAXED):
            helpers = min(start(pieces - 1), pieces - 1)
            if helpers > 0:
                set_word(JOB + Job.BODY, body)
                set_word(JOB + Job.CONTEXT, context)
                set_word(JOB + Job.TRIPS, trips)
                set_word(JOB + Job.GRAIN, grain if grain > 0 else (trips + pieces - 1) // pieces)
                set_word(JOB + Job.SHARES, 2 * pieces)
                run(helpers)
                atomic_store(BUSY, 0, Order.RELEASE)  # the next owner sees all of this one
                return
            atomic_store(BUSY, 0, Order.RELEASE)
    call_void(body, 0, trips, context)


def run(helpers: int) -> None:
    """Do the job with so many workers at most."""
    atomic_store(NEXT, 0, Order.RELAXED)  # the state that follows releases it
    # Releases the job; and it stands before the look at the sleepers in the one order of all that is sequential.
    atomic_exchange(STATE, helpers * PLACE, Order.SEQUENTIAL)
    if atomic_load(SLEEPERS, Order.SEQUENTIAL):
        lock()
        unlock()
        for _helper in range(helpers):
            wake_one()
    work()
    atomic_and(
        STATE, WORKERS, Order.ACQUIRE_RELEASE
    )  # acquires from those that have left, still releases the job
    spins = 0
    while atomic_load(STATE, Order.ACQUIRE) != 0:  # acquires what workers wrote before they left
        if spins > SPINS_BEFORE_YIELD:
            yield_processor()
        else:
            pause()
            spins += 1


def work() -> None:
    """Do pieces of the job until there are none.

    They get smaller as less is left: half of an equal share of the rest, so that all are done at about the same time.
    """
    body = word(JOB + Job.BODY)
    context = word(JOB + Job.CONTEXT)
    trips = word(JOB + Job.TRIPS)
    grain = word(JOB + Job.GRAIN)
    shares = word(JOB + Job.SHARES)
    begin = atomic_load(NEXT, Order.RELAXED)  # relaxed, all three: the number is all there is
    while begin < trips:
        size = min(max((trips - begin) // shares, grain), trips - begin)
        if compare_exchange_weak(NEXT, begin, begin + size, Order.RELAXED, Order.RELAXED):
            call_void(body, begin, begin + size, context)
        begin = atomic_load(NEXT, Order.RELAXED)


def serve(_nothing: int) -> int:
    """A worker: join jobs, sleep while there are none, until all end."""
    spins = 0
    while True:
        state = atomic_load(STATE, Order.RELAXED)  # a guess: to join makes sure
        if state >= PLACE:
            # Acquires the job. After a try that failed nothing is read.
            if compare_exchange(STATE, state, state - PLACE + 1, Order.ACQUIRE, Order.RELAXED):
                work()
                atomic_add(STATE, -1, Order.RELEASE)  # the owner sees what was written
                spins = 0
            continue
        if atomic_load(STOPPING, Order.SEQUENTIAL):  # as in `sleep`
            return 0
        pause()
        spins += 1
        if spins > SPINS_BEFORE_SLEEP:
            sleep()
            spins = 0


def sleep() -> None:
    """Wait until there is a job, or the end."""
    lock()
    # The owner stores the state, or the end, and then looks here; this counts itself and then looks there. Sequential,
    # all of them: one sees the other.
    atomic_add(SLEEPERS, 1, Order.SEQUENTIAL)
    while atomic_load(STATE, Order.SEQUENTIAL) < PLACE and not atomic_load(STOPPING, Order.SEQUENTIAL):
        wait()
    atomic_add(SLEEPERS, -1, Order.SEQUENTIAL)
    unlock()


def start(wanted: int) -> int:
    """Have so many workers, if that can be; how many there are. For the owner of the pool."""
    if word(STARTED) < wanted:
        refuse_signals()
        while word(STARTED) < wanted and start_thread(HANDLES + word(STARTED) * WORD, address_of(serve)):
            set_word(STARTED, word(STARTED) + 1)
        allow_signals()
    return word(STARTED)


def weft_pool_stop() -> int:
    """Let all workers end, and wait for it; 0 if the pool is in use."""
    if not compare_exchange(BUSY, 0, 1, Order.ACQUIRE, Order.RELAXED):  # as in weft_parallel_for
        return 0
    atomic_store(STOPPING, 1, Order.SEQUENTIAL)  # as in `sleep`; who waits is under the mutex, and is woken
    lock()
    unlock()
    wake_all()
    for index in range(word(STARTED)):
        join(word(HANDLES + index * WORD))
    set_word(STARTED, 0)
    atomic_store(STOPPING, 0, Order.SEQUENTIAL)
    atomic_store(BUSY, 0, Order.RELEASE)
    return 1


def weft_pool_set_threads(threads: int) -> None:
    """Let jobs have so many threads."""
    atomic_store(THREADS, threads, Order.RELAXED)


def weft_threads() -> int:
    """How many threads a job may have."""
    return atomic_load(THREADS, Order.RELAXED)


def weft_pool_setup() -> None:
    """Forget all workers: in a process that has none yet."""
    atomic_store(STATE, 0, Order.RELAXED)  # no other thread is there; the last store releases all
    atomic_store(SLEEPERS, 0, Order.RELAXED)
    atomic_store(STOPPING, 0, Order.RELAXED)
    set_word(STARTED, 0)
    initialise()
    atomic_store(BUSY, 0, Order.RELEASE)
