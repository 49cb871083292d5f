"""The thread pool as LLVM assembly: one object for all processes, compiled once and kept.

    void weft_parallel_for(void (*body)(int64_t begin, int64_t end, void *context),
                           int64_t trips, int64_t grain, void *context)

calls `body` for pieces of `range(trips)` of at least `grain` trips, from as many threads as there are pieces and
threads for, and returns when all is done. A negative grain asks for equal pieces, one for each thread, of at least
`-grain` trips. The caller works, too. The pool serves one caller at a time; whoever finds it taken (another thread of
Python, or a body that shares work) does its work alone, so that nothing ever waits for a thread that waits. Which
thread gets which piece is chance: bodies must not care.

All is told by `@state`: the upper half is how many workers may still join the job, the lower half how many are in it.

* The owner of the pool (who changed `@busy` from 0 to 1) writes the job and then stores the number of places to the
  state. That store releases the job; a worker joins by a compare-and-swap that acquires, and as the swaps of other
  workers are read-modify-writes they continue the release sequence: a worker that is in a job has read its fields. An
  old state that was compared successfully is no harm: the swap read the state that is there now.
* The owner ends the job by taking away the places that are left, so that it never waits for a worker that did not come
  in time, and waits until the lower half is 0. Workers leave by a subtraction that releases; the owner's load acquires:
  all that workers wrote is seen by who called, and no worker reads a job while the next one is written.
* Pieces are taken from `@next` by compare-and-swap without order: nothing but the number is passed by it.
* Workers look for a job for some 50 microseconds and then sleep. A sleeper counts itself in `@sleepers` before it looks
  at the state a last time; the owner stores the state before it looks at the sleepers; these four are sequentially
  consistent, so one of the two sees the other. The sleeper counts itself, looks and waits under the mutex; the owner
  passes through the mutex before it signals: the sleeper is waiting by then, or has seen the places.

A child of `fork` has no workers. Right before a fork idle workers end, which leaves nothing half done; the pool of the
child begins anew.
"""

from __future__ import annotations

import re
import sys

from ...planning.names import PARALLEL_FOR
from .count import MOST_THREADS

SPINS_BEFORE_SLEEP = 1000
"""A pause of a recent x86 processor takes some 50 nanoseconds."""

SPINS_BEFORE_YIELD = 2000
"""A worker that is not done by then may be waiting for the processor that the owner is using."""

SETUP, SET_THREADS, STOP = "weft_pool_setup", "weft_pool_set_threads", "weft_pool_stop"
EXPORTS = (PARALLEL_FOR, SETUP, SET_THREADS, STOP)

