"""Random pipelines give the same in plain Python, in compiled functions, and as a reference of plain lists."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

Dataset = weft.data.Dataset
Reference = Callable[[tuple[int, ...]], list[Any]]
"""The elements of an epoch, given what its order is drawn from."""


class Uneven(Exception):
    """Elements of several shapes come together."""


def triple(x: Any) -> Any:
    return x * 3 + 1


def shifted_difference(i: Any, x: Any) -> Any:
    return x - i


def is_odd(x: Any) -> Any:
    return np.sum(x) % 2 == 1


def shuffled(items: list[Any], buffer: int | None, seed: list[int]) -> list[Any]:
    draws, held, given = np.random.default_rng(np.array(seed, np.uint32)), [], []
    for item in items:
        if buffer is None or len(held) < buffer:
            held.append(item)
        else:
            place = draws.integers(buffer)
            given.append(held[place])
            held[place] = item
    return given + [held[place] for place in draws.permutation(len(held))]


def batched(items: list[Any], count: int, drops: bool) -> list[Any]:
    batches = [items[first : first + count] for first in range(0, len(items), count)]
    if drops and batches and len(batches[-1]) < count:
        batches.pop()
    for batch in batches:
        if len({np.shape(item) for item in batch}) > 1:
            raise Uneven
    return [np.stack(batch) for batch in batches]


class Program:
    """A pipeline, and its reference."""

    def __init__(self, draws: random.Random) -> None:
        self.draws = draws
        size = draws.choice([0, 1, 5, 12, 13])
        self.text = f"range({size})"
        self.dataset = Dataset.range(size)
        self.reference: Reference = lambda key: list(range(size))
        self.rank = 0
        for _ in range(draws.randint(1, 5)):
            step = draws.choice(STEPS)
            step(self)

    def then(
        self, text: str, step: Callable[[Any], Any], reference: Callable[[list[Any], tuple[int, ...]], Any]
    ) -> None:
        before = self.reference
        self.text += f".{text}"
        self.dataset = step(self.dataset)
        self.reference = lambda key: reference(before(key), key)

    def map(self) -> None:
        self.then("map(triple)", lambda d: d.map(triple), lambda items, key: [triple(x) for x in items])

    def numbered(self) -> None:
        self.then(
            "enumerate().map(difference)",
            lambda d: d.enumerate().map(shifted_difference),
            lambda items, key: [x - i for i, x in enumerate(items)],
        )

    def filter(self) -> None:
        self.then(
            "filter(is_odd)", lambda d: d.filter(is_odd), lambda items, key: [x for x in items if is_odd(x)]
        )

    def take(self) -> None:
        count = self.draws.choice([0, 3, 20])
        self.then(f"take({count})", lambda d: d.take(count), lambda items, key: items[:count])

    def skip(self) -> None:
        count = self.draws.choice([0, 1, 4])
        self.then(f"skip({count})", lambda d: d.skip(count), lambda items, key: items[count:])

    def shuffle(self) -> None:
        buffer, seed, each = (
            self.draws.choice([None, 3, 100]),
            self.draws.randint(0, 9),
            self.draws.random() < 0.7,
        )
        self.then(
            f"shuffle({buffer}, {seed}, {each})",
            lambda d: d.shuffle(buffer, seed, each),
            lambda items, key: shuffled(items, buffer, [seed, 0, *(key if each else ())]),
        )

    def batch(self) -> None:
        count, drops = self.draws.choice([1, 2, 5]), self.draws.random() < 0.5
        self.rank += 1
        self.then(
            f"batch({count}, {drops})",
            lambda d: d.batch(count, drops),
            lambda items, key: batched(items, count, drops),
        )

    def unbatch(self) -> None:
        if self.rank:
            self.rank -= 1
            self.then("unbatch()", lambda d: d.unbatch(), lambda items, key: [x for b in items for x in b])

    def repeat(self) -> None:
        before, count = self.reference, self.draws.choice([0, 2, 3])
        self.text += f".repeat({count})"
        is_endless = count == 3
        self.dataset = self.dataset.repeat().take(17) if is_endless else self.dataset.repeat(count)

        def repeated(key: tuple[int, ...]) -> list[Any]:
            if is_endless:
                rounds = [before((*key, number)) for number in range(17)]
                length = next((n for n, items in enumerate(rounds) if not items), 17)
                return [item for items in rounds[:length] for item in items][:17]
            return [item for number in range(count) for item in before((*key, number))]

        drawn = "shuffle" in self.text or "filter" in self.text or "batch" in self.text
        self.reference = repeated if drawn else lambda key: repeated(key)

    def concatenate(self) -> None:
        if not self.rank:
            self.then(
                "concatenate(range(4))",
                lambda d: d.concatenate(Dataset.range(4)),
                lambda items, key: items + list(range(4)),
            )

    def zip(self) -> None:
        self.then(
            "zip(range(7))",
            lambda d: Dataset.zip(Dataset.range(7), d).map(shifted_difference),
            lambda items, key: [x - i for i, x in zip(range(7), items, strict=False)],
        )


STEPS = [getattr(Program, name) for name in vars(Program) if not name.startswith("_") and name != "then"]


def digest(dataset: Any) -> Any:
    """Numbers that tell all elements, their shapes and their order."""
    count, total = 0, np.int64(7)
    for x in dataset:
        weights = np.arange(1, x.size + 1)
        total = (total * 31 + (x.reshape(-1) * weights).sum() + 7 * x.size + x.ndim) % 1000003
        count += 1
    return count, total


def outcome(run: Callable[[], Any]) -> Any:
    try:
        count, total = run()
    except (Uneven, ValueError):
        return "uneven"
    return int(count), int(total)


def digest_of_reference(program: Program, epoch: int) -> Any:
    return outcome(lambda: digest([np.asarray(x) for x in program.reference((epoch,))]))


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_plain_python_agrees_with_the_reference(first: int) -> None:
    for seed in range(first, first + 100):
        program = Program(random.Random(seed))
        for epoch in range(2):
            assert outcome(lambda p=program: digest(p.dataset)) == digest_of_reference(program, epoch), (
                program.text
            )
            if outcome(lambda p=program: digest(p.dataset.take(0))) == "uneven":
                break
            if digest_of_reference(program, epoch) == "uneven":
                break


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(12))
def test_compiled_code_agrees_with_plain_python(seed: int) -> None:
    program = Program(random.Random(1000 + seed))
    wanted = [digest_of_reference(program, epoch) for epoch in range(2)]
    compiled = weft.function(digest)
    for number in wanted:
        assert outcome(lambda: compiled(program.dataset)) == number, program.text
        if number == "uneven":
            return
    assert compiled.trace_count == 1
