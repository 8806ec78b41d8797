;; Emacs 29 or later, or an earlier one with the package eglot: put this into your init.el.
(define-derived-mode pbem-mode text-mode "PBEM"
  "Records of games that are played by email."
  (setq-local comment-start "# ")
  (setq-local completion-ignore-case t))
;; What may be entered: C-M-i, which would look for words otherwise.
(define-key pbem-mode-map (kbd "C-M-i") #'completion-at-point)
(add-to-list 'auto-mode-alist '("\\.pbem\\'" . pbem-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(pbem-mode . ("postrider" "lsp")))
  ;; The canonical entry in the place of what was typed: C-c a. The whole record as `fmt' writes it: C-c f.
  (define-key eglot-mode-map (kbd "C-c a") #'eglot-code-actions)
  (define-key eglot-mode-map (kbd "C-c f") #'eglot-format-buffer))
(add-hook 'pbem-mode-hook #'eglot-ensure)
