"""The files in schemas/ describe what taquin writes and reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import taquin

ROOT = Path(__file__).parents[2]


def schema(name: str) -> Any:
    facts = json.loads((ROOT / f"schemas/{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(facts)
    return jsonschema.Draft202012Validator(facts)


def undescribed(facts: dict[str, Any], name: str) -> set[str]:
    return set(facts) - set(schema(name).schema["properties"])


def test_reports() -> None:
    hard = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0"
    reports = [
        taquin.solve("867254301", "astar:manhattan"),
        taquin.solve("123456870"),
        taquin.solve("123456870", "bfs", search_anyway=True),
        taquin.solve("867254301", as_="ucr-list", method="manhattan"),
        taquin.solve("867254301", "bfs", nodes=5),
        taquin.solve("1 2 0/3 4 0", cost="tile"),
        taquin.solve(hard, "anytime", time=0.5, goal="first"),
        taquin.solve(hard, "astar", heuristic=lambda board: 0, nodes=5),
    ]
    for report in reports:
        schema("report").validate(report.to_dict())
        assert not undescribed(report.to_dict(), "report")
    wrong = {**reports[0].to_dict(), "outcome": "lost"}
    assert not schema("report").is_valid(wrong)


@pytest.mark.parametrize("method", ["bfs", "astar:manhattan", "ida:manhattan", "rbfs:manhattan", "beam:manhattan,k=5"])
def test_steps(method: str) -> None:
    steps = [step.to_dict() for step in taquin.trace("123406758", method)]
    for step in steps:
        schema("step").validate(step)
    assert len(steps) > 3 and not schema("step").is_valid({**steps[-1], "h": -1})


@pytest.mark.parametrize("method", ["astar:manhattan,undo=keep", "ida:manhattan", "beam:manhattan,k=2", "bae:manhattan"])
def test_traces_for_posthoc(method: str) -> None:
    command = [sys.executable, "-m", "taquin", "solve", "123406758", "--trace=posthoc", "-m", method]
    trace = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    schema("posthoc").validate(trace)
    assert len(trace["events"]) > 3 and not schema("posthoc").is_valid({**trace, "version": "1.3.0"})


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib")
def test_plans_and_courses() -> None:
    import tomllib

    plans = [taquin.Experiment.example(), *(path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.toml"))]
    for plan in plans:
        schema("plan").validate(tomllib.loads(plan))
    courses = list((ROOT / "crates/lab/courses").glob("*.toml"))
    for path in courses:
        schema("course").validate(tomllib.loads(path.read_text(encoding="utf-8")))
    assert len(plans) >= 3 and len(courses) == len(taquin.courses())
    assert not schema("plan").is_valid({"instances": "courses", "method": "astar"})
    assert not schema("course").is_valid({"name": "x", "about": "y"})


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib")
def test_rubrics(tmp_path: Path) -> None:
    import tomllib

    page = (ROOT / "docs/grading.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    written = tmp_path / "key.toml"
    arguments = ["generate", "3x3", "--number", "3", "--seed", "1", "--as", "ucr-list", "--key", str(written)]
    subprocess.run([sys.executable, "-m", "taquin", *arguments], check=True, capture_output=True)
    for text in (example, written.read_text(encoding="utf-8")):
        schema("rubric").validate(tomllib.loads(text))
        assert not schema("rubric").is_valid({**tomllib.loads(text), "board": []})
    assert not schema("rubric").is_valid({"boards": []})


def test_lessons() -> None:
    lessons = list((ROOT / "crates/web/page").glob("lesson-*.json"))
    for path in lessons:
        schema("lesson").validate(json.loads(path.read_text(encoding="utf-8")))
    assert len(lessons) >= 3
    assert not schema("lesson").is_valid({"format": "taquin-lesson", "version": 1, "title": "x", "pages": []})
