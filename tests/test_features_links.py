"""Where the ids of rules and the names of torch lead to: to pages, as files that any editor opens. "|" is the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from feature_snapshots import at, snapshot
from lsp_editor import Buffer, connected, profile
from lsprotocol import types as lsp
from torch_handbook.features.links import links, page_at

BAD = 'import torch\nx = torch.einsum("ij,jk->ik", torch.ones(2, 2), torch.ones(2, 2))'
CODE = """import torch
a = 1  # torch-handbook: ignore[einsum-with-bmm-equivalent, no-such-rule]
# torch-handbook: ignore-file[shape-mismatch]
b = "# torch-handbook: ignore[shape-mismatch]"
名 = 1  # a word  # torch-handbook: ignore[ deprecated-api ] and more
c = 1  # torch-handbook: ignore
"""


def test_each_id_of_a_rule_in_a_comment_is_a_link() -> None:
    seen = snapshot(CODE)
    found = [(link.span.line, seen.text.slice(link.span), link.page) for link in links(seen)]
    ids = [(2, "einsum-with-bmm-equivalent"), (3, "shape-mismatch"), (5, "deprecated-api")]
    assert found == [(line, name, name) for line, name in ids]
    assert all(link.tooltip and "\n\n" not in link.tooltip for link in links(seen))


@pytest.mark.parametrize(
    ("code", "page"),
    [
        ("import torch\nx = torch.ca|t([])\n", "torch.cat"),
        ("import torch\nx = torch.conca|t([])\n", "torch.cat"),
        ("import torch\nx = torch.zeros(3).vie|w(1)\n", "torch.Tensor.view"),
        ("x = 1  # torch-handbook: ignore[shape-mis|match]\n", "shape-mismatch"),
        ("import torch\nx = torch.no_such_thi|ng\n", None),
        ("x = le|n([])\n", None),
    ],
)
def test_the_page_of_what_stands_there(code: str, page: str | None) -> None:
    text, place = at(code)
    assert page_at(snapshot(text), place) == page


def read(uri: str) -> str:
    return Path(unquote(urlsplit(uri).path)).read_text("utf-8")


def cache(tmp_path: Path) -> Mapping[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


async def declared(buffer: Buffer, words: str) -> str:
    params = lsp.DeclarationParams(buffer.id, buffer.find(words))
    found = await buffer.editor.client.text_document_declaration_async(params)
    assert isinstance(found, lsp.Location)
    return read(found.uri)


@pytest.mark.torch
@pytest.mark.asyncio
async def test_an_editor_opens_the_pages(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    async with connected(profile("visual-studio-code"), tmp_path, settings={"facts": False}, environ=cache(tmp_path)) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), CODE + "torch.cat([])\ntorch.Tensor\ntorch.tensor(1)\n")
        found = await editor.client.text_document_document_link_async(lsp.DocumentLinkParams(buffer.id)) or []
        assert [read(link.target or "").split("\n")[0] for link in found] == [
            "# einsum-with-bmm-equivalent",
            "# shape-mismatch",
            "# deprecated-api",
        ]
        assert found[2].range == lsp.Range(buffer.find("deprecated-api"), buffer.find("deprecated-api", len("deprecated-api")))
        assert (await declared(buffer, "ca|t([])")).startswith("# torch.cat\n")
        assert "torch.Tensor" in await declared(buffer, "Ten|sor")
        assert (await declared(buffer, "ten|sor(1)")).startswith("# torch.tensor\n")
        assert (await declared(buffer, "shape-mis|match")).startswith("# shape-mismatch\n")
        params = lsp.DefinitionParams(buffer.id, buffer.find("einsum-with|"))
        definition = await editor.client.text_document_definition_async(params)
        assert isinstance(definition, lsp.Location) and read(definition.uri).startswith("# einsum-with-bmm-equivalent")


@pytest.mark.asyncio
@pytest.mark.parametrize(("name", "told"), [("visual-studio-code", True), ("emacs", False)])
async def test_a_diagnostic_leads_to_the_page_of_its_rule(tmp_path: Path, name: str, told: bool) -> None:
    async with connected(profile(name), tmp_path, settings={"facts": False}, environ=cache(tmp_path)) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        (row,) = await buffer.diagnostics(bool)
        assert (row.code_description is not None) is told
        if row.code_description:
            assert read(row.code_description.href).startswith(f"# {row.code}\n")


@pytest.mark.asyncio
@pytest.mark.parametrize(("name", "shows"), [("visual-studio-code", True), ("no capabilities", False)])
async def test_an_action_opens_the_page_of_its_finding(tmp_path: Path, name: str, shows: bool) -> None:
    capabilities = profile(name) if shows else lsp.ClientCapabilities()
    async with connected(capabilities, tmp_path, settings={"facts": False}, environ=cache(tmp_path)) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        (row,) = await buffer.diagnostics(bool)
        place = lsp.CodeActionParams(buffer.id, row.range, lsp.CodeActionContext([]))
        found = await editor.client.text_document_code_action_async(place) or []
        assert any(action.title.startswith("Why: ") for action in found)
        answer = await editor.command("open", str(row.code))
        assert answer["ok"] and read(answer["uri"]) == answer["markdown"]
        await editor.status()
        assert [read(params.uri).split("\n")[0] for params in editor.shown] == [f"# {row.code}"] * shows
        assert any(f"# {row.code}" in message for message in editor.messages()) is not shows
        assert not (await editor.command("open", "no-such-rule"))["ok"]


@pytest.mark.torch
@pytest.mark.asyncio
async def test_a_client_with_a_view_for_pages_is_told_their_names(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    capabilities = profile("visual-studio-code")
    capabilities.experimental = {"torchHandbookPages": True}
    async with connected(capabilities, tmp_path, settings={"facts": False}, environ=cache(tmp_path)) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), CODE + "torch.cat([])\n")
        links = await editor.client.text_document_document_link_async(lsp.DocumentLinkParams(buffer.id)) or []
        assert [link.target for link in links][:2] == [
            "torch-handbook:/einsum-with-bmm-equivalent",
            "torch-handbook:/shape-mismatch",
        ]
        place = lsp.DeclarationParams(buffer.id, buffer.find("ca|t([])"))
        found = await editor.client.text_document_declaration_async(place)
        assert isinstance(found, lsp.Location) and found.uri == "torch-handbook:/torch.cat"
        bad = editor.open((tmp_path / "b.py").as_uri(), BAD)
        (row,) = await bad.diagnostics(bool)
        assert row.code_description and row.code_description.href == f"torch-handbook:/{row.code}"
        assert (await editor.command("open", "guides/in-place"))["uri"] == "torch-handbook:/guides/in-place"
        assert not list(tmp_path.rglob("*.md"))


@pytest.mark.asyncio
async def test_all_is_fixed_for_who_asks_for_that(tmp_path: Path) -> None:
    async with connected(profile("visual-studio-code"), tmp_path, settings={"facts": False}) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        await buffer.diagnostics(bool)

        async def asked(*only: str) -> list[str]:
            context = lsp.CodeActionContext([], only=[lsp.CodeActionKind(kind) for kind in only] or None)
            params = lsp.CodeActionParams(buffer.id, buffer.whole(), context)
            found = await editor.client.text_document_code_action_async(params) or []
            return [str(action.kind) for action in found if isinstance(action, lsp.CodeAction)]

        assert await asked("source.fixAll") == ["source.fixAll.torch-handbook"]
        assert "source.fixAll.torch-handbook" not in await asked()
