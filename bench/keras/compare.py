"""Keras's training steps and predictions on weft, JAX, TensorFlow and torch: `python bench/keras/compare.py`.

    python bench/keras/compare.py [--threads 1] [--rounds 7] [--peers PYTHON] [--backends weft jax tensorflow torch]

Each backend is a process of its own, pinned to as many cores as it has threads; they measure rounds in turns, and
medians of the rounds' medians are compared. A backend that is not installed in the Python of `--peers` is left out.
Writes bench/results/keras.md, one table for each number of threads that was measured last.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness import machine  # noqa: E402

RESULTS = HERE.parent / "results" / "keras.md"
MODELS = {
    "mlp": "dense 128, dropout; 64 x 28 x 28",
    "cnn": "convolutions 32, 64; 64 x 28 x 28",
    "lstm": "LSTM 32; 32 x 40 steps",
    "gru": "GRU 32; 32 x 40 steps",
    "transformer": "transformer block, width 64; 32 x 40",
}
HEAD = "# Keras on weft and on other backends\n"


class Backend:
    """A process that measures one backend."""

    def __init__(self, name: str, python: str, threads: int, models: list[str]) -> None:
        command = [python, str(HERE / "worker.py"), name, str(threads), *models]
        self.name = name
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=HERE,
        )
        line = self._answer()
        self.first: dict[str, float] = json.loads(line) if line else {}
        self.rounds: list[dict[str, tuple[float, float]]] = []

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def measure(self) -> None:
        """Measure one round of all models."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self.rounds.append(json.loads(self._answer()))

    def medians(self, model: str) -> tuple[float, float]:
        """Microseconds of a training step, and of a prediction."""
        train, predict = zip(*(found[model] for found in self.rounds), strict=True)
        return statistics.median(train), statistics.median(predict)

    def end(self) -> None:
        """Let the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def table(backends: list[Backend], models: list[str]) -> list[str]:
    """A row for each model and kind of call; ratios are to weft, above 1 where weft is faster."""
    names = [backend.name for backend in backends]
    lines = [f"| what | {' | '.join(names)} | best of the others / weft |", "|---" * (len(names) + 2) + "|"]
    for model in models:
        for place, kind in enumerate(("training step", "prediction")):
            times = [backend.medians(model)[place] for backend in backends]
            lines.append(_row(f"{MODELS[model]}: {kind}, us", times, "{:.0f}"))
    lines += [
        _row(f"{MODELS[model]}: first training step, s", [b.first[model] for b in backends], "{:.1f}")
        for model in models
    ]
    return lines


def _row(what: str, times: list[float], shown: str) -> str:
    ratio = f"{min(times[1:]) / times[0]:.2f}" if len(times) > 1 else "-"
    return f"| {what} | {' | '.join(map(shown.format, times))} | {ratio} |"


def versions(python: str) -> str:
    """The versions of what is compared."""
    program = (
        "import importlib.metadata as m\n"
        "for n in ('keras', 'jax', 'tensorflow', 'tensorflow-cpu', 'torch'):\n"
        "    try: print(n, m.version(n))\n"
        "    except m.PackageNotFoundError: pass"
    )
    shown = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False).stdout
    return ", ".join(shown.split("\n")[:-1])


def main() -> None:
    """Measure, print, and put the table in the page, in the place of that with as many threads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peers", default=sys.executable, help="the Python that has the other backends")
    parser.add_argument("--backends", nargs="+", default=["weft", "jax", "tensorflow", "torch"])
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    options: Any = parser.parse_args()
    backends = []
    for name in options.backends:
        python = sys.executable if name == "weft" else options.peers
        backend = Backend(name, python, options.threads, options.models)
        if backend.first:
            backends.append(backend)
        else:
            print(f"measuring without {name}")
    for _ in range(options.rounds):
        for backend in backends:
            backend.measure()
    lines = table(backends, options.models)
    for backend in backends:
        backend.end()
    print("\n".join(lines))
    title = f"## {options.threads} thread{'s' if options.threads > 1 else ''}"
    about = f"{machine()}; {versions(options.peers)}. Adam and accuracy; {options.rounds} rounds in turns, medians."
    before = RESULTS.read_text().split("\n## ")[1:] if RESULTS.exists() else []
    kept = [f"## {part.strip()}\n" for part in before if not f"## {part}".startswith(title + "\n")]
    sections = sorted([*kept, "\n".join([title, "", about, "", *lines, ""])])
    RESULTS.write_text("\n".join([HEAD, *sections]))


if __name__ == "__main__":
    main()
