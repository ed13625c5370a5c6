--- Benchmarks: asked of the server, shown while they run, cancelled, and reported in a window.
local consent = require("torch_handbook.consent")
local server = require("torch_handbook.server")
local view = require("torch_handbook.view")

local M = {}

---@class torch_handbook.Run
---@field client vim.lsp.Client
---@field request integer
---@field token string
---@field what string
---@field buffer integer

---@type torch_handbook.Run|nil
local running = nil
local count = 0

---@param text string
local function show(text)
  -- Not kept in :messages: the next line of progress replaces it.
  vim.api.nvim_echo({ { "Torch Handbook: " .. text } }, false, {})
  vim.cmd.redraw()
end

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify("Torch Handbook: " .. text, level or vim.log.levels.INFO)
end

--- Neovim clears a lens that was run and leaves it to us to bring it back.
---@param buffer integer
local function refresh_lenses(buffer)
  if vim.api.nvim_buf_is_loaded(buffer) and not vim.lsp.codelens.enable then
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
end

---@param run torch_handbook.Run
---@return boolean whether it was still the run that is shown
local function finish(run)
  if running ~= run then
    return false
  end
  running = nil
  show("benchmark done")
  refresh_lenses(run.buffer)
  return true
end

---@param run torch_handbook.Run
local function answer(run)
  return function(problem, result)
    if not finish(run) then
      return
    end
    if problem then
      say("the benchmark failed: " .. (problem.message or tostring(problem)), vim.log.levels.ERROR)
    elseif type(result) ~= "table" then
      say("the server sent no report", vim.log.levels.ERROR)
    elseif result.report and result.report ~= "" then
      -- Where there is nothing to report the server has said why.
      view.float(result.title or "Benchmark", result.report)
    end
  end
end

vim.api.nvim_create_autocmd("LspProgress", {
  group = vim.api.nvim_create_augroup("torch_handbook.benchmark", {}),
  callback = function(event)
    local run, params = running, event.data.params
    if not run or event.data.client_id ~= run.client.id or params.token ~= run.token or params.value.kind == "end" then
      return
    end
    local done = params.value.percentage and (" %d %%"):format(params.value.percentage) or ""
    show(("%s: %s%s   (:TorchBenchmarkCancel stops it)"):format(run.what, params.value.message or "starting", done))
  end,
})

--- Runs the command as the server wrote it down, in a lens, an action or here, if the user lets code of this workspace run.
---@param client vim.lsp.Client
---@param arguments any[]
---@param buffer integer
---@param what string
function M.execute(client, arguments, buffer, what)
  if running then
    say(running.what .. " is still being timed; :TorchBenchmarkCancel stops it", vim.log.levels.WARN)
    return
  end
  consent.ask(client, buffer, function()
    M.start(client, arguments, buffer, what)
  end)
end

---@param client vim.lsp.Client
---@param arguments any[]
---@param buffer integer
---@param what string
function M.start(client, arguments, buffer, what)
  count = count + 1
  ---@type torch_handbook.Run
  local run = { client = client, request = 0, token = "torch-handbook-benchmark-" .. count, what = what, buffer = buffer }
  local params = { command = "torch-handbook.benchmark", arguments = arguments, workDoneToken = run.token }
  running = run
  show(what .. ": starting   (:TorchBenchmarkCancel stops it)")
  local sent, request = client:request("workspace/executeCommand", params, answer(run), buffer)
  if not sent then
    running = nil
    say("the server has stopped; :TorchRestart starts it again", vim.log.levels.ERROR)
    return
  end
  run.request = request
end

---@param first integer from 0
---@param last integer from 0, included
---@return string
local function lines(first, last)
  return first == last and ("line %d"):format(first + 1) or ("lines %d–%d"):format(first + 1, last + 1)
end

--- Times lines of a buffer; a single line stands for the statement that it is in.
---@param buffer integer
---@param first integer from 0
---@param last integer from 0, included
function M.run(buffer, first, last)
  local client = server.client(buffer)
  if client then
    M.execute(client, { vim.uri_from_bufnr(buffer), { line = first, endLine = last } }, buffer, lines(first, last))
  end
end

--- A lens or an action was chosen.
---@param command lsp.Command
---@param context lsp.HandlerContext
function M.command(command, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  M.execute(client, command.arguments or {}, context.bufnr, "benchmark")
end

function M.cancel()
  local run = running
  if not run then
    say("no benchmark is running")
    return
  end
  running = nil
  run.client:cancel_request(run.request)
  run.client:notify("window/workDoneProgress/cancel", { token = run.token })
  refresh_lenses(run.buffer)
  say("benchmark cancelled")
end

---@return boolean
function M.is_running()
  return running ~= nil
end

return M
