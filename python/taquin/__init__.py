"""Sliding-tile puzzles: solve, check, generate and study them.

>>> import taquin
>>> report = taquin.solve("1 2 3/4 0 6/7 5 8")
>>> report.moves, report.optimal
('DR', True)

The words are the command line's: ``taquin solve BOARD -m astar:manhattan --time 5s`` is
``taquin.solve(board, "astar:manhattan", time=5)``.
"""

from __future__ import annotations

import atexit

from . import _core, errors, search, types
from ._core import VERSION as __version__
from ._core import Board, Counts, Instance, Report, Stage, Step, Trace
from ._studies import (
    Audit,
    Check,
    Comparison,
    Enumeration,
    Match,
    Matches,
    Picture,
    audit,
    batch,
    compare,
    courses,
    enumerate,
    gen,
    instances,
    match,
    methods,
)
from ._solve import Solutions, solutions, solve, solve_each, solve_many, trace
from ._tables import ReportTable, table
from .errors import (
    BoardError,
    CourseError,
    MethodError,
    OptionError,
    PlanError,
    TaquinError,
    Unsolvable,
)
from .experiment import Experiment, Records

atexit.register(_core.end_calls)

__all__ = [
    "Audit",
    "Board",
    "BoardError",
    "Check",
    "Comparison",
    "Counts",
    "CourseError",
    "Enumeration",
    "Experiment",
    "Instance",
    "Match",
    "Matches",
    "MethodError",
    "OptionError",
    "Picture",
    "PlanError",
    "Records",
    "Report",
    "ReportTable",
    "Solutions",
    "Stage",
    "Step",
    "TaquinError",
    "Trace",
    "Unsolvable",
    "__version__",
    "audit",
    "batch",
    "compare",
    "courses",
    "enumerate",
    "errors",
    "gen",
    "instances",
    "match",
    "methods",
    "search",
    "solutions",
    "solve",
    "solve_each",
    "solve_many",
    "table",
    "trace",
    "types",
]
