"""Every example in the documentation runs, and the notebooks do."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import taquin
import taquin._solve
import taquin._studies

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["python/README.md", "README.md"])
def test_the_examples_of_a_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("module", [taquin, taquin._solve, taquin._studies, taquin.search])
def test_the_examples_of_a_module(module: object) -> None:
    names = {name: getattr(taquin, name) for name in taquin.__all__}
    result = doctest.testmod(module, extraglobs=names)  # type: ignore[arg-type]
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("path", sorted((ROOT / "examples/notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook(path: Path, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(cell.get("outputs") for cell in notebook.cells)
