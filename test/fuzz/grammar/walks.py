"""What is walked item by item: deques, generators, closures that count, and values that `match` takes apart."""

from __future__ import annotations

from .tables import Tables

GENERATORS = (
    "def {g}(n):\n    a, b = 0, 1\n    while a < n:\n        yield a\n        a, b = b, a + b",
    "def {g}(n):\n    for i in range(n):\n        if i % 2 == {few} % 2:\n            continue\n"
    "        yield i * {number}",
    "def {g}(n):\n    yield n\n    if {condition}:\n        return\n    yield from range(n)",
    "def {g}(n):\n    best = {number}\n    for q in {array}.ravel():\n        if q > best:\n            best = q\n"
    "        yield best",
    "def {g}(n):\n    try:\n        yield n\n        yield {number}\n    finally:\n        print('closed', n)",
)
"""Generators of one small integer."""

WALKS = (
    "{v} = list({g}({k}))", "{v} = sum({g}({k}))", "{v} = next({g}({k}), -1)", "{v} = max({g}({k}), default=0)",
    "{v} = [q * 2 for q in {g}({k})]", "{v} = any(q > {literal} for q in {g}({k}))",
    "{v} = 0\nfor q, w in zip({g}({k}), range(3)):\n    {v} = {v} + q * w",
    "{v} = 0\nfor q in {g}({k}):\n    if q > {literal}:\n        break\n    {v} = q\nelse:\n    print('all')",
    "{v} = {g}({k})\nprint(next({v}, None), list({v}))\ndel {v}",
)  # fmt: skip
"""What is done with them."""

FILLED = (
    "{d} = collections.deque(maxlen={few})\nfor q in {source}:\n    {d}.append(q)",
    "{d} = collections.deque()\nfor q in {source}:\n    {d}.append(q)\n    if len({d}) > {few}:\n        {d}.popleft()",
    "{d} = collections.deque([{number}, {number}, {number}])\n{d}.rotate({integer})",
    "{d} = collections.deque({source})\nif {condition}:\n    {d}.appendleft({integer})\n"
    "else:\n    {d}.append({integer})",
    "{d} = collections.deque([{integer}])\nwhile len({d}) < 4 and {d}[-1] < 9:\n    {d}.append({d}[-1] * 2 + 1)",
)
"""Deques that a program fills."""

ASKED = (
    "{v} = len({d})", "{v} = list({d})", "{v} = sum({d})", "{v} = {d}[0]", "{v} = {d}[-1]", "{v} = {integer} in {d}",
    "{d}.reverse()\n{v} = {d}", "{v} = [q + 1 for q in {d}]", "{d}.rotate({integer})\n{v} = list({d})", "print({d})",
    "{d}.extend([1, 2])\n{v} = {d}.pop()", "{v} = 0\nwhile {d}:\n    {v} = {v} * 2 + {d}.popleft()",
    "try:\n    for q in {d}:\n        if q > {literal}:\n            {d}.append(1)\nexcept RuntimeError as error:\n"
    "    print(error)",
    "{d}.extendleft([3, 4])\n{v} = tuple({d})", "{v} = {d}.count({integer})", "{d}[0] = {integer}\n{v} = {d}.copy()",
)  # fmt: skip
"""What is asked of them."""

COUNTERS = (
    "def {g}(n):\n    def step(k):\n        nonlocal n\n        n = n + k\n        return n\n    return step",
    "def {g}(n):\n    kept = [n]\n    def step(k):\n        kept.append(kept[-1] + k)\n        return kept[-1]\n"
    "    return step",
    "def {g}(n):\n    kept = {{'n': n}}\n    def step(k):\n        if k > {literal}:\n"
    "            kept['n'] = kept['n'] + k\n"
    "        return kept['n']\n    return step",
)
"""Functions that make functions with state of their own."""

