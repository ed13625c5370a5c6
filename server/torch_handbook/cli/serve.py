"""`torch-handbook serve`: speak the Language Server Protocol over standard input and output."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from typing import Any

LEVELS = ("error", "warning", "info", "debug")


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("serve", help="run the language server; editors start it this way")
    parser.add_argument("--stdio", action="store_true", help="the default; accepted because editors like to say it")
    parser.add_argument("--tcp", metavar="HOST:PORT", type=address, help="serve one client over TCP instead, for debugging")
    parser.add_argument("--log", choices=LEVELS, default="warning", help="what is written to standard error")


def address(text: str) -> tuple[str, int]:
    """ "localhost:2087", ":2087" or "2087"."""
    host, _, port = text.rpartition(":")
    number = int(port)
    if not 0 <= number < 65536:
        raise argparse.ArgumentTypeError(f"{number} is no port")
    return host or "127.0.0.1", number


def run(options: argparse.Namespace) -> int:
    """Serve until the client says exit."""
    sys.setswitchinterval(0.001)  # seconds that an answer waits while a thread looks for mistakes
    gc.disable()  # a start makes much and throws little away; the session turns it on again
    logging.basicConfig(stream=sys.stderr, level=options.log.upper(), format="%(levelname)s %(name)s: %(message)s")
    # pygls logs every message as information, and complains of each client that cancels an answered request.
    logging.getLogger("pygls").setLevel(logging.DEBUG if options.log == "debug" else logging.ERROR)
    if options.tcp:
        logging.getLogger("pygls.server").setLevel(logging.INFO)  # says on which port
    from torch_handbook.lsp.on_demand import load_types

    load_types()
    from torch_handbook.lsp.server import serve

    serve(options.tcp)
    return 0
