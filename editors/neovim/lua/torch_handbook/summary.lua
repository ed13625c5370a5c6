--- The layers of a network and the memory that it takes to train it, in a window beside the text.
local server = require("torch_handbook.server")
local view = require("torch_handbook.view")

local M = {}

---@param client vim.lsp.Client
---@param arguments any[]
---@param buffer integer
---@param modifiers string
local function ask(client, arguments, buffer, modifiers)
  -- The report comes in the answer; the server need not open it as a file.
  table.insert(arguments, { show = false })
  local params = { command = "torch-handbook.summary", arguments = arguments }
  client:request("workspace/executeCommand", params, function(problem, result)
    if problem or type(result) ~= "table" then
      local reason = problem and problem.message or "the server sent no answer"
      vim.notify("Torch Handbook: the summary failed: " .. reason, vim.log.levels.ERROR)
    elseif result.ok then
      view.page(result.title, result.report, modifiers)
    end
    -- Where there is nothing to show the server has said why.
  end, buffer)
end

--- Sums up the network of a name, or the one at the cursor, or the largest of the file.
---@param buffer integer
---@param name string
---@param modifiers string
function M.run(buffer, name, modifiers)
  local client = server.client(buffer)
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local where = name ~= "" and { name = name } or params.position
  ask(client, { vim.uri_from_bufnr(buffer), where }, buffer, modifiers)
end

--- A lens or an action was chosen.
---@param command lsp.Command
---@param context lsp.HandlerContext
function M.command(command, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  ask(client, vim.deepcopy(command.arguments or {}), context.bufnr, "")
end

return M
