-- Neovim 0.7 or later: put this into your init.lua, or `:luafile` it.
vim.cmd([[autocmd BufRead,BufNewFile *.pbem setfiletype pbem]])
vim.api.nvim_create_autocmd("FileType", {
  pattern = "pbem",
  callback = function(event)
    local client = vim.lsp.start_client({
      name = "postrider",
      cmd = { "postrider", "lsp" },
      root_dir = vim.fn.fnamemodify(event.file, ":p:h"),
    })
    if client then
      vim.lsp.buf_attach_client(event.buf, client)
      -- What may be entered: Ctrl-X Ctrl-O. The board after an entry, or the rule that is broken: K.
      vim.bo[event.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
      vim.keymap.set("n", "K", vim.lsp.buf.hover, { buffer = event.buf })
      vim.keymap.set("n", "<leader>a", vim.lsp.buf.code_action, { buffer = event.buf })
    end
  end,
})
