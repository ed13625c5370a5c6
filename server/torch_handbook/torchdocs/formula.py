r"""TeX as text: `:math:` in docstrings, for readers without a typesetter. "\frac{a}{b} \times \text{x}" is "(a)/(b) × x"."""

from __future__ import annotations

import re

SYMBOLS = {
    "times": "×",
    "cdot": "·",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "neq": "≠",
    "ne": "≠",
    "approx": "≈",
    "sim": "~",
    "ldots": "…",
    "dots": "…",
    "cdots": "⋯",
    "infty": "∞",
    "sum": "Σ",
    "prod": "Π",
    "partial": "∂",
    "nabla": "∇",
    "in": "∈",
    "rightarrow": "→",
    "to": "→",
    "leftarrow": "←",
    "Rightarrow": "⇒",
    "forall": "∀",
    "pm": "±",
    "odot": "⊙",
    "otimes": "⊗",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "eta": "η",
    "theta": "θ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "Phi": "Φ",
    "psi": "ψ",
    "omega": "ω",
    "Omega": "Ω",
    "Delta": "Δ",
    "Sigma": "Σ",
    "Gamma": "Γ",
    "ell": "ℓ",
    "star": "⋆",
    "ast": "*",
    "top": "ᵀ",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "quad": " ",
    "qquad": " ",
    "mid": "|",
    "vert": "|",
    "Vert": "‖",
    "lVert": "‖",
    "rVert": "‖",
    "lvert": "|",
    "rvert": "|",
    "langle": "⟨",
    "rangle": "⟩",
    "cap": "∩",
    "cup": "∪",
    "div": "÷",
}
FONTS = "text|textit|textbf|texttt|textrm|mathrm|mathbf|mathbb|mathcal|mathit|mathsf|operatorname\\*?|bm|boldsymbol"
WRAPPERS = re.compile(rf"\\(?:{FONTS})\s*\{{([^{{}}]*)\}}")
FRACTION = re.compile(r"\\d?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
ROOT = re.compile(r"\\sqrt\s*(?:\[([^\]]*)\])?\s*\{([^{}]*)\}")
ACCENT = re.compile(r"\\(?:hat|bar|tilde|vec|overline|underline|widehat|widetilde)\s*\{([^{}]*)\}")
SCRIPT = re.compile(r"([_^])\{([^{}]*)\}")
SPACING = re.compile(r"\\(?:(?:left|right|[bB]ig[lrg]?|[bB]igg|displaystyle|limits|nolimits|bf|it|rm)(?![A-Za-z])|[,;:!> ])")
GAPS = re.compile(r"\\(?:hspace|vspace|rule|label|tag)\*?(?:\{[^}]*\})+")
ENVIRONMENT = re.compile(r"\\(?:begin|end)\{\w+\*?\}(?:\{[lcr|]*\})?")
ESCAPES = {r"\_": "_", r"\{": "❴", r"\}": "❵", r"\%": "%", r"\|": "‖", r"\#": "#", r"\&": "＆"}
COMMAND = re.compile(r"\\([A-Za-z]+)")
BREAK = re.compile(r"\\\\(?:\[[^\]]*\])?")
KEPT = str.maketrans({"{": "", "}": "", "&": "", "❴": "{", "❵": "}", "＆": "&"})
ROUNDS = 12  # as deep as braces are nested


def readable(tex: str) -> str:
    """A formula in letters and signs; line breaks in it are kept."""
    lines = map(readable_line, BREAK.split(ENVIRONMENT.sub("", tex)))
    return "\n".join(line for line in lines if line)


def readable_line(tex: str) -> str:
    text = SPACING.sub("", GAPS.sub(" ", tex))
    for escaped, letter in ESCAPES.items():
        text = text.replace(escaped, letter)
    text = COMMAND.sub(lambda found: SYMBOLS.get(found[1], found[0]), text)
    for _ in range(ROUNDS):
        before = text
        text = ACCENT.sub(r"\1", WRAPPERS.sub(r"\1", text))
        text = ROOT.sub(lambda found: f"√({found[2]})", text)
        text = FRACTION.sub(lambda found: f"{grouped(found[1])}/{grouped(found[2])}", text)
        text = SCRIPT.sub(lambda found: found[1] + grouped(found[2]), text)
        if text == before:
            break
    text = COMMAND.sub(r"\1", text)
    return " ".join(text.translate(KEPT).split())


def grouped(text: str) -> str:
    """Brackets around what is more than one word or number."""
    text = text.strip()
    return text if re.fullmatch(r"\\?\w+|[+-]?[\d.]+|\([^()]*\)", text) else f"({text})"
