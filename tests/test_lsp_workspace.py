"""What an editor shows of names that come from other files of the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import connected, profile

pytestmark = pytest.mark.asyncio
PLAIN = {"facts": False}  # no worker: these tests are about names
COMMON = "import torch.nn.functional as F\nfrom torch import nn\n\nclass Block(nn.Module):\n    pass\n"
USE = "from .common import F, Block\n\n\ndef run(x):\n    Block().train()\n    return F.relu(x)\n"


async def test_hover_works_through_a_module_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "common.py").write_text(COMMON, encoding="utf-8")
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "net" / "use.py").as_uri(), USE)
        assert "relu" in (await buffer.hover("F.re|lu") or "")
        assert "training mode" in (await buffer.hover("Block().tr|ain") or "")


async def test_an_edit_in_one_file_is_seen_in_the_other_at_once(tmp_path: Path) -> None:
    (tmp_path / "common.py").write_text("", encoding="utf-8")
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "use.py").as_uri(), USE.replace(".common", "common"))
        assert "relu" not in (await buffer.hover("F.re|lu") or "")
        common = editor.open((tmp_path / "common.py").as_uri(), COMMON)
        assert "relu" in (await buffer.hover("F.re|lu") or "")
        common.replace("import torch.nn.functional as F\n", "import torch.nn.init as F\n")
        assert "relu" not in (await buffer.hover("F.re|lu") or "")
        common.replace("torch.nn.init", "torch.nn.functional")
        assert "relu" in (await buffer.hover("F.re|lu") or "")
        common.close()
        assert "relu" not in (await buffer.hover("F.re|lu") or "")
