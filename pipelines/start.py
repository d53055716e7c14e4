"""The program `lexbeam`: interrupted while its modules are still being imported, it ends as it does later."""

import os
from typing import NoReturn


def entry() -> NoReturn:
    """Import the command line, and run the command."""
    try:
        from lexbeam.pipelines import cli

        cli.entry()
    except KeyboardInterrupt:
        os.write(2, b"lexbeam: interrupted; nothing was begun\n")
        os._exit(130)
