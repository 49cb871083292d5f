"""Roads to state that do not go by names, items and attributes of objects: what a branch or loop changes, and a later
call reads, must be found on each of them.
"""

from __future__ import annotations

from .base import is_number
from .functions import Functions
from .scope import Unfit

LARGE = """\
LARGE = [number * 0.5 for number in range(2000)]
LARGE_ROWS = {number: np.array([number, 1.0]) for number in range(1500)}
"""
"""Containers whose last entries are as good as their first ones; calls change them, programs read them."""

ROADS = """\
def tally(a, kept=[]):
    kept.append(a)
    return len(kept)


def counted(a):
    counted.calls += 1
    return a


counted.calls = 0


class Meter:
    total = 0.0

    def __init__(self):
        self.seen = []

    def add(self, a):
        self.seen.append(a)
        Meter.total = Meter.total + 1.0
        return len(self.seen)


METER = Meter()
KEPT = tally.__defaults__[0]
USER_LIST = collections.UserList([1.0, 2.0])
USER_DICT = collections.UserDict(a=1.0, n=0.0)
CHAIN = collections.ChainMap({"a": 1.0}, {"a": 2.0, "n": 0.5})
QUEUE = collections.deque([1.0, 2.0], maxlen=5)
HELD = Box(np.array([1.0, 2.0]), 0.5)
WEAK = weakref.ref(HELD)
CONTEXT = contextvars.ContextVar("CONTEXT", default=1.5)
LOCAL = threading.local()
LOCAL.n = 0.5
"""
"""Functions and objects that keep something where it is easily missed."""

CHANGES = (
    "LARGE.__setitem__(1500, 7.5)",
    "LARGE_ROWS.__setitem__(1400, np.array([2.0, 2.0]))",
    "LARGE_ROWS[1400].__setitem__(0, 9.0)",
    "USER_DICT.__setitem__('a', 4.5)",
    "USER_LIST.__setitem__(slice(None), [3.0, 0.5])",
    "CHAIN.__setitem__('n', 8.5)",
    "setattr(counted, 'calls', 11)",
    "setattr(Meter, 'total', 3.5)",
    "setattr(HELD, 'n', 6.5)",
    "setattr(LOCAL, 'n', 2.5)",
    "CONTEXT.set(2.5)",
    "KEPT.__setitem__(slice(None), [1.0, 2.0])",
)
"""What callers do between two calls; doing it twice is doing it once."""


