"""The package as type checkers, editors and `help` see it."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import taquin

ROOT = Path(__file__).parents[2]

FUNCTIONS = [thing for name, thing in vars(taquin).items() if inspect.isfunction(thing) and name in taquin.__all__]
# `steps` passes on the arguments of a search.
NO_SEARCHES = {"Found", "Node", "steps"}
GRAPHS = [getattr(taquin.search, name) for name in taquin.search.__all__ if name not in NO_SEARCHES]


@pytest.mark.parametrize("function", [*FUNCTIONS, *GRAPHS], ids=lambda function: str(function.__name__))
def test_signatures_name_every_keyword(function: Callable[..., Any]) -> None:
    signature = inspect.signature(function)
    assert not [name for name, each in signature.parameters.items() if each.kind is each.VAR_KEYWORD]
    assert set(typing.get_type_hints(function)) == {*signature.parameters, "return"}


def test_words_are_those_that_searches_use() -> None:
    steps = list(taquin.trace("867254301", "astar:manhattan"))
    steps += taquin.trace("123406758", "bfs")
    assert {step.event for step in steps} <= set(typing.get_args(taquin.types.Event))
    verdicts = {step.verdict for step in steps if step.verdict is not None}
    assert verdicts <= set(typing.get_args(taquin.types.Verdict))
    outcomes = [
        taquin.solve("123406758").outcome,
        taquin.solve("123456870").outcome,
        taquin.solve("123456870", "bfs", search_anyway=True).outcome,
        taquin.solve("867254301", "bfs", nodes=1).outcome,
    ]
    assert outcomes == list(typing.get_args(taquin.types.Outcome))


def examples(folder: Path) -> list[Path]:
    """The code of the README, of the notebooks and of a script."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "python/README.md").read_text(encoding="utf-8"), re.DOTALL)
    written = {"readme": blocks, "script": [(Path(__file__).parent / "typed_script.py").read_text(encoding="utf-8")]}
    for path in (ROOT / "examples/notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        written[path.stem.replace("-", "_")] = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    files = []
    for name, parts in written.items():
        files.append(folder / f"{name}.py")
        files[-1].write_text("\n".join(parts), encoding="utf-8")
    assert len(files) >= 5
    return files


@pytest.mark.parametrize(
    "checker",
    [["mypy", "--config-file", str(ROOT / "pyproject.toml"), "--strict"], ["basedpyright", "--level", "error", "--pythonpath", sys.executable]],
    ids=["mypy", "pyright"],
)
def test_examples_have_no_wrong_types(checker: list[str], tmp_path: Path) -> None:
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}', encoding="utf-8")
    command = [str(Path(sys.executable).parent / checker[0]), *checker[1:], *map(str, examples(tmp_path))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_types_of_the_package_are_complete() -> None:
    command = [str(Path(sys.executable).parent / "basedpyright"), "--verifytypes", "taquin", "--ignoreexternal"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, encoding="utf-8")
    found = re.search(r"Type completeness score: ([0-9.]+)%", done.stdout)
    assert found and float(found[1]) >= 98, done.stdout
