"""Expressions, assignments to items, comprehensions."""

from __future__ import annotations

import math
import os.path

from support.conversion_programs.catalogue import Box, program


@program((0, 0), (0, 1), (1, 0), (1, 1))
def conditional_expressions(a, b):
    return (a if b else -1), ("x" if a else "y" if b else "z"), [1 if a else 2][0]


@program((0, 0, 0), (0, 1, 2), (1, 0, 3), (2, 3, 4))
def boolean_operators(a, b, c):
    return a and b and c, a or b or c, not a, not (a and b), a and b or c, (a or b) and c


@program(0, 1)
def short_circuit(x):
    x and print("and")
    x or print("or")
    return x and print("x") or "y"


@program((1, 2, 3), (3, 2, 1), (1, 1, 1), (1, "a", 2))
def chained_comparisons(a, b, c):
    return a < b < c, a <= b <= c != a, a == b == c, (a < b) < c, a < b in [b, c] is not None


@program(1, 2)
def comparison_middle_is_evaluated_once(x):
    def middle():
        print("middle")
        return 2

    return 0 < middle() < 3, 5 < middle() < print("never"), 0 < middle() <= middle() < 9


@program(1)
def comparison_with_walrus(x):
    return 0 < (y := x) < y + 1 < (y := 7) > x, y


@program(None, 0, [])
def identity_and_membership(x):
    return x is None, x is not None, x in [None, 0], x not in (None, 0), not x in [[]]


@program((3, 4))
def walrus_in_conditions(a, b):
    if (n := a) > 2 and (m := b) > n:
        return n, m
    return n


@program((0, 4), (1, 0))
def walrus_under_a_condition(a, b):
    c = a and (n := b)
    return c, n


@program(3)
def walrus_in_a_ternary(x):
    y = (a := 1) if x else (b := 2)
    return y, a, b


@program([1, 2, 3])
def walrus_in_a_comprehension(items):
    squares = [last := item * item for item in items if (seen := item) > 1]
    return squares, last, seen


@program(3.14159, 42, "text")
def fstrings(x):
    width = 10
    return f"{x}", f"{x!r:>{width}}|{x!s:<{width}}|", f"{{{x}}}", f"plain", f"{x=}", f"a{x}b{x!a}c"


@program(3.14159, "text")
def fstring_formats(x):
    return f"{x:.2f}{x:{'>' if x else '<'}10}"


@program([1, 2, 3, 4])
def slices(x):
    x[1:3] = [9, 8, 7]
    y = x[::2], x[-1], x[:-1], x[1:][0]
    del x[0], x[1:2]
    return x, y


@program({"a": {"b": 1}})
def nested_items(d):
    d["a"]["b"] += 2
    d["a"]["c"] = d["a"]["b"] * 2
    d["x"] = d["y"] = {}
    d["x"]["z"] = 1
    return d


@program([1, 2, 3], [])
def order_of_item_assignment(x):
    def value():
        print("value")
        return 5

    def index():
        print("index")
        return 0

    def items():
        print("items")
        return x

    items()[index()] = value()
    items()[index()] += value()
    x[0], items()[index()], y = value(), value(), 3
    return x, y


@program([1, 2, 3])
def item_update_reads_first(x):
    def change():
        x[0] = 100
        return 1

    x[0] += change()
    return x


@program([0, 1, 2])
def item_targets_see_earlier_targets(x):
    i, x[i] = 1, 10
    x[i], i = 20, 2
    x[0], *x[1:], i = 7, 8, 9, i
    (x[0], (a, x[1])), b = (1, (2, 3)), 4
    return x, i, a, b


@program([1, 2])
def failing_unpack_keeps_what_was_assigned(x):
    try:
        a, (x[0], b) = 5, (6, 7, 8)
    except ValueError as error:
        print(error)
    return a, x


@program(Box(1))
def attributes(box):
    box.value += 2
    box.other = box.value * 2
    box.items[0] = box.get()
    box.items[-1] += 1
    del box.other
    return box.value, box.items, hasattr(box, "other")


@program(Box(1))
def missing_attribute(box):
    return box.missing


@program((1, 2))
def calls(a, b):
    def f(*args, **kwargs):
        return args, kwargs

    return f(a, *[b, 3], *(), x=1, **{"y": 2}), f(), max(a, b), f(*f(a)[0], **f(z=b)[1])


@program(1)
def wrong_call(x):
    return max(x, key=1, wrong=2)


@program(2.0)
def modules(x):
    import math as m

    path = os.path.join("a", "b")
    return m.sqrt(x), math.pi, path.replace(os.sep, "/"), os.path.sep == os.sep


@program(5)
def lambdas(x):
    f = lambda y, z=x: y if z else x
    g = lambda *a, k=3, **kw: a and (k := k + 1) and (a, k, kw)
    h = lambda a, b=[x]: (b.append(a), b)[-1] if a else b
    return f(1), g(), g(1, q=2), h(1), h(2)


@program(3)
def lambda_with_walrus_and_defaults(x):
    makers = [lambda a=i, b=x + i: a and (c := b) and (c, a) for i in range(3)]
    return [make() for make in makers]


@program([1, 2, 3], [])
def comprehensions(items):
    return (
        [i * 2 for i in items],
        {i % 2 for i in items},
        {i: str(i) for i in items if i > 1},
        sum(i for i in items),
        [i for i in items if i > 1 if i < 3],
    )


@program([[1, 2], [3], []])
def nested_comprehensions(rows):
    flat = [x for row in rows for x in row]
    pairs = [(i, x) for i, row in enumerate(rows) if row for x in row if x != 2]
    deep = [[x * y for x in row] for row, y in zip(rows, range(3))]
    return flat, pairs, deep, {(a, b): c for a in range(2) for b in range(2) for c in range(a, b)}


@program([(1, 2), (3, 4)])
def comprehensions_that_unpack(pairs):
    return (
        [a + b for a, b in pairs],
        [a for a, b in pairs if a < b < 4],
        {a: b for a, (b, *c) in [(1, (2, 3))]},
    )


@program([1, 2, 3])
def comprehension_variables_are_its_own(items):
    i = "outer"
    squares = [i * i for i in items]
    return i, squares, [i for i in [i for i in items]]


@program([1, 2, 3])
def functions_in_comprehensions_share_the_variable(items):
    return [f() for f in [lambda: i for i in items]], [g() for g in (lambda: i for i in items)]


@program(3)
def generators_are_lazy(n):
    def loud(i):
        print("made", i)
        return i

    g = (loud(i) for i in range(n) if loud(i) != 1)
    print("start")
    return next(g), list(g)


@program(2)
def generator_iterates_at_once(n):
    try:
        g = (x for x in n)
    except TypeError:
        return "at once"
    return g


@program([1, None, 2])
def error_in_a_comprehension(items):
    return [1 // i for i in items]


@program([3, 4])
def comprehension_reads_itself_late(items):
    return [x + y for x in items if x for y in [x, x + 1] if y > x], [x for x in items for x in [x, x]]
