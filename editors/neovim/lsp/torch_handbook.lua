---@type vim.lsp.Config
return require("torch_handbook.server").config()
