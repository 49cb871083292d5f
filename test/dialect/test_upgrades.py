"""Files of an older version of the dialect are made into what the present one reads; here of versions never seen."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.mlir import ir
from weft.dialect.upgrades import versions
from weft.dialect.upgrades.replacing import create_before, replace
from weft.dialect.upgrades.versions import Upgrades
from weft.frontend.artifacts.archive import write_archive


def _increment(op: Any) -> None:
    """Version 1 had an op that adds one; version 2 has a sum with a constant, whose value is called differently."""
    kind = op.results[0].type
    one = ir.DenseElementsAttr.get_splat(kind, ir.FloatAttr.get_f64(1.0))
    made = create_before(op, "weft.constant", [], {"content": one}, [kind])
    replace(op, "weft.add", [op.operands[0], made.results[0]])


def _constant(op: Any) -> None:
    """Version 3 calls it the value."""
    replace(op, "weft.constant", attributes={"value": op.attributes["content"]})


def _part(step: dict[str, Any]) -> dict[str, Any]:
    """Version 2 had another name for views of a part."""
    return {**step, "op": "slice"}


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file as version 1 would have written it."""

    def f(x: Any) -> Any:
        for _ in range(2):
            x = x + 1
        return x, x[1:]

    path = tmp_path / "f.weft"
    weft.save(path, f=weft.function(f).get_concrete_function(weft.TensorSpec([3])))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    del manifest["sha256"]
    manifest["dialect"] = 1
    manifest["functions"]["f"][0]["leaves"][1]["views"][0]["op"] = "part"
    text = """
    module {
      func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
        %true = arith.constant true
        %y = scf.if %true -> (tensor<3xf64>) {
          %z = "weft.increment"(%x) : (tensor<3xf64>) -> tensor<3xf64>
          scf.yield %z : tensor<3xf64>
        } else {
          scf.yield %x : tensor<3xf64>
        }
        %z = "weft.increment"(%y) : (tensor<3xf64>) -> tensor<3xf64>
        return %z : tensor<3xf64>
      }
    }
    """
    manifest["functions"]["f"][0]["symbol"] = "f"
    members["code/f.0.mlir"] = text.encode()
    write_archive(str(path), manifest, members)
    monkeypatch.setattr(versions, "DIALECT", 3)
    monkeypatch.setitem(versions.UPGRADES, 1, Upgrades({"increment": _increment}, {}))
    monkeypatch.setitem(versions.UPGRADES, 2, Upgrades({"constant": _constant}, {"part": _part}))
    return path


def test_old_files_run(old: Path, tmp_path: Path) -> None:
    loaded = weft.load(old)
    whole, part = loaded.f(np.arange(3.0))
    np.testing.assert_array_equal(whole, [2, 3, 4])
    assert np.shares_memory(whole, part)
    weft.save(tmp_path / "again.weft", f=loaded.f)
    with zipfile.ZipFile(tmp_path / "again.weft") as archive:
        assert json.loads(archive.read("manifest.json"))["dialect"] == 3
        assert b"increment" not in archive.read("code/f.0.mlir")
    np.testing.assert_array_equal(weft.load(tmp_path / "again.weft").f(np.arange(3.0))[0], [2, 3, 4])


def test_signatures_of_old_files_need_no_upgrade_of_code(old: Path) -> None:
    assert weft.load(old, only_look=True).signatures == {"f": ["f(f64[3])"]}


def test_what_cannot_be_upgraded_is_refused(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(op: Any) -> None:
        raise KeyError("attribute")

    monkeypatch.setitem(versions.UPGRADES, 1, Upgrades({"increment": failing}, {}))
    with pytest.raises(weft.ArtifactError, match=r"is not one that version 1 recorded \(KeyError"):
        weft.load(old)
    monkeypatch.setitem(versions.UPGRADES, 1, Upgrades({}, {}))
    with pytest.raises(weft.ArtifactError, match="cannot be read"):
        weft.load(old).f(np.arange(3.0))
    monkeypatch.setitem(versions.UPGRADES, 1, Upgrades({}, {"part": lambda step: step["nothing"]}))
    with pytest.raises(weft.ArtifactError, match="is no view that version 1 recorded"):
        weft.load(old)


def test_texts_that_cannot_be_read(old: Path) -> None:
    with zipfile.ZipFile(old) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    for text, message in ((b'"', "of version 1 cannot be read"), (b"[" * 5000, "nested too deep")):
        write_archive(str(old), {k: v for k, v in manifest.items() if k != "sha256"}, {"code/f.0.mlir": text})
        with pytest.raises(weft.ArtifactError, match=message):
            weft.load(old)
