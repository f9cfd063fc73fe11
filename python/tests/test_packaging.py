"""The package as others install it."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tarfile
from pathlib import Path

import taquin

ROOT = Path(__file__).parents[2]


def test_metadata() -> None:
    facts = importlib.metadata.metadata("taquin")
    assert facts["Version"] == taquin.__version__
    assert facts["License-Expression"] == "MIT OR Apache-2.0" and facts.get_all("License-File")
    assert facts["Author"] == "The taquin authors"
    workspace = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    links = dict(link.split(", ") for link in facts.get_all("Project-URL") or [])
    for name, key in {"Homepage": "homepage", "Source Code": "repository"}.items():
        assert f'{key} = "{links[name]}"' in workspace
    kinds = facts.get_all("Classifier") or []
    for kind in ("Programming Language :: Python :: 3.10", "Operating System :: OS Independent", "Typing :: Typed"):
        assert kind in kinds
    (command,) = importlib.metadata.entry_points(group="console_scripts", name="taquin")
    assert command.load()


def test_the_source_package_has_what_a_build_needs(tmp_path: Path) -> None:
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "sdist", "--out", tmp_path], check=True, capture_output=True, cwd=ROOT)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        files = {name.partition("/")[2] for name in packed.getnames()}
    needed = {"PKG-INFO", "pyproject.toml", "Cargo.toml", "Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE", "python/README.md"}
    needed |= {"crates/py/src/lib.rs", "crates/py/Cargo.toml", "python/taquin/py.typed", "python/taquin/_core.pyi"}
    needed |= {str(path.relative_to(ROOT)) for path in (ROOT / "python/taquin").glob("*.[pcj][ys]*")}
    assert needed <= files, needed - files
    assert archive.stat().st_size < 4_000_000