TAKEN_APART = (
    "match ({integer} % 3, {integer} % 2):\n    case (0, _):\n        {v} = 1\n    case (a, 1) if a > 1:\n"
    "        {v} = a\n"
    "    case (a, b):\n        {v} = a + b",
    "match {{'kind': 'a', 'n': {number}}}:\n    case {{'kind': 'b'}}:\n        {v} = 0.0\n"
    "    case {{'kind': 'a', 'n': n}} if n > {literal}:\n        {v} = float(n)\n    case _:\n        {v} = -1.0",
    "match Box({number}, {integer}):\n    case Box(n=0):\n        {v} = 0.0\n    case Box(w=w, n=n) if n > w:\n"
    "        {v} = float(n)\n    case Box(w=w):\n        {v} = float(w)",
    "match {integer} % 5:\n    case 0 | 1:\n        {v} = 'few'\n    case 2:\n        {v} = 'two'\n    case n:\n"
    "        {v} = f'{{n!r}}'",
    "match [{number}, {number}, {number}]:\n    case [a, *rest] if a > {literal}:\n        {v} = len(rest)\n"
    "    case [*_, b]:\n        {v} = 7",
)
"""Matches that bind what they take apart."""

GUARDED = (
    "{v} = 0.0\ntry:\n    for q in {array}.ravel():\n        if q > {literal}:\n"
    "            raise ValueError(f'{{q:.1f}}')\n"
    "        {v} = {v} + 1.0\nexcept ValueError as error:\n    print(error)\nfinally:\n    {v} = {v} * 2.0",
    "{v} = 0\nfor q in range({integer} % 5):\n    try:\n        {v} = {v} + 6 // (q - {few})\n"
    "    except ZeroDivisionError:\n        {v} = -{v}\n        continue\n    finally:\n        print(q)",
    "{v} = {{'a': 1}}\ntry:\n    {v}['a'] = {v}['b' if {condition} else 'a'] + 1\nexcept KeyError as error:\n"
    "    {v}['a'] = 7\n    print(error)",
    "try:\n    {v} = [1, 2, 3][{integer}]\nexcept IndexError:\n    {v} = -1\nelse:\n    {v} = {v} * 2",
)
"""Exceptions that run-time values decide on."""


class Walks(Tables):
    """A function that walks and takes apart what it makes."""

    def walk(self) -> None:
        """Make something that is walked, counted on, or taken apart, and ask it something."""
        self.one(self.queue, self.generator, self.counting, self.take_apart, self.guarded)()

    def queue(self) -> None:
        """A deque."""
        name = self.fresh("d")
        self._text(FILLED, d=name, source=self.key_source)
        for _ in range(self.random.randint(1, 2)):
            self._text(ASKED, d=name, v=self.fresh())

    def generator(self) -> None:
        """A generator."""
        name = self.fresh("g")
        self._function(GENERATORS, name)
        self._text(WALKS, g=name, v=self.fresh(), k=f"{self.integer()} % {self.random.randint(2, 7)}")

    def counting(self) -> None:
        """A function with state of its own, made by another one."""
        name, step = self.fresh("g"), self.fresh("g")
        self._function(COUNTERS, name)
        self._function((f"{step} = {name}({self.number()})",), step)
        call = f"{step}({self.number()})"
        use = self.one(
            f"for q in range({self.integer()} % 4):\n    {call}", call, f"if {self.condition()}:\n    {call}"
        )
        self._text((use.replace("{", "{{"),))
        self._text((f"{self.fresh()} = {step}(0)",))

    def take_apart(self) -> None:
        """A match."""
        self._text(TAKEN_APART, v=self.fresh())

    def guarded(self) -> None:
        """An exception that is caught."""
        self._text(GUARDED, v=self.fresh())

    def _function(self, texts: tuple[str, ...], name: str) -> None:
        """Write a function, which is no value that is kept or returned."""
        text = self.template(*texts, g=name)
        self.bind_function(name, text.replace("{{", "{").replace("}}", "}"), None)

    def _text(self, texts: tuple[str, ...], **given: object) -> None:
        """Write statements that run on the examples."""
        text = self.template(*texts, **given)  # type: ignore[arg-type]
        self._execute_all([text.replace("{{", "{").replace("}}", "}")])


__all__ = ["Walks"]
