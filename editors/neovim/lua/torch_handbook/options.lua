--- What the user may set, in `vim.g.torch_handbook` or through `require("torch_handbook").setup()`.
local M = {}

---@class torch_handbook.Options
---@field server? string|string[] the server's command; nil looks for `torch-handbook`
---@field python? string the interpreter that has your torch; nil lets the server look for it
---@field inlay_hints? boolean show tensor shapes in the text
---@field code_lens? boolean show what can be benchmarked
---@field completion? boolean complete while typing with Neovim's own completion (leave it off with a completion plugin)
---@field settings? table further settings of the server, named as in `[tool.torch-handbook]`
M.defaults = { server = nil, python = nil, inlay_hints = true, code_lens = true, completion = false, settings = {} }

---@return torch_handbook.Options
function M.get()
  return vim.tbl_deep_extend("force", M.defaults, vim.g.torch_handbook or {})
end

---@param options? torch_handbook.Options
function M.set(options)
  vim.g.torch_handbook = vim.tbl_deep_extend("force", vim.g.torch_handbook or {}, options or {})
end

return M
