"""A real Neovim without a screen, with the plugin and nothing else, for tests: every wait ends."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pynvim

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "editors" / "neovim"

INIT = f"""
vim.cmd.cd(vim.env.HOME)
vim.opt.rtp:prepend({json.dumps(str(PLUGIN))})
vim.o.swapfile = false
vim.o.columns, vim.o.lines = 140, 45
vim.g.torch_handbook = vim.json.decode(vim.env.TORCH_HANDBOOK_OPTIONS)
notices, reports, questions = {{}}, {{}}, {{}}
vim.ui.select = function(items, options, choose)
  table.insert(questions, options.prompt)
  choose(items[1])
end
vim.notify = function(text) table.insert(notices, text) end
vim.api.nvim_create_autocmd("LspProgress", {{
  callback = function(event) table.insert(reports, event.data.params.value) end,
}})
"""


def binary() -> str | None:
    """The nvim that was asked for, that came with the test packages, or that the machine has."""
    beside = Path(sys.executable).parent / "nvim"
    return os.environ.get("NVIM_BINARY") or (str(beside) if beside.exists() else shutil.which("nvim"))


def environment(home: Path, path: str, options: dict[str, Any]) -> list[str]:
    """Nothing of the machine that a test should not see: an empty home, and only the given PATH."""
    names = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    values = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", "TORCH_HANDBOOK_OPTIONS": json.dumps(options)}
    return ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in (values | names).items())]


class Neovim:
    """One running Neovim. Lines are from 1, as on the screen; columns are found by the text that stands there."""

    def __init__(self, home: Path, path: str | None = None, **options: Any) -> None:
        home.mkdir(parents=True, exist_ok=True)
        script = home / "init.lua"
        script.write_text(INIT, encoding="utf-8")
        path = path if path is not None else os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        command = [*environment(home, path, options), binary() or "nvim", "--embed", "--headless", "-u", str(script)]
        self.rpc: Any = pynvim.attach("child", argv=command)

    def close(self) -> None:
        self.rpc.command("qall!", async_=True)
        self.rpc.close()

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.rpc.exec_lua(code, *arguments)

    def until(self, expression: str, seconds: float = 20) -> Any:
        """The value of a Lua expression as soon as it is true; fails with what else is known when it never is."""
        waiting = """
            local ask, last = loadstring("return " .. ...), nil
            vim.wait(select(2, ...), function() last = ask() return last end, 20)
            return last
        """
        value = self.lua(waiting, expression, int(seconds * 1000))
        assert value, f"not within {seconds} s: {expression}\n{self.seen()}"
        return value

    def seen(self) -> str:
        """What a person would see, in words, for a failure."""
        parts = {
            "notices": self.lua("return notices"),
            "messages": self.rpc.command_output("messages"),
            "floats": self.floats(),
            "diagnostics": [f"{row['lnum'] + 1}: {row['message']}" for row in self.lua("return vim.diagnostic.get(0)")],
            "clients": self.lua("return vim.tbl_map(function(c) return c.name end, vim.lsp.get_clients())"),
        }
        return "\n".join(f"{name}: {value}" for name, value in parts.items())

    def open(self, path: Path) -> None:
        self.rpc.command(f"edit {path}")
        self.until("#vim.lsp.get_clients({ bufnr = 0, name = 'torch_handbook' }) == 1")

    @property
    def lines(self) -> list[str]:
        return self.rpc.current.buffer[:]

    def line(self, text: str) -> int:
        """The first line that holds a text."""
        return next(number for number, line in enumerate(self.lines, 1) if text in line)

    def go(self, line: str, word: str) -> None:
        """Puts the cursor on a word of the line that holds `line`."""
        number = self.line(line)
        text = self.lines[number - 1]
        column = text.index(word, text.index(line) if word in line else 0)
        self.rpc.current.window.cursor = (number, len(text[:column].encode()))

    def floats(self) -> list[str]:
        """The texts of the windows that stand over the others."""
        windows = [window for window in self.rpc.windows if self.rpc.api.win_get_config(window)["relative"]]
        return ["\n".join(window.buffer[:]) for window in windows]

    def float(self, seconds: float = 20) -> str:
        """The text of the window that opens over the others."""
        opened = "vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end)"
        self.until(opened, seconds)
        return self.floats()[0]

    def close_floats(self) -> None:
        for window in self.rpc.windows:
            if self.rpc.api.win_get_config(window)["relative"]:
                self.rpc.api.win_close(window, True)

    def hover(self, line: str, word: str) -> str:
        self.close_floats()
        self.go(line, word)
        self.lua("vim.lsp.buf.hover()")
        text = self.float()
        self.close_floats()
        return text

    def rules(self) -> set[str]:
        return {row["code"] for row in self.lua("return vim.diagnostic.get(0)")}

    def diagnosed(self, rules: set[str], seconds: float = 60) -> None:
        """Waits until each of these rules has found something."""
        for rule in rules:
            self.until(f"vim.iter(vim.diagnostic.get(0)):any(function(d) return d.code == '{rule}' end)", seconds)
