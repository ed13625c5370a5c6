;;; torch-handbook.el --- PyTorch mistakes, shapes and benchmarks, through eglot  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: languages, tools

;;; Commentary:

;; Tells eglot how to start the server `torch-handbook' for Python, and adds the commands that the protocol has no place for.
;; README.md, beside this file, says how to install both.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'jsonrpc)
(require 'subr-x)

(defgroup torch-handbook nil
  "PyTorch mistakes, shapes and benchmarks."
  :group 'eglot)

(defcustom torch-handbook-command '("torch-handbook" "serve")
  "The command that starts the server, with its arguments."
  :type '(repeat string))

(add-to-list 'eglot-server-programs
             (cons '(python-mode python-ts-mode) (lambda (&rest _) torch-handbook-command)))

;;; Asking the server

(defvar torch-handbook--last nil
  "The server that was asked last, for buffers that have none: pages and logs.")

(defun torch-handbook--server ()
  "The server of this buffer, or the one that was asked last."
  (let ((server (or (eglot-current-server) torch-handbook--last)))
    (unless (and server (jsonrpc-running-p server))
      (user-error "Torch Handbook is not running: open a Python file and say M-x eglot"))
    (setq torch-handbook--last server)))

(defun torch-handbook--uri ()
  "The address of this buffer's file, after telling the server what was typed."
  (unless (eglot-managed-p)
    (user-error "Torch Handbook does not look after this buffer: say M-x eglot"))
  (eglot--signal-textDocument/didChange)
  (plist-get (eglot--TextDocumentIdentifier) :uri))

(defun torch-handbook--ask (command &rest arguments)
  "The server's answer to COMMAND with ARGUMENTS, if it is a good one."
  (let* ((params (list :command (concat "torch-handbook." command) :arguments (vconcat arguments)))
         (answer (jsonrpc-request (torch-handbook--server) :workspace/executeCommand params :timeout 30)))
    (if (eq (plist-get answer :ok) t) answer
      (user-error "Torch Handbook: %s" (or (plist-get answer :problem) "the server sent no answer")))))

;;; Showing what it says

(define-derived-mode torch-handbook-view-mode special-mode "Torch Handbook"
  "A page of the handbook, or a report."
  (visual-line-mode 1))

(defun torch-handbook--show (answer)
  "Show the page or the report in ANSWER beside the code.
With markdown-mode it is Markdown; without it the server sends plain text, too."
  (let ((text (or (plist-get answer :plain) (plist-get answer :markdown) (plist-get answer :report))))
    (with-current-buffer (get-buffer-create (format "*Torch Handbook: %s*" (plist-get answer :title)))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert text "\n")
        (goto-char (point-min)))
      (if (and (fboundp 'gfm-view-mode) (not (plist-get answer :plain)))
          (funcall 'gfm-view-mode)
        (torch-handbook-view-mode))
      (display-buffer (current-buffer)))))

;;; Pages

;;;###autoload
(defun torch-handbook-page (name)
  "Show the page NAME of the handbook, such as \"torch.nn.Conv2d\"."
  (interactive
   (list (completing-read "Page: " (append (plist-get (torch-handbook--ask "pages") :names) nil)
                          nil nil (thing-at-point 'symbol))))
  (torch-handbook--show (torch-handbook--ask "page" name)))

;;;###autoload
(defun torch-handbook-search (words)
  "Find pages of the handbook by WORDS that say what one wants to do."
  (interactive "sWhat do you want to do? ")
  (let ((pages (mapcar (lambda (page)
                         (let ((title (plist-get page :title)))
                           (cons (format "%s  %s" (plist-get page :name)
                                         (if (string-empty-p title) (plist-get page :summary) title))
                                 (plist-get page :name))))
                       (plist-get (torch-handbook--ask "search" words) :results))))
    (unless pages
      (user-error "No page has any of these words"))
    ;; The best page comes first, so the list is not to be sorted.
    (let ((line (completing-read "Page: " (lambda (text test action)
                                            (if (eq action 'metadata)
                                                '(metadata (display-sort-function . identity))
                                              (complete-with-action action pages text test)))
                                 nil t)))
      (torch-handbook-page (cdr (assoc line pages))))))

;;;###autoload
(defun torch-handbook-explain (message)
  "Explain the error MESSAGE, which may be a whole traceback.
It is the region, or what is typed, or what was copied."
  (interactive
   (list (if (use-region-p) (buffer-substring-no-properties (region-beginning) (region-end))
           (read-string "Error (empty: what was copied): " nil nil (ignore-errors (current-kill 0 t))))))
  (torch-handbook--show (torch-handbook--ask "explain" message)))

;;; What takes a while

(defvar torch-handbook--run nil
  "The token of what is running now, or nil.")

(defvar torch-handbook--runs 0
  "How many runs there were, to tell them apart.")

(defun torch-handbook--start (command arguments)
  "Run COMMAND of the server with ARGUMENTS, a vector, without waiting for it.
Its report is shown when it is there."
  (when torch-handbook--run
    (user-error "Something is still running; M-x torch-handbook-cancel stops it"))
  (let* ((token (format "torch-handbook-%d" (cl-incf torch-handbook--runs)))
         (finish (lambda () (when (equal torch-handbook--run token) (setq torch-handbook--run nil) t))))
    (setq torch-handbook--run token)
    (message "Torch Handbook: running; M-x torch-handbook-cancel stops it")
    (jsonrpc-async-request
     (torch-handbook--server) :workspace/executeCommand
     (list :command command :arguments arguments :workDoneToken token)
     :timeout 600
     :success-fn (lambda (answer)
                   (when (funcall finish)
                     ;; Where there is no report the server has said why.
                     (unless (string-empty-p (or (plist-get answer :report) ""))
                       (message "Torch Handbook: %s" (or (plist-get answer :summary) (plist-get answer :title)))
                       (torch-handbook--show answer))))
     :error-fn (lambda (problem)
                 (when (funcall finish)
                   (message "Torch Handbook: %s" (plist-get problem :message))))
     :timeout-fn (lambda ()
                   (when (funcall finish)
                     (message "Torch Handbook: no answer within ten minutes"))))))

(defun torch-handbook-cancel ()
  "Stop the benchmark that is running."
  (interactive)
  (unless torch-handbook--run
    (user-error "Nothing is running"))
  (jsonrpc-notify (torch-handbook--server) :window/workDoneProgress/cancel (list :token torch-handbook--run))
  (setq torch-handbook--run nil)
  (message "Torch Handbook: cancelled"))

;; eglot shows the progress of a run since the version of Emacs 29; before that nobody would.
(unless (boundp 'eglot-report-progress)
  (cl-defmethod eglot-handle-notification :before
    (_server (_method (eql $/progress)) &key token value &allow-other-keys)
    "Show how far our own run is."
    (when (and torch-handbook--run (equal token torch-handbook--run) (plist-get value :message))
      (let ((message-log-max nil))
        (message "Torch Handbook: %s%s" (plist-get value :message)
                 (if (plist-get value :percentage) (format " %d %%" (plist-get value :percentage)) ""))))))

;;;###autoload
(defun torch-handbook-benchmark (first last)
  "Time the lines from FIRST to LAST: the region, or the statement at point."
  (interactive
   (if (use-region-p)
       (list (line-number-at-pos (region-beginning) t)
             (line-number-at-pos (max (region-beginning) (1- (region-end))) t))
     (list (line-number-at-pos nil t) (line-number-at-pos nil t))))
  (torch-handbook--start "torch-handbook.benchmark"
                         (vector (torch-handbook--uri) (list :line (1- first) :endLine (1- last)))))

;;;###autoload
(defun torch-handbook-summary ()
  "Show the layers of the network at point, and the memory to train it."
  (interactive)
  (torch-handbook--start "torch-handbook.summary"
                         (vector (torch-handbook--uri)
                                 (list :line (1- (line-number-at-pos nil t)) :character 0))))

;; An action that runs one of these two would make eglot wait for it, and give up after ten seconds.

(defconst torch-handbook--long '("torch-handbook.benchmark" "torch-handbook.summary")
  "The commands that take a while.")

(if (fboundp 'eglot-execute)
    (cl-defmethod eglot-execute :around (_server action)
      "Run ACTION without waiting where it is one of ours."
      (if (member (plist-get action :command) torch-handbook--long)
          (torch-handbook--start (plist-get action :command) (plist-get action :arguments))
        (cl-call-next-method)))
  (cl-defmethod eglot-execute-command :around (_server command arguments)
    "Run COMMAND with ARGUMENTS without waiting where it is one of ours."
    (if (member (format "%s" command) torch-handbook--long)
        (torch-handbook--start (format "%s" command) arguments)
      (cl-call-next-method))))

;; eglot asks for the shapes of what is shown once, perhaps before torch is loaded; with new shapes come new diagnostics.

(when (fboundp 'eglot--update-hints-1)
  (cl-defmethod eglot-handle-notification :after
    (server (_method (eql textDocument/publishDiagnostics)) &key &allow-other-keys)
    "Ask for the hints of what is shown again."
    (dolist (window (window-list))
      (with-current-buffer (window-buffer window)
        (when (and (bound-and-true-p eglot-inlay-hints-mode) (eq (eglot-current-server) server))
          (eglot--update-hints-1 (window-start window) (window-end window)))))))

(provide 'torch-handbook)
;;; torch-handbook.el ends here
