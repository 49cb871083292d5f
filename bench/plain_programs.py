"""Programs of plain Python, as people write them: no NumPy, lists of lists, dicts that count, texts, two pointers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any


def two_sum(numbers: Any, target: Any) -> Any:
    seen = {}
    for i, x in enumerate(numbers):
        if target - x in seen:
            return [seen[target - x], i]
        seen[x] = i
    return []


def two_pointers(numbers: Any, target: Any) -> Any:
    lo, hi = (0, len(numbers) - 1)
    while lo < hi:
        s = numbers[lo] + numbers[hi]
        if s == target:
            return (lo, hi)
        if s < target:
            lo += 1
        else:
            hi -= 1
    return (-1, -1)


def transposed(m: Any) -> Any:
    rows, cols = (len(m), len(m[0]))
    out = []
    for j in range(cols):
        row = []
        for i in range(rows):
            row.append(m[i][j])
        out.append(row)
    return out


def build_graph(n: Any, edges: Any) -> Any:
    graph = [[] for _ in range(n)]
    for a, b in edges:
        graph[a].append(b)
        graph[b].append(a)
    return graph


def common_length(a: Any, b: Any) -> Any:
    n, m = (len(a), len(b))
    table = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[n][m]


def edit_distance(a: Any, b: Any) -> Any:
    previous = list(range(len(b) + 1))
    for i in range(len(a)):
        current = [i + 1]
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current.append(min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost))
        previous = current
    return previous[-1]


def coin_change(coins: Any, amount: Any) -> Any:
    best = [amount + 1] * (amount + 1)
    best[0] = 0
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a:
                best[a] = min(best[a], best[a - c] + 1)
    return best[amount] if best[amount] <= amount else -1


def collatz(n: Any) -> Any:
    best, where = (0, 0)
    for i in range(1, n):
        x, steps = (i, 0)
        while x != 1:
            if x % 2 == 0:
                x //= 2
            else:
                x = 3 * x + 1
            steps += 1
        if steps > best:
            best, where = (steps, i)
    return (where, best)


def ones(n: Any) -> Any:
    total = 0
    for i in range(n):
        x = i
        while x:
            x &= x - 1
            total += 1
    return total


def counts(words: Any) -> Any:
    found = {}
    for w in words:
        if w in found:
            found[w] += 1
        else:
            found[w] = 1
    return found


def histogram(numbers: Any) -> Any:
    found = {}
    for x in numbers:
        found[x] = found.get(x, 0) + 1
    best = None
    for key in found:
        if best is None or found[key] > found[best]:
            best = key
    return best


def walk(n: Any, seed: Any) -> Any:
    random.seed(seed)
    x = y = 0
    far = 0
    for _ in range(n):
        step = random.randint(0, 3)
        if step == 0:
            x += 1
        elif step == 1:
            x -= 1
        elif step == 2:
            y += 1
        else:
            y -= 1
        far = max(far, abs(x) + abs(y))
    return far


def binary(n: Any) -> Any:
    text = ""
    while n > 0:
        text = str(n % 2) + text
        n //= 2
    return text


def caesar(text: Any, shift: Any) -> Any:
    out = []
    for c in text:
        if c.isalpha():
            base = ord("a") if c.islower() else ord("A")
            out.append(chr((ord(c) - base + shift) % 26 + base))
        else:
            out.append(c)
    return "".join(out)


def bubble(numbers: Any) -> Any:
    a = list(numbers)
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = (a[j + 1], a[j])
                swapped = True
        if not swapped:
            break
    return a


def insertion_in_place(a: Any) -> Any:
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


def merge(a: Any, b: Any) -> Any:
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    while i < len(a):
        out.append(a[i])
        i += 1
    while j < len(b):
        out.append(b[j])
        j += 1
    return out


def spiral(m: Any) -> Any:
    out = []
    top, bottom, left, right = (0, len(m) - 1, 0, len(m[0]) - 1)
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            out.append(m[top][j])
        top += 1
        for i in range(top, bottom + 1):
            out.append(m[i][right])
        right -= 1
        if top <= bottom:
            for j in range(right, left - 1, -1):
                out.append(m[bottom][j])
            bottom -= 1
        if left <= right:
            for i in range(bottom, top - 1, -1):
                out.append(m[i][left])
            left += 1
    return out


def knapsack(weights: Any, values: Any, capacity: Any) -> Any:
    n = len(weights)
    table = [[0] * (capacity + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for w in range(capacity + 1):
            table[i][w] = table[i - 1][w]
            if weights[i - 1] <= w:
                table[i][w] = max(table[i][w], table[i - 1][w - weights[i - 1]] + values[i - 1])
    return table[n][capacity]


def steps_in_grid(grid: Any) -> Any:
    rows, cols = (len(grid), len(grid[0]))
    distance = [[-1] * cols for _ in range(rows)]
    distance[0][0] = 0
    queue = [(0, 0)]
    head = 0
    while head < len(queue):
        r, c = queue[head]
        head += 1
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            rr, cc = (r + dr, c + dc)
            if 0 <= rr < rows and 0 <= cc < cols and (grid[rr][cc] == 0) and (distance[rr][cc] < 0):
                distance[rr][cc] = distance[r][c] + 1
                queue.append((rr, cc))
    return distance[rows - 1][cols - 1]


def life(grid: Any) -> Any:
    rows, cols = (len(grid), len(grid[0]))
    new = [[0] * cols for _ in range(rows)]
    for r in range(rows):
        for c in range(cols):
            alive = 0
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if dr or dc:
                        alive += grid[(r + dr) % rows][(c + dc) % cols]
            if alive == 3 or (alive == 2 and grid[r][c]):
                new[r][c] = 1
    return new


def window(numbers: Any, k: Any) -> Any:
    s = sum(numbers[:k])
    best = s
    for i in range(k, len(numbers)):
        s += numbers[i] - numbers[i - k]
        best = max(best, s)
    return best


def run_lengths(text: Any) -> Any:
    out = ""
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out += text[i] + str(j - i)
        i = j
    return out


def gcd_table(n: Any) -> Any:
    count = 0
    for a in range(1, n):
        for b in range(1, n):
            x, y = (a, b)
            while y:
                x, y = (y, x % y)
            if x == 1:
                count += 1
    return count


def pascal(n: Any) -> Any:
    rows = [[1]]
    for _ in range(n):
        last = rows[-1]
        row = [1]
        for i in range(len(last) - 1):
            row.append(last[i] + last[i + 1])
        row.append(1)
        rows.append(row)
    return rows


def longest_increase(numbers: Any) -> Any:
    n = len(numbers)
    best = [1] * n
    for i in range(n):
        for j in range(i):
            if numbers[j] < numbers[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return max(best)


def intervals(spans: Any) -> Any:
    spans = sorted(spans)
    out = [list(spans[0])]
    for lo, hi in spans[1:]:
        if lo <= out[-1][1]:
            out[-1][1] = max(out[-1][1], hi)
        else:
            out.append([lo, hi])
    return out


def all_distances(d: Any) -> Any:
    n = len(d)
    d = [row[:] for row in d]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


def quad_roots(a: Any, b: Any, c: Any) -> Any:
    d = b * b - 4 * a * c
    if d < 0:
        return None
    if d == 0:
        return (-b / (2 * a),)
    s = math.sqrt(d)
    return ((-b - s) / (2 * a), (-b + s) / (2 * a))


def median3(x: Any) -> Any:
    out = [x[0]]
    for i in range(1, len(x) - 1):
        a, b, c = (x[i - 1], x[i], x[i + 1])
        if a > b:
            a, b = (b, a)
        if b > c:
            b, c = (c, b)
        if a > b:
            a, b = (b, a)
        out.append(b)
    out.append(x[-1])
    return out


def sort_copy(a: Any) -> Any:
    return sorted(a)


def dedupe(a: Any) -> Any:
    seen = set()
    out = []
    for x in a:
        if x not in seen:
            seen.add(x)
            out.append(x)
    return out


def group(words: Any) -> Any:
    found = {}
    for w in words:
        key = len(w)
        if key not in found:
            found[key] = []
        found[key].append(w)
    return found


def reverse_words(text: Any) -> Any:
    words = text.split()
    out = []
    for w in words:
        out.append(w[::-1])
    return " ".join(out)


def fizz_buzz(n: Any) -> Any:
    out = []
    for i in range(1, n + 1):
        if i % 15 == 0:
            out.append("FizzBuzz")
        elif i % 3 == 0:
            out.append("Fizz")
        elif i % 5 == 0:
            out.append("Buzz")
        else:
            out.append(str(i))
    return out


def digits(n: Any) -> Any:
    out = []
    while n:
        out.append(n % 10)
        n //= 10
    return out[::-1]


def rotate_in_place(a: Any, k: Any) -> Any:
    n = len(a)
    k %= n
    i, j = (0, n - 1)
    while i < j:
        a[i], a[j] = (a[j], a[i])
        i += 1
        j -= 1
    i, j = (0, k - 1)
    while i < j:
        a[i], a[j] = (a[j], a[i])
        i += 1
        j -= 1


def powmod(b: Any, e: Any, m: Any) -> Any:
    r = 1
    b %= m
    while e > 0:
        if e & 1:
            r = r * b % m
        b = b * b % m
        e >>= 1
    return r


def hanoi(n: Any) -> Any:
    moves = []
    stack = [(n, 0, 2, 1)]
    while stack:
        k, a, b, c = stack.pop()
        if k == 1:
            moves.append((a, b))
        else:
            stack.append((k - 1, c, b, a))
            stack.append((1, a, b, c))
            stack.append((k - 1, a, c, b))
    return moves


Given = tuple[Any, ...]


class Draw(random.Random):
    """Draws what programs are given."""

    def whole(self, count: int, limit: int = 1000) -> list[int]:
        """Numbers below a limit."""
        return [self.randrange(limit) for _ in range(count)]

    def rows(self, count: int, length: int, limit: int = 100) -> list[list[int]]:
        """Lists of numbers."""
        return [self.whole(length, limit) for _ in range(count)]

    def text(self, length: int, letters: str = "abcd") -> str:
        """A text of some letters."""
        return "".join(self.choice(letters) for _ in range(length))


CASES: list[tuple[Callable[..., Any], Callable[[Draw], Given]]] = [
    (two_sum, lambda r: (r.whole(60), r.randrange(2000))),
    (two_pointers, lambda r: (sorted(r.whole(200)), r.randrange(2000))),
    (transposed, lambda r: (r.rows(20, 30),)),
    (build_graph, lambda r: (50, [(r.randrange(50), r.randrange(50)) for _ in range(200)])),
    (common_length, lambda r: (r.text(60), r.text(60))),
    (edit_distance, lambda r: (r.text(60), r.text(60))),
    (coin_change, lambda r: ([1, 2, 5, 10, 25], 500 + r.randrange(100))),
    (collatz, lambda r: (1000 + r.randrange(100),)),
    (ones, lambda r: (3000 + r.randrange(1000),)),
    (counts, lambda r: ([r.text(2) for _ in range(200)],)),
    (histogram, lambda r: (r.whole(300, 50),)),
    (walk, lambda r: (1000, r.randrange(100))),
    (binary, lambda r: (r.randrange(10**15),)),
    (caesar, lambda r: (r.text(200, "abcXYZ ,"), r.randrange(26))),
    (bubble, lambda r: (r.whole(60),)),
    (insertion_in_place, lambda r: (r.whole(60),)),
    (merge, lambda r: (sorted(r.whole(100)), sorted(r.whole(100)))),
    (spiral, lambda r: (r.rows(20, 20),)),
    (knapsack, lambda r: (r.whole(20, 30), r.whole(20), 200 + r.randrange(10))),
    (steps_in_grid, lambda r: ([[int(r.random() < 0.25) for _ in range(20)] for _ in range(20)],)),
    (life, lambda r: (r.rows(20, 20, 2),)),
    (window, lambda r: (r.whole(300), 10)),
    (run_lengths, lambda r: (r.text(200, "ab"),)),
    (gcd_table, lambda r: (50 + r.randrange(10),)),
    (pascal, lambda r: (20 + r.randrange(5),)),
    (longest_increase, lambda r: (r.whole(100),)),
    (intervals, lambda r: ([(a, a + r.randrange(20)) for a in r.whole(100)],)),
    (all_distances, lambda r: (r.rows(20, 20),)),
    (quad_roots, lambda r: (1.0 + r.random(), 5 + r.random(), r.random())),
    (median3, lambda r: ([r.random() for _ in range(500)],)),
    (sort_copy, lambda r: (r.whole(20),)),
    (dedupe, lambda r: (r.whole(100, 50),)),
    (group, lambda r: ([r.text(r.randrange(1, 5)) for _ in range(50)],)),
    (reverse_words, lambda r: (" ".join(r.text(4) for _ in range(20)),)),
    (fizz_buzz, lambda r: (50 + r.randrange(20),)),
    (digits, lambda r: (r.randrange(10**12),)),
    (rotate_in_place, lambda r: (r.whole(50), r.randrange(50))),
    (powmod, lambda r: (r.randrange(10**6), r.randrange(10**6), 10**6 + 7)),
    (hanoi, lambda r: (r.randrange(4, 10),)),
]