class Roads(Functions):
    """A function that reaches state by roads of all kinds."""

    def by_road(self) -> None:
        """A statement that changes or reads state on a road that is easily missed."""
        self.one(self.bound_method, self.kept_function, self.known_road, self.known_road, self.road_read)()

    def bound_method(self) -> None:
        """A method of a list or dict that is kept under another name, in a container, or in a partial."""
        lists = self.names(lambda v: isinstance(v, list) and bool(v))
        dicts = self.names(lambda v: isinstance(v, dict) and "a" in v)
        if lists and (not dicts or self.often(0.7)):
            name = str(self.one(*lists))
            self._use_list(name, self.fresh("m"))
        elif dicts:
            name, road = str(self.one(*dicts)), self.fresh("m")
            self.attempt(f"{road} = {name}.{self.one('get', '__getitem__', 'keys', 'values', 'items')}")
            is_plain = type(self.scope.values[road]).__name__ == "builtin_function_or_method"
            if is_plain and self.scope.values[road].__name__ in ("get", "__getitem__"):
                self.attempt(f"{self.fresh()} = {road}('a')")
            else:
                self.attempt(f"{self.fresh()} = len(list({road}()))")
        else:
            raise Unfit("a container")

    def _use_list(self, name: str, road: str) -> None:
        example = self.like(self.scope.values[name][0])
        self.attempt(
            self.template(
                "{road} = {name}.append", "{road} = functools.partial({name}.append, {like})",
                "{road} = [{name}.append]", "{road} = dict(put={name}.append)",
                "{road} = {name}.extend", "{road} = {name}.pop",
                name=name, road=road, like=example,
            )
        )  # fmt: skip
        made = self.scope.values[road]
        call = {
            "partial": f"{road}()",
            "list": f"{road}[0]({example})",
            "dict": f"{road}['put']({example})",
        }.get(type(made).__name__)
        if call is None:
            call = {"append": f"{road}({example})", "extend": f"{road}([{example}])", "pop": f"{road}()"}[
                made.__name__
            ]
        self._perhaps(call)

    def kept_function(self) -> None:
        """A function inside, which keeps something in a default, an attribute, a cell or a method."""
        lists = self.names(lambda v: isinstance(v, list) and bool(v) and is_number(v[0]))
        name, value = self.fresh("g"), self.number()
        if lists and self.often(0.7):
            kept = str(self.one(*lists))
            text, call = self.one(
                (f"def {name}(a, _kept={kept}):\n    _kept.append(a)", f"{name}({value})"),
                (f"def {name}(a, *, _kept={kept}):\n    _kept[0] = a", f"{name}({value})"),
                (f"class {name}:\n    def put(self, a):\n        {kept}.append(a)", f"{name}().put({value})"),
                (f"{name} = lambda a: {kept}.append(a)", f"{name}({value})"),
            )
        else:
            text = f"def {name}(a):\n    {name}.n += 1\n    return a + {name}.n\n{name}.n = 0"
            call = f"{self.fresh()} = {name}({value})"
        self.scope.execute(text)
        self.scope.fixed[name] = self.scope.values.pop(name)
        for line in text.split("\n"):
            self.write(line)
        self._perhaps(call)

    def known_road(self) -> None:
        """Change what the module keeps, if it keeps anything."""
        self._perhaps(
            self.template(
                "tally({number})", "{fresh} = counted({number})", "{fresh} = METER.add({number})",
                "METER.seen.append({number})", "USER_LIST.append({number})", "USER_LIST[0] = {number}",
                "USER_DICT['a'] = {number}", "USER_DICT['n'] += {number}", "CHAIN['a'] = {number}",
                "QUEUE.append({number})", "QUEUE.appendleft({number})", "WEAK().n = {number}", "WEAK().w[0] = {number}",
                "CONTEXT.set({number})", "LOCAL.n = {number}", "LOCAL.n += 1.0", "Meter.total += {number}",
                "counted.calls = counted.calls + 2", "vars(HELD)['n'] = {number}", "setattr(HELD, 'n', {number})",
            )
        )  # fmt: skip

    def road_read(self) -> None:
        """Read what the module keeps."""
        self.attempt(
            self.template(
                "{fresh} = counted.calls", "{fresh} = METER.total", "{fresh} = len(METER.seen)", "{fresh} = len(KEPT)",
                "{fresh} = USER_LIST[0]", "{fresh} = len(USER_LIST)", "{fresh} = USER_DICT['a']",
                "{fresh} = USER_DICT.get('n', 1.0)", "{fresh} = CHAIN['a'] + CHAIN['n']", "{fresh} = QUEUE[0]",
                "{fresh} = WEAK().n", "{fresh} = WEAK().w + {number}", "{fresh} = CONTEXT.get()", "{fresh} = LOCAL.n",
                "{fresh} = LARGE[1500]", "{fresh} = sum(LARGE)", "{fresh} = LARGE_ROWS[1400]",
                "{fresh} = LARGE[{integer}]", "{fresh} = operator.attrgetter('n')(HELD)",
                "{fresh} = LARGE_ROWS[1400] * {number}", "{fresh} = max(LARGE)", "{fresh} = 1.5 in LARGE",
            )
        )  # fmt: skip

    def _perhaps(self, statement: str) -> None:
        """A statement, on one path only more often than not."""
        if self.often(0.45):
            self.attempt(statement)
            return
        header = self.one(
            f"if {self.condition()}:", f"for {self.fresh('i')} in range({self.integer()} % 5):", "if True:"
        )
        values = self.scope.fork()
        self.write(header)
        self.indent += 1
        try:
            self.attempt(statement)
        except Unfit:
            self.write("pass")
        self.indent -= 1
        self.scope.join(values, self.keeps_names)


__all__ = ["CHANGES", "LARGE", "ROADS", "Roads"]
