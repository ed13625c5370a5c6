--- :checkhealth torch_handbook
local options = require("torch_handbook.options")
local server = require("torch_handbook.server")

local M = {}
local health = vim.health

local function check_neovim()
  health.start("Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.11") == 1 then
    health.ok("Neovim " .. version)
  else
    health.error("Neovim " .. version .. " is too old", "install Neovim 0.11 or later")
  end
end

--- Runs the server's command with other arguments, for at most a minute: a busy machine may need half of one to import torch.
---@param command string[]
---@param arguments string[]
---@return boolean well
---@return string text
local function ask(command, arguments)
  local started, process = pcall(vim.system, vim.list_extend(vim.deepcopy(command), arguments), { text = true })
  if not started then
    return false, tostring(process)
  end
  local done = process:wait(60000)
  if done.code == 124 then
    return false, "no answer within 60 seconds"
  end
  local text = vim.trim((done.stdout or "") ~= "" and done.stdout or done.stderr or "")
  return done.code == 0, text
end

---@return string[]|nil
local function check_server()
  health.start("Server")
  local command = server.command()
  if not command then
    health.error(server.missing(), { server.install, "or set vim.g.torch_handbook = { server = '/path/to/torch-handbook' }" })
    return nil
  end
  local well, text = ask(command, { "--version" })
  local where = table.concat(command, " ")
  if well then
    health.ok(("%s (%s)"):format(text, where))
  else
    health.error(("%s does not run: %s"):format(where, text), "install it again: " .. server.install)
  end
  return well and command or nil
end

local function check_clients()
  health.start("Files")
  local clients = vim.lsp.get_clients({ name = server.name })
  if #clients == 0 then
    health.info("the server is not running: it starts when a Python file is opened")
  end
  for _, client in ipairs(clients) do
    for buffer in pairs(client.attached_buffers) do
      health.ok(vim.api.nvim_buf_get_name(buffer) .. " (" .. (client.root_dir or "no project folder") .. ")")
    end
  end
end

--- One line of the server's own check, with what it advises in the line below.
---@param line string
---@param below? string
local function tell(line, below)
  local sign, text = line:match("^(%S+)%s+(.*)$")
  local advice = below and below:match("^%s*→%s*(.*)$")
  if sign == "✓" then
    health.ok(text)
  elseif sign == "✗" then
    health.warn(text, advice and { advice } or nil)
  elseif sign == "·" then
    health.info(text)
  elseif sign ~= "→" then
    health.info(line)
  end
end

--- What the server found of Python and torch.
---@param command string[]
local function check_torch(command)
  health.start("Python and torch")
  local python = options.get().python
  local _, text = ask(command, python and { "doctor", "--python", python } or { "doctor" })
  local lines = vim.split(text, "\n", { plain = true, trimempty = true })
  for number, line in ipairs(lines) do
    tell(vim.trim(line), lines[number + 1])
  end
end

function M.check()
  check_neovim()
  local command = check_server()
  check_clients()
  if command then
    check_torch(command)
  end
end

return M
