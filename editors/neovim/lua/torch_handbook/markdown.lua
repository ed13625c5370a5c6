--- Markdown as it reads best in a window that shows it as text.
local M = {}

---@param line string
---@return boolean
local function is_row(line)
  return line:match("^%s*|.*|%s*$") ~= nil
end

---@param row string
---@return string[]
local function cells(row)
  return vim.tbl_map(vim.trim, vim.split(vim.trim(row):sub(2, -2), "|", { plain = true }))
end

--- The text of a cell in its column; a rule below the head is drawn, and says on which side the column's cells stand.
---@param cell string
---@param width integer
---@param right boolean
---@return string
local function padded(cell, width, right)
  if cell:match("^:?%-+:?$") then
    return ("-"):rep(right and width - 1 or width) .. (right and ":" or "")
  end
  local space = (" "):rep(width - vim.fn.strdisplaywidth(cell))
  return right and space .. cell or cell .. space
end

---@param rows string[]
---@return string[]
local function aligned(rows)
  local table_ = vim.tbl_map(cells, rows)
  local widths, right = {}, {}
  for _, row in ipairs(table_) do
    for column, cell in ipairs(row) do
      local rule = cell:match("^:?%-+:?$")
      widths[column] = math.max(widths[column] or 3, rule and 0 or vim.fn.strdisplaywidth(cell))
      right[column] = right[column] or (rule ~= nil and cell:sub(-1) == ":")
    end
  end
  return vim.tbl_map(function(row)
    local texts = {}
    for column, cell in ipairs(row) do
      table.insert(texts, padded(cell, widths[column], right[column]))
    end
    return "| " .. table.concat(texts, " | ") .. " |"
  end, table_)
end

--- The lines of a text, with its tables' columns below each other.
---@param text string
---@return string[]
function M.lines(text)
  local lines, rows, fenced = {}, {}, false
  local function flush()
    vim.list_extend(lines, aligned(rows))
    rows = {}
  end
  for line in vim.gsplit(vim.trim(text), "\n", { plain = true }) do
    fenced = fenced ~= (line:match("^%s*```") ~= nil)
    if is_row(line) and not fenced then
      table.insert(rows, line)
    else
      flush()
      table.insert(lines, line)
    end
  end
  flush()
  return lines
end

--- Whether a line goes on with the paragraph or the list item of the line before it.
---@param line string
---@param before string?
---@return boolean
local function goes_on(line, before)
  local starts = line:match("^%s*$") or line:match("^%s*[-*#>|]") or line:match("^%s*%d+%.%s") or line:match("^%s*```")
  local apart = not before or before:match("^%s*$") or before:match("^%s*[#|]") or before:match("^%s*```") or before:match("^%s*%-%-%-")
  return not starts and not apart
end

--- The lines with each paragraph on one, for a window that is narrower than they were broken for.
---@param lines string[]
---@return string[]
function M.unbroken(lines)
  local joined, fenced = {}, false
  for _, line in ipairs(lines) do
    fenced = fenced ~= (line:match("^%s*```") ~= nil)
    if not fenced and goes_on(line, joined[#joined]) then
      joined[#joined] = joined[#joined] .. " " .. vim.trim(line)
    else
      table.insert(joined, line)
    end
  end
  return joined
end

--- The lines without a heading that says what the window's title says.
---@param text string
---@param title string
---@return string[]
function M.lines_below(text, title)
  local lines = M.lines(text)
  if lines[1] == "# " .. title then
    table.remove(lines, 1)
    while lines[1] == "" do
      table.remove(lines, 1)
    end
  end
  return lines
end

return M
