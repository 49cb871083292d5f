"""How lit runs `weft-opt … | filecheck …`: in forks of a process that has loaded them.

Most of the time of such a line is spent loading Python, MLIR and weft. Lines of another kind, and tests that fail, are
run as lit runs everything, which also writes the report.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pkgutil
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import lit.formats
import lit.Test
import lit.TestRunner
from lit.ShUtil import Command, Pipeline, ShParser


class WarmTools(lit.formats.ShTest):
    """lit's format of shell tests, where processes can be forked with the tools loaded."""

    def execute(self, test: Any, litConfig: Any) -> Any:
        """Run the lines of a test."""
        lines = _pipelines(test) if hasattr(os, "fork") and not litConfig.noExecute else None
        if lines and all(_passes(line, test.config) for line in lines):
            return lit.Test.Result(lit.Test.PASS)
        return super().execute(test, litConfig)


def _pipelines(test: Any) -> list[list[list[str]]] | None:
    """The lines of a test as the commands of pipelines, each the words of it; None if one is of another kind."""
    script = lit.TestRunner.parseIntegratedTestScript(test)
    if not isinstance(script, list):
        return None
    directory, base = lit.TestRunner.getTempPaths(test)
    substitutions = lit.TestRunner.getDefaultSubstitutions(test, directory, base)
    lines = []
    for line in lit.TestRunner.applySubstitutions(script, substitutions):
        shown = re.fullmatch(lit.TestRunner.kPdbgRegex, line)
        parsed = ShParser(shown.group(2) if shown else line, pipefail=True).parse()
        if not (isinstance(parsed, Pipeline) and all(map(_is_known, parsed.commands))):
            return None
        lines.append([command.args for command in parsed.commands])
    return lines


def _is_known(command: Any) -> bool:
    words = command.args if isinstance(command, Command) and not command.redirects else [None]
    return words[0] in _TOOLS and all(isinstance(word, str) for word in words)


def _weft_opt(arguments: Sequence[str]) -> int:
    from weft.tools.guard import CrashNote
    from weft.tools.weft_opt import run

    return run(arguments, CrashNote())


def _filecheck(arguments: Sequence[str]) -> int:
    from filecheck.main import main

    main(["filecheck", *arguments])  # ends the process
    return 0


Tool: TypeAlias = "Callable[[Sequence[str]], int]"

_TOOLS: dict[Any, Tool] = {"weft-opt": _weft_opt, "filecheck": _filecheck}


def _load(environment: Mapping[str, str]) -> None:
    """Import all modules of weft once: this process runs nothing but tests."""
    if "weft.tools.weft_opt" in sys.modules:
        return
    os.environ.update(environment)
    import weft

    for module in pkgutil.walk_packages(weft.__path__, "weft."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:  # of a library that only one command line needs
            if error.name is None or error.name.startswith("weft"):
                raise
    importlib.import_module("filecheck.main")
    gc.freeze()  # what forks share is not looked at by them


def _passes(line: Sequence[Sequence[str]], config: Any) -> bool:
    """Whether all commands of a pipeline end well; each reads what the one before has written."""
    _load(config.environment)
    with contextlib.ExitStack() as files:
        given = files.enter_context(tempfile.TemporaryFile())
        for tool, *arguments in line:
            written = files.enter_context(tempfile.TemporaryFile())
            child = os.fork()
            if child == 0:
                signal.alarm(config.maxIndividualTestTime)
                _run(_TOOLS[tool], arguments, given.fileno(), written.fileno())
            _, status = os.waitpid(child, 0)
            if status != 0:
                return False
            given = written
            given.seek(0)
    return True


def _run(tool: Tool, arguments: Sequence[str], given: int, written: int) -> NoReturn:
    """Be a tool that reads from one file and writes to another, in a forked process."""
    status = 1
    try:
        os.dup2(given, 0)
        os.dup2(written, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, "w" if number else "r") for number in range(3))
        status = tool(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        os._exit(status)
