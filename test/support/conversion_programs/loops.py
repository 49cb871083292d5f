"""Loops and jumps out of them."""

from __future__ import annotations

from support.conversion_programs.catalogue import Box, program


@program(0, 1, 5)
def while_loop(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total, n


@program(0, 3)
def while_else(n):
    while n:
        n -= 1
        if n == 5:
            break
    else:
        return "finished", n
    return "broken", n


@program(6, 10)
def while_break_else(n):
    while n:
        n -= 1
        if n == 5:
            break
    else:
        print("else")
    return n


@program(0, 1, 7)
def while_continue(n):
    seen = []
    while n:
        n -= 1
        if n % 2:
            continue
        seen.append(n)
    return seen


@program(1, 5)
def while_true(n):
    while True:
        n += 1
        if n > 3:
            return n
        last = n
        if n > 10:
            break
    return last


@program(0, 4)
def while_true_binds(n):
    while 1:
        y = n
        n += 1
        if n > 3:
            break
    return y


@program([], [1, 0, 2], [3, 4])
def while_walrus(items):
    found = []
    while items and (last := items.pop()):
        found.append(last)
    return found, items, last


@program(0, 2)
def loop_binds_a_name(n):
    i = 0
    while i < n:
        last = i
        i += 1
    return last


@program(3)
def while_test_is_evaluated_each_time(n):
    def test():
        print("test", n)
        return n > 0

    while test():
        n -= 1
    return n


@program([], [1], [1, 2, 3])
def for_loop(items):
    total = 0
    for item in items:
        total += item
    return total


@program([], [1, 2])
def for_target_stays(items):
    for item in items:
        pass
    return item


@program([], [1, 2])
def for_target_was_bound(items):
    item = "before"
    for item in items:
        item = item * 2
    return item


@program([(1, 2), (3, 4)], [(1, 2, 3)], [1])
def for_unpacks(pairs):
    for a, b in pairs:
        print(a, b)
    return a, b


@program([(1, (2, 3, 4))], [])
def for_unpacks_deeply(pairs):
    for i, (a, *[b, c]) in enumerate(pairs):
        a, (b, *c) = i, (a, b, c)
    return a, b, c


@program([1, 2])
def for_target_is_an_item(items):
    d = {}
    for d["key"] in items:
        print(d)
    return d


@program(Box())
def for_target_is_an_attribute(box):
    for box.value in [1, 2]:
        print(box)
    return box


@program([1, 5, 2], [1, 2], [])
def for_search(items):
    for index, item in enumerate(items):
        if item > 3:
            return index
    return -1


@program([1, 5, 2], [1, 2], [])
def for_break_else(items):
    for item in items:
        if item > 3:
            found = item
            break
    else:
        found = None
    return found


@program(3, 4)
def nested_loops_with_jumps(n):
    out = []
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 2:
                continue
            if i * j == 9:
                return "nine", out
            out.append((i, j))
        else:
            out.append("else")
            if i == 2:
                continue
        out.append(i)
    else:
        out.append("end")
    return out


@program([1, 2, 3])
def for_else_jumps(items):
    for i in range(3):
        for item in items:
            pass
        else:
            if i == 1:
                break
            continue
        print("never")
    return i


@program([3, 1, 2])
def bubble_sort(items):
    n = len(items)
    for i in range(n):
        for j in range(n - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    return items


@program(5)
def loop_iterates_over_changing_list(n):
    items = [0]
    for item in items:
        if len(items) < n:
            items.append(item + 1)
    return items


@program(None, 3)
def for_over_what_cannot_be_iterated(x):
    for item in x:
        pass
