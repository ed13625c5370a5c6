--- Whether code of a workspace may be run: asked once, and remembered for the workspace.
local M = {}

local RUN = "Run it, now and from now on in this workspace"
local NOT = "Do not run it"

---@return string
local function file()
  return vim.fs.joinpath(vim.fn.stdpath("state"), "torch_handbook", "may_run")
end

---@return string[] the folders for which it was answered
local function remembered()
  local readable, lines = pcall(vim.fn.readfile, file())
  return readable and lines or {}
end

---@param folder string
local function remember(folder)
  vim.fn.mkdir(vim.fs.dirname(file()), "p")
  vim.fn.writefile({ folder }, file(), "a")
end

--- The folder that is asked about: the project's, else the file's own.
---@param client vim.lsp.Client
---@param buffer integer
---@return string
local function folder_of(client, buffer)
  return vim.fs.normalize(client.root_dir or vim.fs.dirname(vim.api.nvim_buf_get_name(buffer)))
end

--- Goes on if code may be run; asks the first time.
---@param client vim.lsp.Client
---@param buffer integer
---@param go_on fun()
function M.ask(client, buffer, go_on)
  local folder = folder_of(client, buffer)
  if vim.list_contains(remembered(), folder) then
    go_on()
    return
  end
  local prompt = ("Torch Handbook: a benchmark runs code of %s, in a process of its own. Nothing else does."):format(
    vim.fn.fnamemodify(folder, ":~")
  )
  vim.ui.select({ RUN, NOT }, { prompt = prompt, kind = "torch_handbook.consent" }, function(choice)
    if choice == RUN then
      remember(folder)
      go_on()
    end
  end)
end

return M
