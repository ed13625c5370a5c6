-- Neovim 0.10 with the lines of our README and nothing else. usage: nvim --headless -u INIT -l old.lua FILE
vim.o.swapfile = false
vim.cmd("filetype plugin on")

local function check(what, seen)
  print((seen and "ok " or "FAILED ") .. what)
  if not seen then
    print(vim.inspect(vim.diagnostic.get(0)), vim.fn.execute("messages"))
    os.exit(1)
  end
end

-- Asks until it is so.
local function becomes(what, ask)
  check(what, vim.wait(60000, ask, 20))
end

local function go(text, word)
  local number = vim.fn.search("\\V" .. text, "w")
  local column = vim.fn.getline(number):find(word, 1, true)
  vim.api.nvim_win_set_cursor(0, { number, column - 1 })
end

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
    end
  end
end

vim.cmd.edit(arg[1])
local buffer = vim.api.nvim_get_current_buf()
becomes("four mistakes, each once", function()
  return #vim.diagnostic.get(buffer) == 4
end)
go("self.conv1 = nn.Conv2d", "Conv2d")
vim.lsp.buf.hover()
becomes("the handbook in a hover", function()
  local text = float()
  return text and text:find("in_channels", 1, true) and text:find("⚠", 1, true)
end)
vim.cmd("fclose!")
becomes("shapes in the text", function()
  return vim.iter(vim.lsp.inlay_hint.get({ bufnr = buffer })):any(function(hint)
    return hint.inlay_hint.label == ": [3, 32, 32]"
  end)
end)
go("return F.softmax", "return")
vim.api.nvim_put({ "        x = F.so" }, "l", false, false)
vim.cmd("normal! $")
local client = vim.lsp.get_clients({ bufnr = buffer })[1]
local params = vim.lsp.util.make_position_params()
params.position.character = #"        x = F.so"
local answer = client.request_sync("textDocument/completion", params, 30000, buffer)
check("completion with its mark", answer and vim.iter(answer.result.items):any(function(item)
  return item.label == "softmax" and vim.inspect(item):find("⚠", 1, true)
end))
vim.cmd("undo")
go("running_loss += loss", "loss")
vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    if options.format_item(item):find("detach", 1, true) then
      return choose(item)
    end
  end
end
vim.lsp.buf.code_action()
becomes("a quick fix", function()
  return vim.fn.search("\\Vrunning_loss += loss.detach()", "nw") > 0
end)
becomes("a mistake less", function()
  return #vim.diagnostic.get(buffer) == 3
end)
becomes("lenses", function()
  return #vim.lsp.codelens.get(buffer) > 0
end)
go("return torch.einsum", "return")
vim.lsp.codelens.run()
becomes("the report of a benchmark", function()
  return vim.iter(vim.api.nvim_list_bufs()):any(function(other)
    return vim.api.nvim_buf_get_name(other):find("Benchmark%-of") ~= nil
  end)
end)
io.stderr:write("\n")
os.exit(0)
