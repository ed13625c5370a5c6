--- Beside another Python server: names of torch that it completes anyway are left to it, so that none is listed twice.
local server = require("torch_handbook.server")

local M = {}

local FEW = 3 -- file types: a server with more is not one for Python, whatever else it completes

---@param client vim.lsp.Client
---@return boolean whether it completes Python as we do
local function completes(client)
  local filetypes = client.config.filetypes or { "python" }
  local python = vim.list_contains(filetypes, "python") and #filetypes <= FEW
  return client.name ~= server.name and python and client:supports_method("textDocument/completion")
end

--- Tells the server what to complete as long as nobody has set `completion.mode`.
---@param buffer integer
---@param leaving? integer the client that is about to go
function M.update(buffer, leaving)
  local client = vim.lsp.get_clients({ name = server.name, bufnr = buffer })[1]
  local settings = client and vim.tbl_get(client.settings, "torchHandbook")
  if not client or not settings then
    return
  end
  local others = vim.iter(vim.lsp.get_clients({ bufnr = buffer })):any(function(other)
    return other.id ~= leaving and completes(other)
  end)
  local mode = others and "annotated" or nil
  if vim.tbl_get(settings, "defaults", "completion.mode") ~= mode then
    settings.defaults = mode and { ["completion.mode"] = mode } or nil
    client:notify("workspace/didChangeConfiguration", { settings = client.settings })
  end
end

return M
