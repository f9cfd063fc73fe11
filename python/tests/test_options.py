"""The options of the command line and the keywords of the package are the same.

`command_line.txt` lists the options; a test of the program keeps it up to date.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import taquin

# Options that only concern a terminal or text files.
SHELL = {"--help", "--color", "--json", "--jsonl", "--quiet", "--file", "--goal-file", "--csv"}

# Options without a keyword here, and their substitutes.
INSTEAD: dict[str, dict[str, Any]] = {
    "solve": {
        "--trace": taquin.trace,
        "--trace-limit": taquin.trace,  # itertools.islice
        "--path": taquin.Report.boards,
        "--format": taquin.Board.text,
        "--on": taquin.methods,  # as the field on=gpu of a method
        "--metric": taquin.methods,  # as the field metric=multi of a method
        "--notation": taquin.Report.write_moves,
        "--animate": taquin.Report.animate,
        "--batch": taquin.solve_many,
        "--all-solutions": taquin.solutions,
        "--count-only": taquin.Solutions.__len__,
        "--limit": taquin.solutions,
    },
    # The keywords have the older names count, limit and all.
    "generate": {"--format": taquin.Board.text, "--number": taquin.gen},
    "match": {"--nodes": taquin.match},
    "enumerate": {"--chart": taquin.Enumeration.plot},
    "compare": {
        "--instances": taquin.instances,  # the first argument
        "--method": taquin.methods,  # the second argument
        "--metric": taquin.methods,  # as the field metric=multi of a method
        "--on": taquin.methods,  # as the field on=gpu of a method
        "--chart": taquin.Comparison.plot,
        "--markdown": taquin.Comparison.to_dict,
        "--latex": taquin.Comparison.to_dict,
    },
    "experiment run": {"--check": taquin.Experiment.check, "--method": taquin.Experiment},
    "experiment report": {"--out": taquin.Experiment.charts, "--latex": taquin.Experiment.report},
    "experiment export": {"--out": Path.write_text, "--stale": taquin.Experiment.export},
}

# The program starts several processes, sets the threads of its own process, draws pages to print,
# counts the boards near a goal, and prints the checks of a course.
ONLY_THERE = {
    "generate": {"--as", "--key", "--method", "--sheet", "--title", "--unique"},
    "enumerate": {
        "--bfile", "--cluster", "--connect-timeout", "--depth", "--hosts", "--local", "--process", "--secret", "--threads", "--unbounded",
    },
    "audit": {"--as", "--threads"},
    "compare": {"--threads"},
}

# Keywords that the command line has no use for, or has as arguments.
ONLY_HERE = {"all", "count", "limit", "admissible", "board", "boards", "format", "progress", "heuristic", "raise_unsolvable", "size", "methods", "plan"}

FUNCTIONS: dict[str, list[Callable[..., Any]]] = {
    "solve": [taquin.solve],
    "generate": [taquin.gen],
    "enumerate": [taquin.enumerate],
    "audit": [taquin.audit],
    "compare": [taquin.compare],
    "match": [taquin.match],
    "experiment run": [taquin.Experiment, taquin.Experiment.run],
    "experiment report": [taquin.Experiment.report],
    "experiment export": [taquin.Experiment.export],
}


def options_of(command: str) -> set[str]:
    text = (Path(__file__).parent / "command_line.txt").read_text(encoding="utf-8")
    return {line.removeprefix(command + " ") for line in text.splitlines() if re.match(command + " --", line)}


def keywords_of(function: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(function).parameters) - {"self"}


@pytest.mark.parametrize("command", FUNCTIONS)
def test_every_option_is_a_keyword(command: str) -> None:
    options = options_of(command) - ONLY_THERE.get(command, set())
    assert len(options) >= 3
    keywords = set().union(*(keywords_of(function) for function in FUNCTIONS[command]))
    instead = INSTEAD.get(command, {})
    assert set(instead) <= options
    written = {option: option[2:].replace("-", "_") for option in options - SHELL - set(instead)}
    written.update({"--as": "as_"} if "--as" in options else {})
    missing = {option for option, keyword in written.items() if keyword not in keywords}
    assert not missing, f"options of taquin {command} that Python does not have"
    extra = keywords - set(written.values()) - ONLY_HERE
    assert not {keyword for keyword in extra if "--" + keyword not in instead}, "keywords that are no options"
