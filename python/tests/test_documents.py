"""Every example in the documentation runs, and the notebooks do."""

from __future__ import annotations

import builtins
import doctest
import os
import re
from pathlib import Path
from typing import Any

import pytest

import reference
import taquin
import taquin.widget

ROOT = Path(__file__).parents[2]
MODULES = [taquin, taquin._solve, taquin._studies, taquin._tables, taquin.errors, taquin.experiment, taquin.search, taquin.types, taquin.widget]


@pytest.mark.parametrize("page", ["python/README.md"])
def test_the_examples_of_a_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module(module: object) -> None:
    names = {"builtins": builtins, "taquin": taquin, **{name: getattr(taquin, name) for name in taquin.__all__}}
    result = doctest.testmod(module, extraglobs=names, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)  # type: ignore[arg-type]
    assert result.attempted > 0 and result.failed == 0


def public() -> list[tuple[str, object]]:
    """The functions and classes of the reference. The names of types have no examples of their own."""
    names = [(title, name) for title, module in reference.MODULES.items() for name in module.__all__]
    things = [(f"{title}.{name}", getattr(reference.MODULES[title], name)) for title, name in names]
    return [(name, thing) for name, thing in things if reference.is_defined(thing)]


@pytest.mark.parametrize(("name", "thing"), public())
def test_every_public_name_has_an_example(name: str, thing: object) -> None:
    assert ">>> " in (thing.__doc__ or "") or isinstance(getattr(thing, "_is_protocol", None), bool)


def test_the_reference_is_up_to_date() -> None:
    text = reference.reference()
    if os.environ.get("SNAPSHOTS") == "overwrite":
        reference.PAGE.write_text(text, encoding="utf-8")
    assert reference.PAGE.read_text(encoding="utf-8") == text, "run SNAPSHOTS=overwrite pytest"


@pytest.mark.parametrize("path", sorted((ROOT / "examples/notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook(path: Path, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    def printed(cell: Any) -> str | None:
        """A cell's output, if no time limit decides about it."""
        outputs = cell.get("outputs", [])
        assert not outputs or cell.execution_count, f"{path.name} has no outputs: jupyter execute --inplace"
        return "" if "time=" in cell.source else "".join(output.get("text", "") for output in outputs)

    stored = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [printed(cell) for cell in stored.cells] == [printed(cell) for cell in notebook.cells]
    assert any(map(printed, stored.cells))
