"""Objects of classes that a function defines itself, of which there are as many as the program makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import weft
from support.behaviour_harness import same


def test_populations():
    def f(steps):
        @dataclass
        class Animal:
            alive: bool = True
            age: int = 0

            def grow(self):
                self.age += 1
                self.alive = self.age < 5

        animals, random, sizes = [Animal() for _ in range(3)], np.random.default_rng(1), []
        for _ in range(steps):
            for animal in animals:
                animal.grow()
            animals = [animal for animal in animals if animal.alive]
            if random.random() < 0.6:
                animals.append(Animal())
            sizes.append(len(animals))
        return sizes, [animal.age for animal in animals]

    same(f, 30)


def test_linked_lists():
    def f(n):
        class Node:
            def __init__(self, value):
                self.value = value
                self.following = None
                self.visits = 0

        head = None
        for i in range(n):
            node = Node(i * i)
            node.following = head
            head = node
        found = []
        while head is not None:
            head.visits += 1
            found.append(head.value + head.visits)
            head = head.following
        return found

    same(f, 12)


def test_two_classes_of_one_name():
    def f(x):
        def made(first):
            class Counter:
                def __init__(self):
                    self.count = first

            return Counter

        one, other, counters = made(1), made(2), []
        for i, v in enumerate(x):
            counters.append(one() if v > 0 else other())
            counters[-1].count += i
        return [counter.count for counter in counters]

    same(f, np.array([1.0, -1.0, 2.0, -2.0]))


def test_each_call_makes_the_class():
    @weft.function
    def f(x):
        class Item:
            def __init__(self):
                self.count = 0

        items = []
        for v in x:
            if v > 0:
                items.append(Item())
            for item in items:
                item.count += 1
        return items[0]

    x = np.array([1.0, -1.0, 2.0])
    one, other = f(x), f(x)
    assert (one.count, type(one).__qualname__) == (
        3,
        "test_each_call_makes_the_class.<locals>.f.<locals>.Item",
    )
    assert one is not other


def test_attributes_of_such_a_class_are_changed():
    def f(x):
        class Item:
            made = 0

            def __init__(self):
                self.count = 0
                Item.made += 1

        items = []
        for v in x:
            if v > 0:
                items.append(Item())
            for item in items:
                item.count += 1
        return Item.made

    compiled = weft.function(f)
    for x in ([1.0, -1.0], [2.0, 3.0, 1.0]):
        assert compiled(np.array(x)) == f(np.array(x))
