"""Methods that look at all attributes of their object, and change containers in them before or after that."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


class Model:
    def __init__(self) -> None:
        self.x = np.zeros(2)
        self.table: dict[str, Any] = {}
        self.columns: dict[str, list[Any]] = defaultdict(list)
        self.steps = 0


def updates(model: Any) -> None:
    model.table["k"] = model.x * 1
    model.__dict__.update(y=model.x + 1)


def spreads(model: Any) -> None:
    model.table["k"] = model.x * 1
    for name, value in model.table.items():
        model.__dict__[name] = value


def shares(model: Any) -> None:
    model.table["k"] = [1]
    model.__dict__["k"] = model.table["k"]


def records(model: Any) -> None:
    now = copy.deepcopy({"points": model.x, "count": model.steps})
    for key in list(now.keys()):
        model.columns[key].append(now[key])
    model.__dict__.update(model.columns)


def looks_first(model: Any) -> Any:
    known = sorted(vars(model))
    model.table["n"] = len(known)
    return len(vars(model)["table"])


@pytest.mark.parametrize("method", [updates, spreads, shares, records, looks_first])
def test_containers_changed_beside_all_attributes(method: Callable[[Any], Any]) -> None:
    found = []
    for called in (method, weft.function(method)):
        model, results = Model(), []
        for _ in range(3):
            model.x = model.x + 1
            model.steps += 1
            results.append(called(model))
        found.append(repr((results, vars(model))))
    assert found[0] == found[1]


def test_what_changes_in_attributes_between_calls_is_seen() -> None:
    @weft.function
    def described(model: Any) -> str:
        model.table["seen"] = 1
        return ",".join(
            f"{name}={len(value)}" for name, value in vars(model).items() if isinstance(value, dict)
        )

    model = Model()
    assert described(model) == "table=1,columns=0"
    model.columns["a"].append(1)
    assert described(model) == "table=1,columns=1"
    model.table["other"] = 2
    assert described(model) == "table=2,columns=1"
