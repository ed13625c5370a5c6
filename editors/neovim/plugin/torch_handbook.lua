--- Starts the server for Python files and defines the commands.
if vim.g.loaded_torch_handbook then
  return
end
vim.g.loaded_torch_handbook = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.notify("Torch Handbook needs Neovim 0.11 or later", vim.log.levels.WARN)
  return
end

local group = vim.api.nvim_create_augroup("torch_handbook", {})

vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == "torch_handbook" then
      require("torch_handbook").attach(client, event.buf)
    end
    require("torch_handbook.beside").update(event.buf)
  end,
})

vim.api.nvim_create_autocmd("LspDetach", {
  group = group,
  callback = function(event)
    require("torch_handbook.beside").update(event.buf, event.data.client_id)
  end,
})

vim.api.nvim_create_user_command("TorchBenchmark", function(command)
  require("torch_handbook.benchmark").run(vim.api.nvim_get_current_buf(), command.line1 - 1, command.line2 - 1)
end, { range = true, desc = "Time the statement at the cursor, or the selected lines" })

vim.api.nvim_create_user_command("TorchBenchmarkCancel", function()
  require("torch_handbook.benchmark").cancel()
end, { desc = "Stop the benchmark" })

vim.api.nvim_create_user_command("TorchSummary", function(command)
  require("torch_handbook.summary").run(vim.api.nvim_get_current_buf(), command.args, command.mods)
end, { nargs = "?", desc = "Show the layers of a network and the memory that it takes to train it" })

vim.api.nvim_create_user_command("TorchPage", function(command)
  require("torch_handbook").page(command.args, command.mods)
end, {
  nargs = 1,
  complete = function(typed)
    return require("torch_handbook").page_names(typed)
  end,
  desc = "Show a page of the handbook",
})

vim.api.nvim_create_user_command("TorchSearch", function(command)
  require("torch_handbook.search").search(command.args)
end, { nargs = "*", desc = "Find pages of the handbook by what one wants to do" })

vim.api.nvim_create_user_command("TorchExplain", function(command)
  local lines = command.range > 0 and vim.api.nvim_buf_get_lines(0, command.line1 - 1, command.line2, false) or {}
  require("torch_handbook.search").explain(command.range > 0 and table.concat(lines, "\n") or command.args)
end, { nargs = "*", range = true, desc = "Explain an error's message or traceback" })

vim.api.nvim_create_user_command("TorchRestart", function()
  require("torch_handbook").restart()
end, { desc = "Start the Torch Handbook server again" })

vim.lsp.enable("torch_handbook")
