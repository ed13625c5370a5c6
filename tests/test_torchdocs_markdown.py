"""Docstrings as Markdown."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from torch_handbook.torchdocs.docs import TorchDocs
from torch_handbook.torchdocs.formula import readable
from torch_handbook.torchdocs.markdown import summary, to_markdown

SPEC = importlib.util.find_spec("torch")
FOLDER = Path(SPEC.submodule_search_locations[0]) if SPEC and SPEC.submodule_search_locations else None

DOCSTRING = r"""
Applies a filter, see :class:`~torch.nn.Linear`,
:func:`torch.cat` and :meth:`Tensor.view`. It takes ``N`` and :math:`C_{\text{in}}`.

* A list
  of things
* and more, where

  .. math::
      y = \frac{a + b}{c} \times x

.. note::
    Mind `the paper <https://example.org>`_.

    Twice.

.. deprecated:: 2.1
    Use something else.

Args:
    input (Tensor): the input,
        over two lines
    dim (int, optional): the dimension. Default: ``None``
    *sizes: more

Keyword args:
    out (Tensor, optional): the output

Returns:
    A tensor.

Shape:
    - Input: :math:`(N, *)`

Example::

    >>> torch.ones(1)
    tensor([1.])

.. _the paper:
    https://example.org
"""

MARKDOWN = """Applies a filter, see `Linear`, `torch.cat` and `Tensor.view`. It takes `N` and `C_in`.

- A list of things

- and more, where

  ```text
  y = (a + b)/c × x
  ```

> **Note:** Mind [the paper](https://example.org).
>
> Twice.

> **Deprecated since 2.1:** Use something else.

**Parameters**

- `input` (Tensor): the input, over two lines
- `dim` (int, optional): the dimension. Default: `None`
- `*sizes`: more

**Keyword args**

- `out` (Tensor, optional): the output

**Returns**

A tensor.

**Shape**

- Input: `(N, *)`

```python
>>> torch.ones(1)
tensor([1.])
```"""


def test_a_whole_docstring() -> None:
    assert to_markdown(DOCSTRING) == MARKDOWN


def test_the_first_paragraph() -> None:
    assert summary(DOCSTRING) == MARKDOWN.split("\n")[0]
    assert summary("") == ""
    assert summary(".. note:: x\n\nWords.") == "Words."


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"(N, C_{in}, H_{\text{out}})", "(N, C_in, H_out)"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}} * \gamma + \beta", "(x - E[x])/(√(Var[x] + ε)) * γ + β"),
        (r"\text{kernel\_size}[0]", "kernel_size[0]"),
        (r"\left\lfloor\frac{H}{s} + 1\right\rfloor", "⌊H/s + 1⌋"),
        (r"g_t \leftarrow g_t + \lambda", "g_t ← g_t + λ"),
        (r"a \\ b", "a\nb"),
        (r"\begin{cases} a & x \\ b & y \end{cases}", "a x\nb y"),
        (r"\{1, 2\}", "{1, 2}"),
        (r"\hspace{5mm} x \rule{110mm}{0.4pt}", "x"),
        (r"{{{{", ""),
        ("", ""),
    ],
)
def test_formulas(tex: str, text: str) -> None:
    assert readable(tex) == text


@pytest.mark.parametrize(
    "text", ["::", ".. x::", "Args:", "Args:\n", "*", "- ", ">>> ", "``", ":func:`", "\0", "a\n\n  b\n c\n", "Example::", "\t"]
)
def test_odd_text_is_no_error(text: str) -> None:
    assert isinstance(to_markdown(text), str)


@pytest.mark.torch
@pytest.mark.skipif(FOLDER is None, reason="needs an installed torch")
def test_nothing_of_the_markup_is_left(tmp_path: Path) -> None:
    docs = TorchDocs.open(FOLDER, "installed", tmp_path)
    left: list[str] = []
    names = [
        f"{owner}.{name}" for owner in ("torch", "torch.nn", "torch.nn.functional", "torch.optim") for name in docs.members(owner)
    ]
    for name in names:
        doc = docs.doc(name)
        prose = re.sub(r"```.*?```", "", to_markdown(doc.docstring) if doc else "", flags=re.DOTALL)
        if re.search(r":\w+:`|^\s*(?:> )*\.\. \w+|``|\\(?:text|frac|times|left|right)\b", prose, re.MULTILINE):
            left.append(name)
    assert len(names) > 1000
    assert len(left) <= len(names) * 0.02, left
