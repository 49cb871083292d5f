"""Packs the compilers for a machine that has a GPU and cannot fetch them: `python bench/gpu/carry.py DIR`.

MLIR and LLVM are two archives, as they do not fit into one transfer of 64 MiB. Unpacked into a folder of `PYTHONPATH`
there, they let weft compile, and its tests run on the card. Nothing of it needs a GPU.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_PACKAGES = ("llvmlite", "torch-mlir")
_PLATFORMS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
)
_NOT_NEEDED = ("torch-mlir-opt", "_stablehlo", "include")
"""Of the folders of shared libraries: what weft does not use begins like this."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write an archive for each package."""
    parser = argparse.ArgumentParser(prog="carry.py", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the archives go")
    parser.add_argument("--python", default="3.12", help="the version of Python of that machine (3.12)")
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    for package in _PACKAGES:
        requirement = required(package)
        with tempfile.TemporaryDirectory(prefix="weft-gpu-") as folder:
            tree = fetched(requirement, options.python, Path(folder))
            make_small(tree)
            archive = options.directory / f"{package}.tar.xz"
            write_archive(tree, archive)
        print(f"{archive}: {archive.stat().st_size / 2**20:.1f} MiB", flush=True)
    return 0


def required(package: str) -> str:
    """What weft needs of a package, as pip writes it."""
    (requirement,) = re.findall(
        rf'^    "({package}[<>=][^"]*)",', (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    return str(requirement)


def fetched(requirement: str, python: str, folder: Path) -> Path:
    """The files of a package for a version of Python, as pip finds it."""
    abi = f"cp{python.replace('.', '')}"
    options = ["--only-binary=:all:", "--python-version", python, "--implementation", "cp", "--abi", abi]
    options += ["--abi", "abi3", *(word for name in _PLATFORMS for word in ("--platform", name))]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options, "-d", str(folder)]
    subprocess.run([*command, requirement], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "files")
    return folder / "files"


def make_small(tree: Path) -> None:
    """Remove what weft does not use, and the symbols of shared libraries."""
    for path in sorted(tree.rglob("*")):
        if path.name.startswith(_NOT_NEEDED) and path.exists():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    libraries = [str(path) for path in tree.rglob("*.so*") if path.is_file()]
    if libraries and shutil.which("strip"):
        subprocess.run(["strip", "--strip-unneeded", *libraries], check=True)


def write_archive(tree: Path, path: Path) -> None:
    """Write all files below a folder, by their names from there, for `tar xJf`."""
    with tarfile.open(path, "w:xz", preset=6) as archive:
        for part in sorted(tree.iterdir()):
            archive.add(part, part.name)


if __name__ == "__main__":
    sys.exit(main())
