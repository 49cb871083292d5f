"""Dicts, sets and counters whose keys are computed when the program runs, and views of single numbers."""

from __future__ import annotations

import numpy as np

from .base import is_real
from .roads import Roads
from .scope import Unfit


class Tables(Roads):
    """A function that keeps what it computes under keys that it computes."""

    def keyed(self) -> None:
        """A table that a loop fills, and what is asked of it."""
        table, key, source = self.fresh("t"), self.fresh("q"), self.key_source()
        value = self.one("1", "2.5", key, f"({key} % 2)")
        start, step, queries = self.one(
            ("{}", f"{table}[{key}] = {table}.get({key}, 0) + {value}", "dict"),
            ("{}", f"{table}[({key} % 3, {key})] = {value}", "pairs"),
            ("collections.Counter()", f"{table}[{key}] += 1", "dict"),
            ("collections.defaultdict(int)", f"{table}[{key} % 4] += {value}", "dict"),
            ("collections.defaultdict(list)", f"{table}[{key} % 3].append({key})", "lists"),
            ("set()", f"{table}.add({key} % 5)", "set"),
            ("set()", f"{table}.add(({key}, {key} % 2))", "set"),
            ("{0: 0, 1: 5}", f"if {key} in {table}: {table}[{key}] += {value}", "dict"),
        )
        self._execute_all([f"{table} = {start}", f"for {key} in {source}:\n    {step}"])
        for _ in range(self.random.randint(1, 2)):
            self._execute_all([self.query(table, queries)])

    def key_source(self) -> str:
        """Integers and floats, mostly known when the program runs."""
        return self.template(
            "range({integer} % 7)", "np.abs({index_array}).ravel().tolist()", "range(6)",
            "({index_array} % 5).ravel()", "[{integer}, {integer}, {integer}]", "[float({number}), float({number})]",
            "{any_array}.astype(float).ravel().tolist()",
        )  # fmt: skip

    def query(self, table: str, kind: str) -> str:
        """A statement that asks a table something, or changes it once more."""
        texts = {
            "dict": (
                "{v} = len({t})", "{v} = {t}.get({k}, -1)", "{v} = {k} in {t}", "{v} = sum({t}.values())",
                "{v} = sorted({t})", "{v} = sorted({t}.items())", "{v} = {t}", "{v} = list({t})", "{t}.pop({k}, None)",
                "{v} = [key * 2 for key in {t}]", "{v} = max({t}, key={t}.get) if {t} else -1", "{v} = {t}[{k}]",
                "{t}.setdefault({k}, 7)",
            ),
            "pairs": ("{v} = len({t})", "{v} = (1, {k}) in {t}", "{v} = sorted({t})", "{v} = {t}.get((0, {k}), -1)"),
            "lists": ("{v} = len({t})", "{v} = {k} in {t}", "{v} = sum(len(row) for row in {t}.values())"),
            "set": ("{v} = len({t})", "{v} = {k} in {t}", "{v} = sorted({t})", "{v} = {t}", "{t}.discard({k})"),
        }  # fmt: skip
        return self.template(*texts[kind], v=self.fresh(), t=table, k=self.integer)

    def seek(self) -> None:
        """A number that a loop finds, or None, and what is computed with it by what takes numbers only."""
        found, item = self.fresh(), self.fresh("q")
        test = f"{item} > {self.literal()} and ({found} is None or {item} < {found})"
        loop = f"for {item} in {self.array()}.ravel():\n    if {test}:\n        {found} = {item}"
        self._execute_all([f"{found} = None", loop])
        self._execute_all([
            self.template(
                "{v} = int({f})", "{v} = float({f})", "{v} = round({f}, 1)", "{v} = math.floor({f})",
                "{v} = divmod({f}, 2)",
                "{v} = isinstance({f}, (int, np.floating))", "{v} = callable({f})", "{v} = type({f}).__name__",
                "{v} = np.array([{f}, 1.5])", "{v} = np.full(3, {f})", "{v} = np.where({f} > 0, {f}, 0)",
                "{v} = [{f}] * 2", "print({f})", "{v} = f'{{f:.1f}}'", "{v} = {f} is None or {f} > 1", "{v} = {f} or 2",
                "{v} = max({f}, 1)", "{v} = {f} == {literal}", "{v} = {f} != {number}",
                v=self.fresh(), f=found,
            )
        ])  # fmt: skip

    def note_keys(self) -> None:
        """A dict of numbers of one type that has constant keys on some paths only."""
        table, one = self.fresh("t"), lambda: f"float({self.number()})"
        start = self.one(
            "{}", f"{{'a': {one()}}}", "collections.defaultdict(float)", "collections.OrderedDict()"
        )
        put = self.one(
            f"{table}['b'] = {one()}", f"{table}.setdefault('c', {one()})", f"{table}.update(a={one()})"
        )
        other = self.one(f"{table}['c'] = {one()}", f"{table}.pop('a', None)", f"{table}.clear()", "pass")
        if self.often(0.2):  # the keys of one path have another order
            put, other = f"{table} = {{'a': 1.5, 'b': {one()}}}", f"{table} = {{'b': {one()}, 'a': 0.5}}"
        self._execute_all([f"{table} = {start}", f"if {self.condition()}:\n    {put}\nelse:\n    {other}"])
        self._execute_all([
            self.template(
                "{v} = len({t})", "{v} = 'b' in {t}", "{v} = {t}.get('a', 0.5)", "{v} = sorted({t})", "{v} = list({t})",
                "{v} = sum({t}.values())", "print({t})", "{v} = {t}['b']", "{v} = {t}", "{v} = [*{t}.items()]",
                v=self.fresh(), t=table,
            )
        ])  # fmt: skip

    def _execute_all(self, statements: list[str]) -> None:
        """Write statements that run on the examples."""
        for statement in statements:
            self.scope.execute(statement)
            for line in statement.split("\n"):
                self.write(line)

    def write_scalar(self) -> None:
        """Write what was made of a single number: the number stays what it is."""
        text = self.element() if self.often(0.4) else self.name(is_real)
        name, view = self.fresh(), self.fresh("u")
        self.attempt(f"{name} = {text}")
        if not isinstance(self.scope.values.get(name), np.generic):  # also where the statement raises
            raise Unfit("a scalar of NumPy")
        self.attempt(
            self.template(
                "{view} = np.atleast_1d({name})", "{view} = np.ravel({name})", "{view} = {name}.reshape(1)",
                "{view} = np.expand_dims({name}, 0)", "{view} = {name}[None]", "{view} = np.atleast_2d({name})",
                "{view} = {name}.ravel()", "{view} = np.reshape({name}, (1, 1))", "{view} = np.asarray({name})",
                view=view, name=name,
            )
        )  # fmt: skip
        self.attempt(f"{view}[...] {self.one('=', '+=', '*=')} {self.number()}")


__all__ = ["Tables"]
