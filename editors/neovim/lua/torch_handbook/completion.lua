--- Neovim's own completion: the text beside the list, which 0.11 does not ask the server for.
local M = {}

---@param client vim.lsp.Client
---@return lsp.CompletionItem|nil what is chosen in the list, if it came from this server
local function chosen(client)
  local data = vim.tbl_get(vim.v.event, "completed_item", "user_data", "nvim", "lsp")
  return data and data.client_id == client.id and data.completion_item or nil
end

---@return integer
local function selected()
  return vim.fn.complete_info({ "selected" }).selected
end

--- Fills the window beside the list, if 'completeopt' has "popup" and the same item is still chosen.
---@param index integer
---@param markdown string
local function show(index, markdown)
  if index < 0 or selected() ~= index then
    return
  end
  local window = vim.api.nvim__complete_set(index, { info = markdown })
  if window.bufnr and vim.api.nvim_buf_is_valid(window.bufnr) then
    pcall(vim.treesitter.start, window.bufnr, "markdown")
    vim.wo[window.winid].conceallevel = 2
  end
end

---@param client vim.lsp.Client
---@param buffer integer
local function show_pages(client, buffer)
  vim.api.nvim_create_autocmd("CompleteChanged", {
    group = vim.api.nvim_create_augroup("torch_handbook.completion." .. buffer, {}),
    buffer = buffer,
    callback = function()
      local item, index = chosen(client), selected()
      if item then
        client:request("completionItem/resolve", item, function(_, resolved)
          local page = resolved and resolved.documentation
          if page then
            show(index, type(page) == "table" and page.value or page)
          end
        end, buffer)
      end
    end,
  })
end

---@param client vim.lsp.Client
---@param buffer integer
---@param while_typing boolean
function M.attach(client, buffer, while_typing)
  if while_typing then
    vim.lsp.completion.enable(true, client.id, buffer, { autotrigger = true })
  end
  if vim.fn.has("nvim-0.12") == 0 and vim.api.nvim__complete_set then
    show_pages(client, buffer)
  end
end

return M