_POOL = f"""
@state = internal global i32 0, align 64
@next = internal global i64 0, align 64
@busy = internal global i32 0, align 64
@sleepers = internal global i32 0, align 64
@threads = internal global i32 1
@started = internal global i32 0
@stopping = internal global i32 0
@body = internal global ptr null, align 64
@context = internal global ptr null
@trips = internal global i64 0
@grain = internal global i64 0
@shares = internal global i64 0
@mutex = internal global [128 x i8] zeroinitializer, align 64
@condition = internal global [128 x i8] zeroinitializer, align 64
@handles = internal global [{MOST_THREADS} x i64] zeroinitializer, align 64

define void @{PARALLEL_FOR}(ptr %body, i64 %trips, i64 %grain, ptr %context) {{
  %threads = load atomic i32, ptr @threads monotonic, align 4
  %many = icmp sgt i32 %threads, 1
  br i1 %many, label %count, label %alone
count:
  %is.even = icmp slt i64 %grain, 0
  %negated = sub i64 0, %grain
  %least = select i1 %is.even, i64 %negated, i64 %grain
  %pieces = sdiv i64 %trips, %least
  %threads.64 = zext i32 %threads to i64
  %fewer = icmp slt i64 %pieces, %threads.64
  %all.64 = select i1 %fewer, i64 %pieces, i64 %threads.64
  %all = trunc i64 %all.64 to i32
  %several = icmp sgt i32 %all, 1
  br i1 %several, label %take, label %alone
take:
  %taking = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %taken = extractvalue {{ i32, i1 }} %taking, 1
  br i1 %taken, label %help, label %alone
help:
  %wanted = sub i32 %all, 1
  %have = call i32 @start(i32 %wanted)
  %short = icmp slt i32 %have, %wanted
  %helpers = select i1 %short, i32 %have, i32 %wanted
  %any = icmp sgt i32 %helpers, 0
  br i1 %any, label %publish, label %give.up
give.up:
  store atomic i32 0, ptr @busy release, align 4
  br label %alone
publish:
  store ptr %body, ptr @body
  store ptr %context, ptr @context
  store i64 %trips, ptr @trips
  %others = sub i64 %all.64, 1
  %above = add i64 %trips, %others
  %even = sdiv i64 %above, %all.64
  %piece = select i1 %is.even, i64 %even, i64 %least
  store i64 %piece, ptr @grain
  %shares = shl i64 %all.64, 1
  store i64 %shares, ptr @shares
  store atomic i64 0, ptr @next monotonic, align 8
  %places = shl i32 %helpers, 16
  %before = atomicrmw xchg ptr @state, i32 %places seq_cst
  %sleepers = load atomic i32, ptr @sleepers seq_cst, align 4
  %asleep = icmp ne i32 %sleepers, 0
  br i1 %asleep, label %wake, label %work
wake:
  call void @lock()
  call void @unlock()
  br label %wake.next
wake.next:
  %to.wake = phi i32 [ %helpers, %wake ], [ %left.to.wake, %wake.next ]
  call void @wake_one()
  %left.to.wake = sub i32 %to.wake, 1
  %woken = icmp eq i32 %left.to.wake, 0
  br i1 %woken, label %work, label %wake.next
work:
  call void @work()
  %close = atomicrmw and ptr @state, i32 65535 acq_rel
  br label %wait
wait:
  %spins = phi i32 [ 0, %work ], [ %spins.next, %spin ], [ %spins, %yield ]
  %workers = load atomic i32, ptr @state acquire, align 4
  %finished = icmp eq i32 %workers, 0
  br i1 %finished, label %done, label %still
still:
  %long = icmp ugt i32 %spins, {SPINS_BEFORE_YIELD}
  br i1 %long, label %yield, label %spin
spin:
  call void @pause()
  %spins.next = add i32 %spins, 1
  br label %wait
yield:
  call void @yield()
  br label %wait
done:
  store atomic i32 0, ptr @busy release, align 4
  ret void
alone:
  call void %body(i64 0, i64 %trips, ptr %context)
  ret void
}}

; Pieces get smaller as less is left: half of an equal share of the rest, so that all are done at about the same time.
define internal void @work() {{
  %body = load ptr, ptr @body
  %context = load ptr, ptr @context
  %trips = load i64, ptr @trips
  %grain = load i64, ptr @grain
  %shares = load i64, ptr @shares
  br label %look
look:
  %begin = load atomic i64, ptr @next monotonic, align 8
  %left = sub i64 %trips, %begin
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %take, label %done
take:
  %share = sdiv i64 %left, %shares
  %large = icmp sgt i64 %share, %grain
  %piece = select i1 %large, i64 %share, i64 %grain
  %fits = icmp slt i64 %piece, %left
  %size = select i1 %fits, i64 %piece, i64 %left
  %end = add i64 %begin, %size
  %taking = cmpxchg weak ptr @next, i64 %begin, i64 %end monotonic monotonic
  %taken = extractvalue {{ i64, i1 }} %taking, 1
  br i1 %taken, label %run, label %look
run:
  call void %body(i64 %begin, i64 %end, ptr %context)
  br label %look
done:
  ret void
}}

define internal void @serve() {{
  br label %top
top:
  br label %look
look:
  %spins = phi i32 [ 0, %top ], [ %spins, %join ], [ %spins.next, %rest ]
  %state = load atomic i32, ptr @state monotonic, align 4
  %places = lshr i32 %state, 16
  %open = icmp ne i32 %places, 0
  br i1 %open, label %join, label %idle
join:
  %joined.state = sub i32 %state, 65535
  %joining = cmpxchg ptr @state, i32 %state, i32 %joined.state acquire monotonic
  %joined = extractvalue {{ i32, i1 }} %joining, 1
  br i1 %joined, label %run, label %look
run:
  call void @work()
  %leave = atomicrmw sub ptr @state, i32 1 release
  br label %top
idle:
  %stopping = load atomic i32, ptr @stopping seq_cst, align 4
  %stop = icmp ne i32 %stopping, 0
  br i1 %stop, label %done, label %rest
rest:
  call void @pause()
  %spins.next = add i32 %spins, 1
  %long = icmp ugt i32 %spins.next, {SPINS_BEFORE_SLEEP}
  br i1 %long, label %sleep, label %look
sleep:
  call void @lock()
  %in = atomicrmw add ptr @sleepers, i32 1 seq_cst
  br label %sleep.look
sleep.look:
  %state.now = load atomic i32, ptr @state seq_cst, align 4
  %places.now = lshr i32 %state.now, 16
  %stopping.now = load atomic i32, ptr @stopping seq_cst, align 4
  %reason = or i32 %places.now, %stopping.now
  %none = icmp eq i32 %reason, 0
  br i1 %none, label %wait, label %wake
wait:
  call void @wait()
  br label %sleep.look
wake:
  %out = atomicrmw sub ptr @sleepers, i32 1 seq_cst
  call void @unlock()
  br label %top
done:
  ret void
}}

; Have so many workers running, if that can be; returns how many there are. For the owner of the pool.
define internal i32 @start(i32 %wanted) {{
  %started = load i32, ptr @started
  %enough = icmp sge i32 %started, %wanted
  br i1 %enough, label %have, label %create
have:
  ret i32 %started
create:
  %created = call i32 @create(i32 %started, i32 %wanted)
  store i32 %created, ptr @started
  ret i32 %created
}}

; Let all workers end, and wait for it; false if the pool is in use.
define i32 @{STOP}() {{
  %taking = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %taken = extractvalue {{ i32, i1 }} %taking, 1
  br i1 %taken, label %ours, label %used
used:
  ret i32 0
ours:
  %started = load i32, ptr @started
  store atomic i32 1, ptr @stopping seq_cst, align 4
  call void @lock()
  call void @unlock()
  call void @wake_all()
  br label %next
next:
  %index = phi i32 [ 0, %ours ], [ %index.next, %join ]
  %more = icmp slt i32 %index, %started
  br i1 %more, label %join, label %done
join:
  %handle.at = getelementptr i64, ptr @handles, i32 %index
  %handle = load i64, ptr %handle.at
  call void @join(i64 %handle)
  %index.next = add i32 %index, 1
  br label %next
done:
  store i32 0, ptr @started
  store atomic i32 0, ptr @stopping seq_cst, align 4
  store atomic i32 0, ptr @busy release, align 4
  ret i32 1
}}

define void @{SET_THREADS}(i32 %threads) {{
  store atomic i32 %threads, ptr @threads monotonic, align 4
  ret void
}}

; Forget all workers: in a process that has none yet.
define void @{SETUP}() {{
  store atomic i32 0, ptr @state monotonic, align 4
  store atomic i32 0, ptr @sleepers monotonic, align 4
  store atomic i32 0, ptr @stopping monotonic, align 4
  store i32 0, ptr @started
  call void @llvm.memset.p0.i64(ptr @mutex, i8 0, i64 128, i1 false)
  call void @llvm.memset.p0.i64(ptr @condition, i8 0, i64 128, i1 false)
  call void @initialise()
  store atomic i32 0, ptr @busy release, align 4
  ret void
}}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""

# Workers take no signals: Python's handlers are to interrupt what Python's threads wait for.
_POSIX = """
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()

