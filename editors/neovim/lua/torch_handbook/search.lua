--- Finds pages by words, and explains messages.
local server = require("torch_handbook.server")

local M = {}

---@param sentence string
local function say(sentence)
  vim.notify("Torch Handbook: " .. sentence, vim.log.levels.WARN)
end

--- Runs a command of the server with one text.
---@param command string
---@param text string
---@param done fun(answer: table)
local function ask(command, text, done)
  local client = server.client(0) or vim.lsp.get_clients({ name = server.name })[1]
  if not client then
    say("the server is not running; open a Python file")
    return
  end
  local params = { command = command, arguments = { text } }
  client:request("workspace/executeCommand", params, function(problem, answer)
    if problem or type(answer) ~= "table" or not answer.ok then
      say(problem and problem.message or type(answer) == "table" and answer.problem or "no answer")
      return
    end
    done(answer)
  end)
end

--- One line of the picker.
---@param page table
---@return string
function M.line(page)
  return ("%s  %s"):format(page.name, page.title ~= "" and page.title or page.summary)
end

--- Lists the pages that fit some words, and opens the one that is chosen.
---@param words string asked for where it is empty
function M.search(words)
  if vim.trim(words) == "" then
    vim.ui.input({ prompt = "What do you want to do? " }, function(typed)
      if typed and vim.trim(typed) ~= "" then
        M.search(typed)
      end
    end)
    return
  end
  ask("torch-handbook.search", words, function(answer)
    if #answer.results == 0 then
      say("no page has any of these words")
      return
    end
    vim.ui.select(answer.results, { prompt = "Pages", format_item = M.line }, function(page)
      if page then
        require("torch_handbook").page(page.name)
      end
    end)
  end)
end

--- Explains an error: a message, or a whole traceback.
---@param text string what the clipboard holds, or what was last yanked, where it is empty
function M.explain(text)
  if vim.trim(text) == "" then
    local found, copied = pcall(vim.fn.getreg, "+")
    text = found and vim.trim(copied) ~= "" and copied or vim.fn.getreg('"')
  end
  if vim.trim(text) == "" then
    say("select a message, or copy one")
    return
  end
  ask("torch-handbook.explain", text, function(answer)
    require("torch_handbook.view").page(answer.title, answer.markdown, "")
  end)
end

return M
