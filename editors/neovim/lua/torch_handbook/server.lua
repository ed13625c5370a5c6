--- Finding the server and starting it.
local options = require("torch_handbook.options")

local M = {}

M.name = "torch_handbook"
M.root_markers = { "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", ".git", ".venv" }

-- The server is in the repository that this plugin lies in; a plugin that was copied out of it cannot say where.
local repository = vim.fs.root(debug.getinfo(1, "S").source:sub(2), function(name, path)
  return name == "pyproject.toml" and vim.uv.fs_stat(vim.fs.joinpath(path, "server", "torch_handbook")) ~= nil
end)
M.install = "pipx install " .. (repository and vim.fn.shellescape(repository) or "<the folder of its repository>")

local bin = vim.fn.has("win32") == 1 and "Scripts" or "bin"

--- Where the command may be, in the order in which it is looked for.
---@return string[]
local function places()
  local found = { "torch-handbook" }
  if vim.env.VIRTUAL_ENV then
    table.insert(found, vim.fs.joinpath(vim.env.VIRTUAL_ENV, bin, "torch-handbook"))
  end
  local file = vim.api.nvim_buf_get_name(0)
  for _, folder in ipairs({ vim.fs.dirname(file), vim.fn.getcwd() }) do
    for _, venv in ipairs(vim.fs.find(".venv", { path = folder, upward = true, type = "directory", limit = math.huge })) do
      table.insert(found, vim.fs.joinpath(venv, bin, "torch-handbook"))
    end
  end
  -- Where pipx and uv put programs: a Neovim that was started from a menu may not have it on PATH.
  table.insert(found, vim.fs.normalize("~/.local/bin/torch-handbook"))
  return found
end

--- The command without its arguments, or nil when it is not installed. What the user set is taken as it is.
---@return string[]|nil
function M.command()
  local wanted = options.get().server
  if wanted then
    local command = type(wanted) == "table" and vim.deepcopy(wanted) or { vim.fs.normalize(wanted) }
    return vim.fn.executable(command[1]) == 1 and command or nil
  end
  for _, place in ipairs(places()) do
    if vim.fn.executable(place) == 1 then
      return { vim.fn.exepath(place) }
    end
  end
end

--- Why nothing starts, and what to do about it.
---@return string
function M.missing()
  local wanted = options.get().server
  if wanted then
    local name = type(wanted) == "table" and wanted[1] or wanted
    return ("Torch Handbook: the server that you set, %s, cannot be run"):format(name)
  end
  return "Torch Handbook: the server is not installed. Install it with\n  " .. M.install
end

local told = false

local function tell_missing()
  if not told then
    told = true
    vim.notify(M.missing() .. "\nThen open the file again; :checkhealth torch_handbook says more.", vim.log.levels.WARN)
  end
end

--- The server's settings, as it is told them at the start and when it asks.
---@return table
function M.settings()
  local chosen = options.get()
  local settings = vim.tbl_extend("keep", { python = chosen.python }, chosen.settings)
  return { init_options = settings, settings = { torchHandbook = settings } }
end

--- Lenses that come late, as those above networks do, are asked for again when the server says so: Neovim itself does it from
--- 0.12 on.
---@return table
local function refreshing_lenses()
  if vim.lsp.codelens.enable then
    return {}
  end
  return {
    capabilities = { workspace = { codeLens = { refreshSupport = true } } },
    handlers = {
      ["workspace/codeLens/refresh"] = function(_, _, context)
        for _, buffer in ipairs(vim.lsp.get_buffers_by_client_id(context.client_id)) do
          if options.get().code_lens then
            vim.lsp.codelens.refresh({ bufnr = buffer })
          end
        end
        return vim.NIL
      end,
    },
  }
end

--- What `lsp/torch_handbook.lua` hands to Neovim. The command is looked for when a file is opened, not before: an
--- environment may be activated later than the plugin is loaded.
---@return vim.lsp.Config
function M.config()
  return vim.tbl_extend("error", M.settings(), refreshing_lenses(), {
    cmd = function(dispatchers)
      return vim.lsp.rpc.start(vim.list_extend(assert(M.command(), M.missing()), { "serve" }), dispatchers)
    end,
    filetypes = { "python" },
    root_dir = function(buffer, start)
      if M.command() then
        start(vim.fs.root(buffer, M.root_markers))
      else
        tell_missing()
      end
    end,
  })
end

--- The client of a buffer, or nil after saying that there is none.
---@param buffer integer
---@return vim.lsp.Client|nil
function M.client(buffer)
  local client = vim.lsp.get_clients({ name = M.name, bufnr = buffer })[1]
  if not client then
    local reason = M.command() and "Torch Handbook is not running for this file" or M.missing()
    vim.notify(reason .. " (:checkhealth torch_handbook)", vim.log.levels.WARN)
  end
  return client
end

return M
