-- Opens a record with a fault in Neovim, with the settings of the examples, and prints what a player would see.
vim.cmd("luafile examples/editors/neovim.lua")
vim.opt.runtimepath:prepend(vim.fn.getcwd() .. "/examples/editors")
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.RECORD))
local said = {}
local function faults(count)
  vim.wait(20000, function() return #vim.diagnostic.get(0) == count end, 20)
end
faults(1)
for _, one in ipairs(vim.diagnostic.get(0)) do
  table.insert(said, string.format("%d:%d %s", one.lnum + 1, one.col + 1, one.message))
end
local last = vim.api.nvim_buf_line_count(0)
local function ask(method, character, more)
  local params = vim.tbl_extend("force", {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = last - 1, character = character },
  }, more or {})
  for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/" .. method, params, 20000) or {}) do
    return answer.result
  end
end
-- The faulty line is deleted, and another begun.
vim.api.nvim_buf_set_lines(0, last - 1, last, false, { "2" })
for _, item in ipairs(ask("completion", 1) or {}) do
  if item.label == "2 besiegers c4-c5" then
    table.insert(said, "suggested " .. item.label)
    -- Taken, as a player takes it.
    vim.lsp.util.apply_text_edits({ item.textEdit }, 0, "utf-16")
    faults(0)
    table.insert(said, "accepted " .. vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1] .. ": " .. #vim.diagnostic.get(0) .. " faults")
    vim.api.nvim_buf_set_lines(0, last - 1, last, false, { "2" })
  end
end
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", {
  textDocument = vim.lsp.util.make_text_document_params(),
  position = { line = last - 2, character = 2 },
}, 20000)
for _, answer in pairs(hover or {}) do
  table.insert(said, "hover " .. (answer.result and answer.result.contents.value:gsub("\n", "|") or "nothing"))
end
vim.api.nvim_buf_set_lines(0, last - 1, last, false, { "C4-C5" })
local place = { line = last - 1, character = 5 }
for _, action in ipairs(ask("codeAction", 5, { range = { start = place, ["end"] = place }, context = { diagnostics = {} } }) or {}) do
  vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
end
table.insert(said, "line " .. vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1])
faults(0)
table.insert(said, #vim.diagnostic.get(0) .. " faults")
vim.cmd("syntax on")
vim.cmd("setlocal syntax=pbem")
local function colour(column)
  return vim.fn.synIDattr(vim.fn.synID(last, column, 1), "name")
end
table.insert(said, "colours " .. colour(1) .. " " .. colour(3))
io.stdout:write(table.concat(said, "\n") .. "\n")
vim.cmd("qall!")
