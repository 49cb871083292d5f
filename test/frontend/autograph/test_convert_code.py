"""What converted code looks like: only what is needed is generated."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

import pytest

from support.conversion import define
from support.python_operators import PythonOperators
from weft.frontend.autograph import convert
from weft.frontend.autograph.convert.operators import Operators
from weft.frontend.autograph.convert.printing import to_code


def code_of(source: str, **variables: object) -> str:
    """The converted source of a function."""
    return to_code(define(textwrap.dedent(source), **variables))


EXAMPLES = {
    "straight code is untouched": (
        """
        def f(x):
            '''Say

            what.'''
            y = -x + 2 * x ** 2
            a, *b = c = [y, x]
            a += 1
            del c
            return a, b
        """,
        '''
        def f(x):
            """Say

            what."""
            y = -x + 2 * x ** 2
            a, *b = c = [y, x]
            a += 1
            del c
            return (a, b)
        ''',
    ),
    "if": (
        """
        def f(x):
            if x > 0:
                y = x
            else:
                y = t = -x
            return y
        """,
        """
        def f(x):
            t: object
            y: object
            # line 3: if x > 0:
            def then_1():
                nonlocal y
                y = x
            # line 3: if x > 0: ... else:
            def else_1():
                nonlocal t, y
                y = t = -x
            weft_.if_(x > 0, then_1, else_1, dead='t')
            return y
        """,
    ),
    "while": (
        """
        def f(x):
            while x > 0:
                y = x - 1
                x = y
            return x
        """,
        """
        def f(x):
            y: object
            # line 3: while:
            def body_1():
                nonlocal x, y
                y = x - 1
                x = y
            weft_.while_(lambda: x > 0, body_1, None, dead='y')
            return x
        """,
    ),
    "for with jumps": (
        """
        def f(x):
            for i in x:
                if i:
                    continue
                if i > 2:
                    return i
                print(i)
        """,
        """
        def f(x):
            i: object
            return_: object
            def result_1():
                nonlocal return_
                # line 3: for i:
                def body_1(item_1):
                    nonlocal i
                    i = item_1
                    # line 4: if i:
                    def then_1():
                        return weft_.CONTINUE
                    # line 4: if i: ... else:
                    def else_2():
                        # line 6: if i > 2:
                        def then_2():
                            nonlocal return_
                            return_ = i
                            return weft_.RETURN
                        # line 6: if i > 2: ... else:
                        def else_1():
                            weft_.call(print, i)
                        return weft_.if_(i > 2, then_2, else_1)
                    return weft_.if_(i, then_1, else_2)
                return weft_.for_(weft_.walked(x), body_1, None, dead='i', leaves=True)
            return weft_.result(result_1)
        """,
    ),
    "rest of a block after a statement that may jump": (
        """
        def f(x):
            while x:
                return 1
            y = 2
            return y
        """,
        """
        def f(x):
            return_: object
            y: object
            def result_1():
                nonlocal return_
                # line 3: while:
                def body_1():
                    nonlocal return_
                    return_ = 1
                    return weft_.RETURN
                exit_1 = weft_.while_(lambda: x, body_1, None)
                def rest_1():
                    nonlocal return_, y
                    y = 2
                    return_ = y
                    return weft_.RETURN
                return weft_.then_(exit_1, rest_1, dead='y')
            return weft_.result(result_1)
        """,
    ),
    "try": (
        """
        def f(x):
            try:
                y = x()
            except ValueError as e:
                y = e
            except:
                raise
            return y
        """,
        """
        def f(x):
            e: object
            y: object
            # line 3: try:
            def body_1():
                nonlocal y
                y = weft_.call(x)
            # line 5: except ValueError:
            def handler_1(error_1):
                nonlocal e, y
                e = error_1
                try:
                    y = e
                finally:
                    e = None
                    del e
            # line 8: except:
            def handler_2():
                weft_.raise_(None, None)
            weft_.try_(body_1, ((lambda: ValueError, 'e', handler_1), (None, None, handler_2)), None, None, dead='e')
            return weft_.bound(y)
        """,
    ),
    "expressions": (
        """
        def f(a, b, c):
            x = a if b else c
            y = a and b or not c
            z = a < b() <= 7
            w = a is None, b in c, a.b.c
            return x, y, z, w, a[1:, b], f'{a!r:>3}{b}'
        """,
        """
        def f(a, b, c):
            x = weft_.if_exp(b, lambda: a, lambda: c)
            y = weft_.or_(weft_.and_(a, lambda: b), lambda: weft_.not_(c))
            z = weft_.and_(weft_.compare('<', a, (value_1 := weft_.call(b))), lambda: value_1 <= 7)
            w = (weft_.is_(a, None), weft_.in_(b, c), weft_.attr(weft_.attr(a, 'b'), 'c'))
            return (x, y, z, w, weft_.item(a, weft_.index[1:, b]), weft_.fstring((a, 'r', '>3'), (b, None, None)))
        """,
    ),
    "items": (
        """
        def f(x, i, g):
            x[i] = g()
            x[i + 1] += 2
            x[0] -= g()
            x.y[0] = g()
            x[0], x[1] = x[1], x[0]
            del x[i]
        """,
        """
        def f(x, i, g):
            weft_.set_item(x, i, weft_.call(g))
            weft_.update_item(x, i + 1, '+=', 2)
            weft_.update_item(x, 0, '-=', lambda: weft_.call(g), late=True)
            value_1 = weft_.call(g)
            weft_.set_item(weft_.attr(x, 'y'), 0, value_1)
            value_2, value_3 = (weft_.item(x, 1), weft_.item(x, 0))
            weft_.set_item(x, 0, value_2)
            weft_.set_item(x, 1, value_3)
            weft_.del_item(x, i)
        """,
    ),
    "modules and what looks at frames": (
        """
        def f(x):
            import sys as s
            s.stdout.write(math.pi)
            return globals(), breakpoint(), math.floor(x).real
        """,
        """
        def f(x):
            import sys as s
            weft_.call(weft_.attr(weft_.attr(s, 'stdout'), 'write'), math.pi)
            return (globals(), breakpoint(), weft_.attr(weft_.call(math.floor, x), 'real'))
        """,
    ),
    "comprehensions": (
        """
        def f(x):
            a = [i for i in x if i]
            b = {j for i in x for j in i}
            return sum(i + j for i, j in x)
        """,
        """
        def f(x):
            a = weft_.comprehension('list', x, lambda i: i, lambda i: i)
            b = weft_.comprehension('set', x, lambda i: weft_.comprehension('generator', i, lambda j: j), flat=True)
            def element_1(item_1):
                i, j = weft_.unpack(item_1, 2)
                return weft_.latest(i) + weft_.latest(j)
            return weft_.call(sum, weft_.comprehension('passed_on', x, element_1))
        """,
    ),
    "assert, raise, unbound names": (
        """
        def f(x):
            assert x, 'no'
            if x:
                y = 1
            else:
                z = 2
                raise ValueError(y) from None
            return y, z
        """,
        """
        def f(x):
            y: object
            z: object
            weft_.assert_(x, lambda: 'no')
            # line 4: if x:
            def then_1():
                nonlocal y
                y = 1
            # line 4: if x: ... else:
            def else_1():
                nonlocal z
                z = 2
                weft_.raise_(lambda: weft_.call(ValueError, weft_.load(lambda: y, 'y')), lambda: None)
            weft_.if_(x, then_1, else_1)
            return (y, weft_.load(lambda: z, 'z'))
        """,
    ),
    "with": (
        """
        def f(x):
            with x as y:
                y()
                return 1
        """,
        """
        def f(x):
            return_: object
            y: object
            def result_1():
                nonlocal return_
                # line 3: with x as y:
                def body_1(entered_1):
                    nonlocal return_, y
                    y = entered_1
                    weft_.call(y)
                    return_ = 1
                    return weft_.RETURN
                return weft_.with_(x, body_1, dead='y')
            return weft_.result(result_1)
        """,
    ),
    "match": (
        """
        def f(x):
            match x:
                case (0, y):
                    return y
                case 1 | 2:
                    return x
        """,
        """
        def f(x):
            return_: object
            y: object
            subject_1 = x
            matched_1 = False
            whole_1 = weft_.taken_apart(subject_1, False, False)
            match whole_1:
                case [part_1, part_2]:
                    matched_1 = True
            def result_1():
                nonlocal return_
                # line 4: if subject_1 is not None and matched_1 and (part_1 == 0):
                def then_1():
                    nonlocal return_, y
                    y = part_2
                    return_ = y
                    return weft_.RETURN
                # line 4: if subject_1 is not None and matched_1 and (part_1 == 0): ... else:
                def else_1():
                    # line 6: if subject_1 == 1 or subject_1 == 2:
                    def then_2():
                        nonlocal return_
                        return_ = x
                        return weft_.RETURN
                    return weft_.if_(weft_.or_(subject_1 == 1, lambda: subject_1 == 2), then_2, None)
                return weft_.if_(weft_.and_(weft_.is_not_(subject_1, None), lambda: matched_1, lambda: part_1 == 0, tested=True), then_1, else_1, dead='y')
            return weft_.result(result_1)
        """,  # noqa: E501
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_converted_code(name: str) -> None:
    import math

    source, expected = EXAMPLES[name]
    found = code_of(source, math=math)
    compile(found, "<converted>", "exec")
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(textwrap.dedent(expected)))
    if sys.version_info < (3, 11):
        return  # it writes tuples and lambdas in another way
    assert found.strip().splitlines() == textwrap.dedent(expected).strip().splitlines()


def test_the_source_is_counted_in_lines_of_the_file() -> None:
    assert "# line 3: if x:" in code_of("\ndef f(x):\n    if x:\n        y = 1\n")


def test_names_read_by_nested_functions_are_never_dead() -> None:
    found = code_of(
        """
        def f(x):
            if x:
                a = 1
                b = 2
                c = 3
            g = lambda: a
            def h():
                return b
            return g, h
        """
    )
    assert "weft_.if_(x, then_1, None, dead='c')" in found


def test_names_read_by_the_next_iteration_are_not_dead() -> None:
    found = code_of(
        """
        def f(x):
            a = 0
            while x:
                b = a
                a = b + 1
                x -= 1
        """
    )
    assert "dead='b'" in found


def test_names_read_in_handlers_are_not_dead() -> None:
    found = code_of(
        """
        def f(x):
            try:
                if x:
                    a = 1
                    b = 2
                x()
                a = b = 3
            except Exception:
                return a
        """
    )
    assert "weft_.if_(x, then_1, None, dead='b')" in found


def test_nothing_is_dead_where_all_variables_may_be_read() -> None:
    assert "dead" not in code_of("def f(x):\n    if x:\n        y = 1\n    return locals()\n")


def test_the_protocol_has_all_operators_that_are_generated() -> None:
    sources = Path(convert.__file__).parent.glob("*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    generated = set(re.findall(r'(?:build\.call|build\.operator|_operator_call)\(\s*"(\w+)"', text))
    assert len(generated) > 25
    members = {name for name in {*vars(Operators), *Operators.__annotations__} if not name.startswith("_")}
    assert generated <= members
    assert members <= {name for name in dir(PythonOperators) if not name.startswith("_")}
