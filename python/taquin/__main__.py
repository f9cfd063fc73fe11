"""The program ``taquin``: ``python -m taquin solve BOARD``."""

from __future__ import annotations

import shutil
import signal
import sys
import sysconfig

from . import _core


def main() -> int:
    """Run the program with the arguments of this process, and return its exit code."""
    # The program has a handler of its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = shutil.which("taquin", path=sysconfig.get_path("scripts"))
    return _core.run_program(["taquin", *sys.argv[1:]], program or "taquin")


if __name__ == "__main__":
    sys.exit(main())
