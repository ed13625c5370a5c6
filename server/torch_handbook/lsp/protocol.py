"""pygls' protocol, mended where a misbehaving client or a long benchmark would suffer."""

# pygls annotates its handlers and commands as bare containers.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Generator
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import JsonRPCNotification, LanguageServerProtocol, lsp_method

logger = logging.getLogger(__name__)

Steps = Generator[Any, Any, None]


class Written(str):
    """A result that is JSON already: a list of a thousand offers is the same each time, and takes long to write."""


class Protocol(LanguageServerProtocol):
    """The session keeps the documents, so pygls does not: it cuts lines where Python and the protocol do not (form feed,
    U+2028), and its columns would be wrong from there on."""

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        if result.capabilities.execute_command_provider:
            result.capabilities.execute_command_provider.work_done_progress = True
        return result

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> Steps:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Steps:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> Steps:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: lsp.DidOpenNotebookDocumentParams) -> Steps:
        yield self.fm.features[lsp.NOTEBOOK_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: lsp.DidChangeNotebookDocumentParams) -> Steps:
        yield self.fm.features[lsp.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: lsp.DidCloseNotebookDocumentParams) -> Steps:
        yield self.fm.features[lsp.NOTEBOOK_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(lsp.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: lsp.ExecuteCommandParams) -> Any:  # pyright: ignore
        """Run a command as a coroutine of its own, so that `$/cancelRequest` reaches it, and whatever its arguments are."""
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams.of(ValueError(f"there is no command {params.command!r}"))
        return await command(params.arguments or [], params.work_done_token)

    def written(self, result: Any) -> Written:
        """A result as JSON, to be sent again and again."""
        return Written(json.dumps(result, default=self._serialize_message))

    def _send_response(self, msg_id: int | str, result: Any | None = None, error: lsp.ResponseError | None = None) -> None:
        """Answer a request; what is written already goes out as it is."""
        if error is not None or not isinstance(result, Written) or self.writer is None:
            super()._send_response(msg_id, result, error)
            return
        self._result_types.pop(msg_id, None)
        body = f'{{"jsonrpc": "{self.VERSION}", "id": {json.dumps(msg_id)}, "result": {result}}}'
        head = f"Content-Length: {len(body)}\r\nContent-Type: {self.CONTENT_TYPE}; charset={self.CHARSET}\r\n\r\n"
        sent = self.writer.write(((head if self._include_headers else "") + body).encode(self.CHARSET))
        if inspect.isawaitable(sent):
            self._written = asyncio.ensure_future(sent)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object. A request that cannot be one gets an error for an answer; pygls would leave it waiting."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            return JsonRPCNotification(method="$/malformed", jsonrpc=self.VERSION, params=None)
