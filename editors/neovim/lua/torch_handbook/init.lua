--- Torch Handbook in Neovim: what happens when the server attaches, and the commands.
local options = require("torch_handbook.options")
local server = require("torch_handbook.server")

local M = {}

--- Sets options; the same as `vim.g.torch_handbook` before the first Python file is opened.
---@param chosen? torch_handbook.Options
function M.setup(chosen)
  options.set(chosen)
  vim.lsp.config(server.name, server.settings())
end

--- Neovim 0.11 asks for lenses only when told to; 0.12 keeps them up to date itself.
---@param buffer integer
local function show_lenses(buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  vim.lsp.codelens.refresh({ bufnr = buffer })
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "TextChanged" }, {
    group = vim.api.nvim_create_augroup("torch_handbook.lens." .. buffer, {}),
    buffer = buffer,
    callback = function()
      vim.lsp.codelens.refresh({ bufnr = buffer })
    end,
  })
end

---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  local chosen = options.get()
  client.commands["torch-handbook.benchmark"] = require("torch_handbook.benchmark").command
  client.commands["torch-handbook.summary"] = require("torch_handbook.summary").command
  if chosen.inlay_hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if chosen.code_lens then
    show_lenses(buffer)
  end
  require("torch_handbook.completion").attach(client, buffer, chosen.completion)
end

--- Starts the server again, for every file that it served.
function M.restart()
  vim.lsp.enable(server.name, false)
  vim.wait(3000, function()
    return #vim.lsp.get_clients({ name = server.name }) == 0
  end, 20)
  vim.lsp.enable(server.name)
end

--- The names of pages that hold what is typed, for the command line.
---@param typed string
---@return string[]
function M.page_names(typed)
  local client = server.client(0) or vim.lsp.get_clients({ name = server.name })[1]
  local params = { command = "torch-handbook.pages", arguments = {} }
  local answer = client and client:request_sync("workspace/executeCommand", params, 2000)
  return vim.tbl_filter(function(name)
    return name:lower():find(typed:lower(), 1, true) ~= nil
  end, answer and answer.result and answer.result.names or {})
end

--- Shows a page of the handbook.
---@param name string "torch.nn.Conv2d", "guides/in-place"
---@param modifiers? string
function M.page(name, modifiers)
  local client = server.client(0) or vim.lsp.get_clients({ name = server.name })[1]
  if not client then
    return
  end
  local params = { command = "torch-handbook.page", arguments = { name } }
  client:request("workspace/executeCommand", params, function(problem, result)
    if problem or type(result) ~= "table" or not result.markdown then
      local reason = problem and problem.message or ("the handbook has no page " .. name)
      vim.notify("Torch Handbook: " .. reason, vim.log.levels.WARN)
      return
    end
    require("torch_handbook.view").page(result.title or name, result.markdown, modifiers or "")
  end)
end

return M
