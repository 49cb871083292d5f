"""`dataclasses.replace` makes an object as a call of the class does: in lists that grow, heaps and branches, too."""

from __future__ import annotations

import dataclasses
import heapq

import numpy as np

from support.behaviour_harness import same

X = np.array([3.0, 1.0, 2.0])


@dataclasses.dataclass(order=True)
class Job:
    rank: float
    length: float = 1.0
    marks: int = dataclasses.field(init=False, default=7)

    def __post_init__(self):
        self.marks = int(self.length)


@dataclasses.dataclass
class Scaled:
    value: float
    scale: dataclasses.InitVar[float] = 2.0

    def __post_init__(self, scale):
        self.value = self.value * scale


def test_in_a_heap_of_the_program() -> None:
    def f(x):
        queue, order = [], []
        for v in x:
            heapq.heappush(queue, Job(v, v / 2))
        while queue:
            job = heapq.heappop(queue)
            order.append((job.rank, job.marks))
            if job.rank == 2:
                heapq.heappush(queue, dataclasses.replace(job, rank=9.0))
        return order

    same(f, X, X[::-1] + 1)


def test_in_lists_and_of_the_best_one() -> None:
    def f(x):
        jobs = [Job(v) for v in x if v > 1]
        jobs = [dataclasses.replace(job, length=job.rank) for job in jobs]
        best = None
        for job in jobs:
            if best is None or job < best:
                best = job
        return jobs, dataclasses.replace(best, rank=best.rank * 2), dataclasses.replace(best) is best

    same(f, X, X + 1)


def test_what_is_no_field_is_an_error() -> None:
    def not_of_init(x):
        return dataclasses.replace(Job(x[0]), marks=3)

    def unknown(x):
        return dataclasses.replace(Job(x[0]), other=3)

    def no_object(x):
        return dataclasses.replace(Job, rank=x[0])

    def without_a_value(x):
        return dataclasses.replace(Scaled(x[0]), value=x[1])

    for function in (not_of_init, unknown, no_object, without_a_value):
        same(function, X, traces=None)
    same(lambda x: dataclasses.replace(Scaled(x[0]), scale=x[1]), X)
