"""Python's containers: lists, dicts, tuples and sets, with data and without."""

from __future__ import annotations

from typing import Any

from .arrays import Arrays
from .base import is_array, is_number
from .scope import Unfit, signature


class Containers(Arrays):
    """Containers and the statements that change them."""

    def item(self) -> str:
        """What is kept in a container: data, or no data at all."""
        producers = [
            (4, self.number),
            (2, self.array),
            (1, lambda: self.name(lambda v: True)),
            (1, self.text),
            (0.5, lambda: "None"),
            (0.5, lambda: f"({self.number()}, {self.number()})"),
            (0.3, lambda: f"[{self.number()}]"),
        ]
        return self.choose(lambda v: True, producers, self.literal())

    def container(self) -> str:
        """A new container."""
        name = self.names(lambda v: isinstance(v, list))
        producers = [
            (2, lambda: "[]"),
            (2, lambda: f"[{self.number()}, {self.number()}]"),
            (1, lambda: f"[{self.item()}, {self.item()}]"),
            (1, lambda: f"[{self.number()}] * {self.random.randint(1, 4)}"),
            (1, lambda: f"{{'a': {self.item()}, 'b': {self.item()}}}"),
            (0.5, lambda: f"{{0: {self.item()}, 1: {self.number()}}}"),
            (0.5, lambda: "{}"),
            (1, lambda: f"({self.item()}, {self.item()})"),
            (0.5, lambda: f"{{{self.literal()}, {self.literal()}}}"),
            (2, self.comprehension),
            (1, lambda: f"list({self.one('range(3)', self.array(), *name)})"),
            (0.5, lambda: f"sorted([{self.number()}, {self.number()}, {self.number()}])"),
            (0.5, lambda: f"{self.array()}.tolist()"),
            (0.5, lambda: f"dict(a={self.number()}, b={self.item()})"),
            (0.5, lambda: f"{self.one(*name)}[{self.slice()}]" if name else "[1]"),
            (0.5, lambda: f"{self.one(*name)} + [{self.number()}]" if name else "[2, 3]"),
        ]
        return self.choose(lambda v: isinstance(v, (list, dict, tuple, set)), producers, "[1, 2]")

    def comprehension(self) -> str:
        """A comprehension over numbers or rows."""
        source = self.one(
            "range(3)", f"range({self.integer()})", self.array(), self.name(lambda v: isinstance(v, list))
        )
        body = self.one("i", "i * 2", "(i, 1)", f"i + {self.literal()}", f"i * {self.number()}")
        condition = f" if {self.one('i', 'i > 0', self.condition())}" if self.often(0.3) else ""
        form = self.one("[{}]", "[{}]", "list({})", "tuple({})")
        if self.often(0.15):
            return f"{{k: {body.replace('i', 'k', 1) if body == 'i' else body.replace('i', 'k')} for k in range(3)}}"
        return str(form.format(f"{body} for i in {source}{condition}"))

    def change_container(self) -> None:
        """Change a list, dict or set in place."""
        name = self.name(lambda v: isinstance(v, (list, dict, set)))
        value: Any = self.scope.values[name]
        if isinstance(value, list):
            self.attempt(self.change_of_list(name, value))
        elif isinstance(value, dict):
            self.attempt(self.change_of_dict(name, value))
        else:
            self.attempt(f"{name}.{self.one('add', 'discard')}({self.literal()})")

    def like(self, value: Any) -> str:
        """An expression of the type of a value."""
        wanted = signature(value)
        names = self.names(lambda v: signature(v) == wanted)
        producer = self.array if is_array(value) else self.number if is_number(value) else self.item
        producers = [(3, producer), (1, lambda: self.arithmetic_like(value))]
        if names:
            producers.append((1, lambda: str(self.one(*names))))
        fallback = str(self.one(*names)) if names else repr(value)
        text = self.choose(lambda v: signature(v) == wanted, producers, fallback)
        if signature(self.scope.evaluate(text)) != wanted:
            raise Unfit("like")
        return text

    def arithmetic_like(self, value: Any) -> str:
        """Something new made of names of a type."""
        name = self.name(lambda v: signature(v) == signature(value))
        if is_array(value):
            return f"{name} {self.one('+', '-', '*')} {self.one(self.literal(), self.array())}"
        if is_number(value):
            return f"{self.one(f'{name} + {self.number()}', f'-{name}', f'({name} * {self.number()}) % 31')}"
        return name

    def change_of_list(self, name: str, value: list[Any]) -> str:
        """A statement that changes a list."""
        like = self.like(value[0]) if value and (self.indent > 1 or self.often(0.8)) else self.item()
        return self.template(
                "{name}.append({like})", "{name}.append({like})", "{name}.append({like})", "{name}.insert(0, {like})",
                "{name}.extend([{like}, {like}])", "{name}.pop()", "{name}[{axis}] = {like}",
                "{name} += [{like}]", "{name}.reverse()", "{name}.clear()", "del {name}[0]", "{name}[1:] = [{like}]",
                "{name}[{integer}] = {like}", "{name}.sort()",
                name=name, like=like,
        )  # fmt: skip

    def change_of_dict(self, name: str, value: dict[Any, Any]) -> str:
        """A statement that changes a dict."""
        key = self.one(*value) if value and self.often(0.7) else self.one("a", "c", 0)
        like = self.like(value[key]) if key in value and (self.indent > 1 or self.often(0.8)) else self.item()
        return self.template(
                "{name}[{key}] = {like}", "{name}[{key}] = {like}", "{name}.update({{key}: {like}})",
                "{name}.setdefault({key}, {like})", "{name}.pop({key}, None)", "del {name}[{key}]",
                "{name}[{key}] += {number}", "{name}[{key}] = {name}.get({key}, 0) + {number}",
                name=name, key=repr(key), like=like,
        )  # fmt: skip


__all__ = ["Containers"]
