"""`python -m torch_handbook`: the command line."""

import os
import sys


def leave_folder() -> None:
    """Python puts the folder it was started in first on its path, and there a user's own `json.py` or `random.py` may lie,
    which would run in place of Python's. Nothing but modules that Python has already loaded may be imported before this."""
    alone = sys.flags.isolated or getattr(sys.flags, "safe_path", False)
    if not alone and sys.path and __file__ != f"{sys.path[0]}{os.sep}torch_handbook{os.sep}__main__.py":
        del sys.path[0]


leave_folder()

from torch_handbook.cli.main import main  # noqa: E402

sys.exit(main())
