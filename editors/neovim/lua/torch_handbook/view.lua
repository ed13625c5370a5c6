--- Windows that show Markdown of the server.
local markdown = require("torch_handbook.markdown")

local M = {}

local PAGE = 82 -- columns of a page's text, and a little air
local CODE = 60 -- columns that a page leaves to the code beside it

---@param buffer integer
---@param lines string[]
local function fill(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].filetype = "markdown"
  pcall(vim.treesitter.start, buffer, "markdown")
end

---@param window integer
local function settle(window)
  vim.wo[window].conceallevel = 2
  vim.wo[window].concealcursor = "nc"
  vim.wo[window].wrap = true
  vim.wo[window].linebreak = true
  vim.wo[window].breakindent = true
  vim.wo[window].breakindentopt = "list:-1"
  vim.wo[window].number = false
  vim.wo[window].relativenumber = false
  vim.wo[window].signcolumn = "no"
  vim.wo[window].foldenable = false
  vim.wo[window].spell = false
end

--- How wide and high a text is, within the screen.
---@param lines string[]
---@return integer width
---@return integer height
local function size(lines)
  local width, widest = 40, math.max(20, math.min(110, vim.o.columns - 6))
  for _, line in ipairs(lines) do
    width = math.max(width, math.min(widest, vim.fn.strdisplaywidth(line)))
  end
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  return width, math.max(1, math.min(height, vim.o.lines - 6))
end

--- A window over the text, closed with q or <Esc>.
---@param title string
---@param text string Markdown
---@return integer window
function M.float(title, text)
  local buffer = vim.api.nvim_create_buf(false, true)
  local lines = markdown.lines_below(text, title)
  fill(buffer, lines)
  local width, height = size(lines)
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = "editor",
    row = math.floor((vim.o.lines - height - 4) / 2),
    col = math.floor((vim.o.columns - width - 2) / 2),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = (" %s "):format(title),
    footer = " q closes ",
    footer_pos = "right",
  })
  settle(window)
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = buffer, nowait = true, desc = "Close" })
  end
  return window
end

--- A page in a window beside the text; `modifiers` are those of the command, as in `:vertical`.
---@param title string
---@param text string Markdown
---@param modifiers string
function M.page(title, text, modifiers)
  local name = "torch-handbook://" .. title
  local old = vim.fn.bufnr("^" .. vim.fn.escape(name, "[]*?{}\\,^$") .. "$")
  vim.cmd((modifiers ~= "" and modifiers or "vertical rightbelow") .. " new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].swapfile = false
  if old ~= -1 then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  vim.api.nvim_buf_set_name(buffer, name)
  local window, lines = vim.api.nvim_get_current_win(), markdown.lines(text)
  if modifiers == "" and vim.api.nvim_win_get_width(window) < PAGE then
    vim.api.nvim_win_set_width(window, math.max(vim.api.nvim_win_get_width(window), math.min(PAGE, vim.o.columns - CODE)))
  end
  fill(buffer, vim.api.nvim_win_get_width(window) < PAGE and markdown.unbroken(lines) or lines)
  settle(window)
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer, nowait = true, desc = "Close" })
end

return M
