"""Where PyTorch's official documentation explains a name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = "https://docs.pytorch.org/docs/stable"
# What has its page under the name of the module that it is defined in.
DEFINED = {
    "torch.inference_mode": "torch.autograd.grad_mode.inference_mode",
    "torch.set_grad_enabled": "torch.autograd.grad_mode.set_grad_enabled",
    "torch.nn.Parameter": "torch.nn.parameter.Parameter",
    "torch.nn.Buffer": "torch.nn.parameter.Buffer",
    "torch.nn.UninitializedParameter": "torch.nn.parameter.UninitializedParameter",
    "torch.nn.UninitializedBuffer": "torch.nn.parameter.UninitializedBuffer",
}


def address(name: str) -> str | None:
    """The address of a public name, of a member of a class that of its class; None where no page is known."""
    if name not in table() and name.startswith("torch.cuda."):  # what is about memory stands under the module that it is in
        name = name.replace("torch.cuda.", "torch.cuda.memory.")
    page = table().get(name)
    if page == "generated":
        return f"{ROOT}/generated/{DEFINED.get(name, name)}.html"
    if page:
        return f"{ROOT}/{page}.html#{name}"
    owner = name.rpartition(".")[0]
    around = address(owner) if owner.rpartition(".")[2][:1].isupper() else None
    return f"{around.partition('#')[0]}#{name}" if around else None


@cache
def table() -> Mapping[str, str]:
    """The page of each name; "generated" is a page of its own."""
    text = Path(__file__).with_name("official.txt").read_text("utf-8")
    rows = [line.partition(": ") for line in text.splitlines() if not line.startswith("#")]
    return {f"{place.split()[1]}.{name}": place.split()[0] for place, _, names in rows for name in names.split()}