define internal ptr @worker(ptr %nothing) {
  call void @serve()
  ret ptr null
}

define internal i32 @create(i32 %started, i32 %wanted) {
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  %filled = call i32 @sigfillset(ptr %all)
  %blocked = call i32 @pthread_sigmask(i32 SET_MASK, ptr %all, ptr %old)
  br label %next
next:
  %index = phi i32 [ %started, %0 ], [ %index.next, %made ]
  %more = icmp slt i32 %index, %wanted
  br i1 %more, label %make, label %done
make:
  %handle = getelementptr i64, ptr @handles, i32 %index
  %failure = call i32 @pthread_create(ptr %handle, ptr null, ptr @worker, ptr null)
  %failed = icmp ne i32 %failure, 0
  br i1 %failed, label %done, label %made
made:
  %index.next = add i32 %index, 1
  br label %next
done:
  %restored = call i32 @pthread_sigmask(i32 SET_MASK, ptr %old, ptr null)
  ret i32 %index
}

define internal void @join(i64 %handle) {
  %1 = call i32 @pthread_join(i64 %handle, ptr null)
  ret void
}
define internal void @initialise() {
  %1 = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %2 = call i32 @pthread_cond_init(ptr @condition, ptr null)
  ret void
}
define internal void @lock() {
  %1 = call i32 @pthread_mutex_lock(ptr @mutex)
  ret void
}
define internal void @unlock() {
  %1 = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}
