;;; test.el --- eglot with the server, and the commands of torch-handbook.el  -*- lexical-binding: t -*-

;; emacs -q --batch -l test.el FILE: the file is one that may be changed. Every wait asks again until the thing is there, and ends.

;;; Code:

(when (< emacs-major-version 29)
  (package-initialize))
(require 'ert)
(require 'flymake)
(setq make-backup-files nil auto-save-default nil create-lockfiles nil python-indent-guess-indent-offset nil
      eglot-sync-connect 30 eglot-confirm-server-initiated-edits nil eglot-confirm-server-edits nil)
(load (expand-file-name "../../../editors/emacs/torch-handbook.el" (file-name-directory load-file-name)) nil t)

(defvar test-buffer nil
  "The file that is opened once for all tests.")

(defmacro test-in-file (name &rest body)
  "A test NAME whose BODY runs where a person would be: in the file."
  (declare (indent 1))
  `(ert-deftest ,name ()
     (switch-to-buffer test-buffer)
     (delete-other-windows)
     ,@body))

(defmacro test-until (what form &optional seconds)
  "Wait until FORM is true, and give its value; after SECONDS fail with WHAT."
  `(let ((test-end (+ (float-time) (or ,seconds 60))) test-value)
     (while (not (setq test-value ,form))
       (when (> (float-time) test-end)
         (ert-fail (list "not in time" ,what)))
       (accept-process-output nil 0.05))
     test-value))

(defun test-go (line word)
  "Put point on WORD in the first line with LINE."
  (goto-char (point-min))
  (search-forward line)
  (beginning-of-line)
  (search-forward word)
  (backward-char))

(defun test-diagnostics ()
  "The texts of what flymake shows."
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun test-visible (text)
  "TEXT as a person sees it: markdown-mode, where it is installed, hides the marks."
  (let ((at 0) parts)
    (while (< at (length text))
      (let ((next (or (next-single-property-change at 'invisible text) (length text))))
        (unless (get-text-property at 'invisible text)
          (push (substring-no-properties text at next) parts))
        (setq at next)))
    (apply #'concat (nreverse parts))))

(defun test-hover ()
  "What eldoc shows at point."
  (let (text)
    (eglot-hover-eldoc-function (lambda (shown &rest _) (setq text shown)))
    (string-trim (test-visible (test-until "hover" text)))))

(defun test-shown (title)
  "The text of the window that shows TITLE, when it is there."
  (let ((window (seq-find (lambda (window) (string-match-p (regexp-quote title) (buffer-name (window-buffer window))))
                          (window-list))))
    (when window
      (with-current-buffer (window-buffer window)
        (font-lock-ensure)
        (test-visible (buffer-string))))))

(defun test-take (title &optional beg end)
  "Choose the code action whose title has TITLE, at point or from BEG to END."
  (let ((beg (or beg (point))) (end (or end (point))) (last-nonmenu-event ?a))
    (test-until title (seq-some (lambda (action) (string-match-p title (plist-get action :title)))
                                (eglot-code-actions beg end)))
    (let ((completing-read-function
           (lambda (_prompt titles &rest _) (seq-find (lambda (one) (string-match-p title one)) (mapcar #'car titles)))))
      (eglot-code-actions beg end nil t))))

(setq test-buffer (find-file (car command-line-args-left)))
(setq command-line-args-left nil)
(python-mode)
(apply #'eglot (eglot--guess-contact))

(test-in-file test-1-every-mistake-is-shown-once
  (should (eglot-managed-p))
  (test-until (test-diagnostics)
              (seq-some (lambda (text) (string-match-p "fc1" text)) (test-diagnostics)))
  (let ((texts (test-diagnostics)))
    (should (= (length texts) 4))
    (should (equal texts (seq-uniq texts)))))

(test-in-file test-2-hover-is-the-page-without-marks
  (test-go "self.conv1 = nn.Conv2d" "Conv2d")
  (let ((text (test-hover)))
    (should (string-match-p "\\`torch\\.nn\\.Conv2d(" text))
    (should (string-match-p "⚠" text))
    (should-not (string-match-p "[`*][`*]" text))))

(test-in-file test-3-completion-marks-pitfalls
  (test-go "return F.softmax" "return")
  (beginning-of-line)
  (insert "        x = F.so\n")
  (backward-char)
  (let* ((capf (eglot-completion-at-point))
         (names (all-completions "so" (nth 2 capf)))
         (softmax (seq-find (lambda (name) (string-prefix-p "softmax" name)) names)))
    (should softmax)
    (should (string-match-p "⚠" (concat (funcall (plist-get (nthcdr 3 capf) :annotation-function) softmax)))))
  (delete-region (line-beginning-position) (1+ (line-end-position))))

(test-in-file test-4-quick-fix-is-taken
  (test-go "running_loss += loss" "loss")
  (test-take "detach")
  (should (save-excursion (goto-char (point-min)) (search-forward "running_loss += loss.detach()" nil t)))
  (eglot--signal-textDocument/didChange) ; as Emacs does when it is idle, which it never is in batch mode
  (test-until (test-diagnostics) (= (length (test-diagnostics)) 3)))

(test-in-file test-5-shapes-stand-in-the-text
  (skip-unless (fboundp 'eglot-inlay-hints-mode))
  (eglot-inlay-hints-mode 1)
  (test-until "[3, 32, 32] as a hint"
              (progn
                (eglot--update-hints-1 (point-min) (point-max))
                (accept-process-output nil 0.2)
                (seq-some (lambda (overlay)
                            (string-match-p "\\[3, 32, 32\\]" (or (overlay-get overlay 'before-string) (overlay-get overlay 'after-string) "")))
                          (overlays-in (point-min) (point-max))))))

(test-in-file test-6-benchmark-of-a-statement
  (test-go "return torch.einsum" "einsum")
  (call-interactively #'torch-handbook-benchmark)
  (should (string-match-p "edian" (test-until "a report" (test-shown "enchmark") 120))))

(test-in-file test-7-benchmark-as-an-action-does-not-block
  (test-go "weights = scores.softmax" "softmax")
  (test-take "[Bb]enchmark" (line-beginning-position) (line-end-position))
  (should torch-handbook--run)
  (should (string-match-p "Softmax\\|softmax\\|scores" (concat (test-hover))))
  (torch-handbook-cancel)
  (should-not torch-handbook--run))

(test-in-file test-8-page-search-explain-and-summary
  (torch-handbook-page "torch.nn.Conv2d")
  (let ((text (test-shown "torch.nn.Conv2d")))
    (should (string-match-p "in_channels" text))
    (should-not (string-match-p "```\\|\\*\\*" text))
    (unless (fboundp 'gfm-view-mode) ; which leaves the signs of headings
      (should-not (string-match-p "^#" text))))
  (let ((completing-read-function (lambda (_prompt pages &rest _) (car (all-completions "" pages)))))
    (torch-handbook-search "join tensors along a new axis"))
  (should (test-shown "torch.stack"))
  (torch-handbook-explain "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)")
  (should (seq-some (lambda (window) (with-current-buffer (window-buffer window)
                                       (save-excursion (goto-char (point-min)) (search-forward "256 features arrive" nil t))))
                    (window-list)))
  (should-error (torch-handbook-page "torch.no.such.name") :type 'user-error)
  (test-go "class Attention" "Attention")
  (torch-handbook-summary)
  (should (string-match-p "query" (test-until "a summary" (test-shown "Summary of Attention")))))

(ert-run-tests-batch-and-exit)
