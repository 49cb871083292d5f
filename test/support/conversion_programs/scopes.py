"""Functions, scopes, and whole algorithms."""

from __future__ import annotations

import functools
import math

from support.conversion_programs.catalogue import program


@program(0, 1)
def nested_functions(x):
    count = 0

    def add(n):
        nonlocal count
        if n:
            count += n
            return count
        return -1

    return add(x), add(5), count, add.__name__, add.__qualname__


@program(0, 1)
def function_defined_under_a_condition(x):
    if x:

        def f():
            return "first"

    else:

        def f(y=x):
            return "second", y

    return f(), f.__qualname__


@program(4)
def recursion(n):
    def factorial(k):
        if k < 2:
            return 1
        return k * factorial(k - 1)

    return factorial(n)


@program(3)
def functions_made_in_a_loop(n):
    fs = []
    for i in range(n):
        fs.append(lambda: i)
        fs.append(lambda i=i: i if i else "zero")
    return [f() for f in fs]


@program(3)
def nested_generator_functions(n):
    def count():
        i = 0
        while i < n:
            got = yield i
            i += 1 if got is None else got

    g = count()
    return next(g), g.send(2), list(count())


@program(2)
def nested_classes(n):
    class Counter:
        start = n if n else 5

        def __init__(self):
            self.__n = self.start

        def step(self):
            if self.__n > 2:
                return "big"
            self.__n += 1
            return self.__n

    c = Counter()
    return c.step(), c.step(), c.step(), Counter.__qualname__


COUNT = 0


@program(0, 1)
def global_variables(x):
    global COUNT
    if x:
        COUNT = x
    else:
        COUNT = -1
    for COUNT in range(3):
        pass
    try:
        raise ValueError
    except ValueError as COUNT:
        pass
    if x:
        COUNT = 7
    return COUNT


def outer():
    z = 1

    @program(0, 1)
    def nonlocal_variables(x):
        nonlocal z
        z = 1
        if x:
            z += x
        while z > 3:
            z -= 2
        return z

    @program(0, 1)
    def closure_variables(x):
        if x:
            return z, nonlocal_variables

    @program(1)
    def unbound_closure_variable(x):
        if x:
            return late

    return z
    late = 1


outer()


@program(1)
def annotations(x: int, *, y: "no such thing" = 3) -> "nothing":
    z: undefined = 5
    w: int
    if x:
        z: list[int] = x
        w: float = 2.0
    x.real: wrong
    return z, w, y


@program(0, 1)
def imports_under_a_condition(x):
    if x:
        import math as m
        from os import path as p, sep
    else:
        m = p = sep = None
    return m is None, p is None, bool(sep)


@program(1)
def reads_all_variables(x):
    y = 2
    return (
        locals() == {"x": x, "y": y},
        sorted(vars()),
        {"x", "y"} <= set(dir()),
        len(globals()) > 5,
    )


@program(3)
def shadowed_builtins(locals):
    def eval(n):
        return n + 1

    slice = range = len = 5
    if locals:
        return eval(locals), slice, range, [0, 1, 2][1:]


@program((0, 1), (1, 2, 3))
def star_arguments(a, *rest, k=4, **more):
    if a:
        rest = rest[1:]
        k += 1
        more["x"] = rest
    return a, rest, k, more


def decorator(function):
    @functools.wraps(function)
    def wrapper(*args):
        if len(args) > 1:
            return "many"
        return function(*args)

    return wrapper


@program(1, (1, 2))
@decorator
def decorated(x):
    if x:
        return "one"


@program(3)
def decorated_inside(n):
    @functools.lru_cache(maxsize=None)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n), fib.cache_info().misses


@program(0, 1)
def docstring_only(x):
    """Text."""


@program(5)
def mutates_while_looping(n):
    stack = [n]
    seen = set()
    while stack:
        top = stack.pop()
        if top in seen or top < 0:
            continue
        seen.add(top)
        stack += [top - 1, top - 2]
    return sorted(seen)


@program(1, 6, 7, 27)
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 200:
            raise RuntimeError("too long")
    return steps


@program(30)
def sieve(n):
    is_prime = [True] * (n + 1)
    is_prime[0:2] = [False, False]
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            for j in range(i * i, n + 1, i):
                is_prime[j] = False
    return [i for i, p in enumerate(is_prime) if p]


@program(([1, 3, 5, 7], 5), ([1, 3], 4), ([], 1))
def binary_search(items, wanted):
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            return middle
        elif items[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return None
