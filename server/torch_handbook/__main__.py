"""`python -m torch_handbook`: the command line."""

import sys

from torch_handbook.cli.main import main

sys.exit(main())
