"""A comment silences a rule that finds nothing there.

Why
    Such a comment is left over from code that has changed, or names a rule that does not exist. It hides the next real mistake
    on its line. The engine itself finds these, after all rules have run.

Bad
    x = torch.zeros(3)  # torch-handbook: ignore[shape-mismatch]

Good
    x = torch.zeros(3)
"""

from torch_handbook.engine.rule import Category, Rule, Severity

RULE = Rule("unused-suppression", Severity.INFORMATION, Category.META, entry="guides/silencing")