define internal void @wait() {
  %1 = call i32 @pthread_cond_wait(ptr @condition, ptr @mutex)
  ret void
}
define internal void @wake_one() {
  %1 = call i32 @pthread_cond_signal(ptr @condition)
  ret void
}
define internal void @wake_all() {
  %1 = call i32 @pthread_cond_broadcast(ptr @condition)
  ret void
}
define internal void @yield() {
  %1 = call i32 @sched_yield()
  ret void
}
"""

_WINDOWS = """
declare i64 @CreateThread(ptr, i64, ptr, ptr, i32, ptr)
declare i32 @WaitForSingleObject(i64, i32)
declare i32 @CloseHandle(i64)
declare void @AcquireSRWLockExclusive(ptr)
declare void @ReleaseSRWLockExclusive(ptr)
declare i32 @SleepConditionVariableSRW(ptr, ptr, i32, i32)
declare void @WakeConditionVariable(ptr)
declare void @WakeAllConditionVariable(ptr)
declare i32 @SwitchToThread()

define internal i32 @worker(ptr %nothing) {
  call void @serve()
  ret i32 0
}

define internal i32 @create(i32 %started, i32 %wanted) {
  br label %next
next:
  %index = phi i32 [ %started, %0 ], [ %index.next, %made ]
  %more = icmp slt i32 %index, %wanted
  br i1 %more, label %make, label %done
make:
  %handle = call i64 @CreateThread(ptr null, i64 0, ptr @worker, ptr null, i32 0, ptr null)
  %failed = icmp eq i64 %handle, 0
  br i1 %failed, label %done, label %made
made:
  %handle.at = getelementptr i64, ptr @handles, i32 %index
  store i64 %handle, ptr %handle.at
  %index.next = add i32 %index, 1
  br label %next
done:
  ret i32 %index
}

define internal void @join(i64 %handle) {
  %1 = call i32 @WaitForSingleObject(i64 %handle, i32 -1)
  %2 = call i32 @CloseHandle(i64 %handle)
  ret void
}
define internal void @initialise() {
  ret void
}
define internal void @lock() {
  call void @AcquireSRWLockExclusive(ptr @mutex)
  ret void
}
define internal void @unlock() {
  call void @ReleaseSRWLockExclusive(ptr @mutex)
  ret void
}
define internal void @wait() {
  %1 = call i32 @SleepConditionVariableSRW(ptr @condition, ptr @mutex, i32 -1, i32 0)
  ret void
}
define internal void @wake_one() {
  call void @WakeConditionVariable(ptr @condition)
  ret void
}
define internal void @wake_all() {
  call void @WakeAllConditionVariable(ptr @condition)
  ret void
}
define internal void @yield() {
  %1 = call i32 @SwitchToThread()
  ret void
}
"""

_PAUSE = """
define internal void @pause() {
  CALL
  ret void
}
"""


def pool_code(architecture: str, platform: str = sys.platform) -> str:
    """The LLVM assembly of the pool for a processor architecture ("x86_64", ...) and a value of `sys.platform`."""
    if platform == "win32":
        system = _WINDOWS
    else:
        system = _POSIX.replace("SET_MASK", "3" if platform == "darwin" else "2")
    return _POOL + system + _pause(architecture)


def called_functions(text: str) -> list[str]:
    """The functions of the system that LLVM assembly declares."""
    return [name for name in re.findall(r"^declare [^@]*@([\w.]+)\(", text, re.MULTILINE) if "." not in name]


def _pause(architecture: str) -> str:
    """What a thread does while it waits for another: as little as the processor can."""
    if architecture.startswith("x86") or architecture in ("i686", "amd64"):
        return _PAUSE.replace("CALL", "call void @llvm.x86.sse2.pause()") + (
            "declare void @llvm.x86.sse2.pause()\n"
        )
    if architecture.startswith(("aarch64", "arm64")):
        return _PAUSE.replace("CALL", "call void @llvm.aarch64.hint(i32 1)") + (
            "declare void @llvm.aarch64.hint(i32)\n"
        )
    return _PAUSE.replace("  CALL\n", "")
