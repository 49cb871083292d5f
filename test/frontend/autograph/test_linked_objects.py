"""Objects that lead to each other: lists, trees and graphs of nodes, of which the program makes as many as it needs."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
import pytest

from support.behaviour_harness import same

n = np.int64


class GridNode:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.g = math.inf
        self.h = 0.0
        self.parent = None
        self.closed = False

    @property
    def f(self):
        return self.g + self.h


class LNode:
    def __init__(self, value):
        self.value = value
        self.next = None


class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, value):
        node = LNode(value)
        node.next = self.head
        self.head = node
        self.size += 1

    def reverse(self):
        prev = None
        cur = self.head
        while cur is not None:
            nxt = cur.next
            cur.next = prev
            prev = cur
            cur = nxt
        self.head = prev

    def to_list(self):
        out = []
        cur = self.head
        while cur:
            out.append(cur.value)
            cur = cur.next
        return out


class TNode:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None
        self.count = 1


class UF:
    def __init__(self, i):
        self.id = i
        self.parent = self
        self.rank = 0


class Cell:
    def __init__(self, x, y, alive):
        self.x, self.y, self.alive = x, y, alive
        self.neighbours = []
        self.next_alive = False


class GNode:
    def __init__(self, i):
        self.i = i
        self.edges = []
        self.visited = False
        self.dist = -1


class Tree:
    def __init__(self, value):
        self.value = value
        self.children = []

    def add(self, child):
        self.children.append(child)


class Task:
    def __init__(self, priority, name):
        self.priority = priority
        self.name = name
        self.done = False

    def __lt__(self, other):
        return self.priority < other.priority


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a
        self.b = None


def find(u):
    while u.parent is not u:
        u.parent = u.parent.parent
        u = u.parent
    return u


def tasks(count):
    queue = []
    for i in range(count):
        heapq.heappush(queue, Task((i * 5) % 7, i))
    order = []
    while queue:
        t = heapq.heappop(queue)
        t.done = True
        t.priority += 10
        order.append(t)
    return [t.name for t in order], order


def astar(grid):
    h, w = grid.shape
    nodes = []
    for y in range(h):
        for x in range(w):
            nodes.append(GridNode(x, y))
    start, goal = nodes[0], nodes[h * w - 1]
    start.g = 0.0
    open_list = [start]
    while open_list:
        current = min(open_list, key=lambda nd: nd.f)
        if current is goal:
            break
        open_list.remove(current)
        current.closed = True
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            x, y = current.x + dx, current.y + dy
            if x < 0 or y < 0 or x >= w or y >= h or grid[y, x] == 1:
                continue
            nb = nodes[y * w + x]
            if nb.closed:
                continue
            g = current.g + 1.0
            if g < nb.g:
                nb.g = g
                nb.h = float(abs(goal.x - x) + abs(goal.y - y))
                nb.parent = current
                if nb not in open_list:
                    open_list.append(nb)
    path = []
    node = goal
    while node is not None:
        path.append((node.x, node.y))
        node = node.parent
    path.reverse()
    return path, goal.g


def linked_list(count):
    items = LinkedList()
    for i in range(count):
        items.push(i * i)
    items.reverse()
    return items.to_list(), items.size


def bst(keys):
    root = None
    for k in keys:
        if root is None:
            root = TNode(k)
            continue
        node = root
        while True:
            if k == node.key:
                node.count += 1
                break
            elif k < node.key:
                if node.left is None:
                    node.left = TNode(k)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = TNode(k)
                    break
                node = node.right
    out = []
    stack = []
    node = root
    while stack or node is not None:
        while node is not None:
            stack.append(node)
            node = node.left
        node = stack.pop()
        out.append((node.key, node.count))
        node = node.right
    return out, root


def union_find(count, edges):
    nodes = []
    for i in range(count):
        nodes.append(UF(i))
    for a, b in edges:
        ra, rb = find(nodes[a]), find(nodes[b])
        if ra is rb:
            continue
        if ra.rank < rb.rank:
            ra, rb = rb, ra
        rb.parent = ra
        if ra.rank == rb.rank:
            ra.rank += 1
    return [find(u).id for u in nodes]


def life(size, steps):
    cells = []
    for y in range(size):
        for x in range(size):
            cells.append(Cell(x, y, (x * 3 + y * 5) % 4 == 0))
    for c in cells:
        for d in cells:
            if c is not d and abs(c.x - d.x) <= 1 and abs(c.y - d.y) <= 1:
                c.neighbours.append(d)
    for _ in range(steps):
        for c in cells:
            k = sum(1 for nb in c.neighbours if nb.alive)
            c.next_alive = k == 3 or (c.alive and k == 2)
        for c in cells:
            c.alive = c.next_alive
    return sum(c.alive for c in cells), [c.alive for c in cells]


def graph_bfs(count, edges):
    nodes = []
    for i in range(count):
        nodes.append(GNode(i))
    for a, b in edges:
        nodes[a].edges.append(nodes[b])
        nodes[b].edges.append(nodes[a])
    queue = [nodes[0]]
    nodes[0].visited = True
    nodes[0].dist = 0
    while queue:
        cur = queue.pop(0)
        for nb in cur.edges:
            if not nb.visited:
                nb.visited = True
                nb.dist = cur.dist + 1
                queue.append(nb)
    return [nd.dist for nd in nodes], nodes


def tree_sum(count):
    nodes = []
    for i in range(count):
        t = Tree(i)
        if i > 0:
            nodes[(i - 1) // 2].add(t)
        nodes.append(t)

    def total(t):
        s = t.value
        for c in t.children:
            s += total(c)
        return s

    return total(nodes[0]), nodes[0]


def slotted(count):
    cs = []
    for i in range(count):
        cs.append(Slotted(i))
    for i in range(1, len(cs)):
        cs[i].b = cs[i - 1]
        cs[i].a += cs[i].b.a
    return [c.a for c in cs], cs[2].b is cs[1]


@pytest.mark.slow
@dataclass
class Link:
    value: int
    next: object = None


def turned_at_each_node(size):
    head = None
    for value in range(size):
        head = Link(value, head)
        turned = None
        while head is not None:
            following = head.next
            head.next = turned
            turned = head
            head = following
        head = turned
    values = []
    while head is not None:
        values.append(head.value)
        head = head.next
    return values


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (tasks, (n(9),)),
        (astar, (np.array([[0, 0, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]]),)),
        (linked_list, (n(30),)),
        (bst, (np.array([5, 2, 8, 1, 9, 2, 5, 7, 3] * 4),)),
        (
            union_find,
            (
                n(10),
                np.array([[0, 1], [2, 3], [1, 3], [5, 6], [7, 6], [8, 9]]),
            ),
        ),
        (
            life,
            (
                n(5),
                n(4),
            ),
        ),
        (
            graph_bfs,
            (
                n(8),
                np.array([[0, 1], [1, 2], [0, 3], [3, 4], [4, 5], [2, 6]]),
            ),
        ),
        (tree_sum, (n(15),)),
        (slotted, (n(6),)),
        (turned_at_each_node, (n(6),)),
    ],
)
def test_programs_are_those_of_python(program, arguments) -> None:
    same(program, arguments, rtol=1e-12)
