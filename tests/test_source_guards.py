"""What is a question about the version of torch, and what only one about the machine, a library or the program itself."""

from __future__ import annotations

import ast

import pytest
from torch_handbook.source.file import File
from torch_handbook.source.guards import is_guarded

HEAD = "import sys\nimport torch\nfrom torch import nn\nfrom packaging import version\n"
ABOUT_VERSIONS = (
    "torch.__version__ >= '2.4'",
    "version.parse(torch.__version__) < version.parse('1.8')",
    "sys.version_info >= (3, 9)",
    "TORCH_MAJOR >= 2",
    "IS_TORCH_2",
    "torch_greater_than_2_4",
    "is_torch_greater_or_equal('2.9')",
    "PT_LESS_THAN_2",
    "hasattr(torch, 'compile')",
    "hasattr(nn.functional, 'scaled_dot_product_attention')",
    "hasattr(tensor, 'untyped_storage')",
    "getattr(torch, 'symeig', None) is None",
    "is_torch_flex_attn_available()",
    "SDPA_AVAILABLE",
    "_is_dtensor_available",
)
ABOUT_OTHER_THINGS = (
    "torch.cuda.is_available()",
    "not torch.backends.mps.is_available()",
    "torch.distributed.is_available() and torch.distributed.is_initialized()",
    "torch.version.cuda",
    "is_cuda_available",
    "CUDA_AVAILABLE",
    "is_torch_npu_available()",
    "is_wandb_available()",
    "is_torch_tensor(tensor)",
    "mode == 'conversion'",
    "conversion",
    "getattr(args, 'fp16', False)",
    "hasattr(self, 'norm')",
    "hasattr(self.config, 'scale')",
    "os.environ['TORCH_HOME']",
)


def guarded(before: str, test: str) -> bool:
    file = File.read("net.py", f"{HEAD}{before}if {test}:\n    torch.symeig(x)\n")
    (call,) = (node for node in ast.walk(file.tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.symeig")
    return is_guarded(file, call)


@pytest.mark.parametrize("test", ABOUT_VERSIONS)
def test_code_for_some_versions_is_guarded(test: str) -> None:
    assert guarded("", test)
    assert guarded("", f"x.is_cuda and not ({test})")


@pytest.mark.parametrize("test", ABOUT_OTHER_THINGS)
def test_what_the_machine_or_the_program_has_is_no_guard(test: str) -> None:
    assert not guarded("", test)


def test_a_flag_is_what_it_was_given() -> None:
    assert guarded("new = torch.__version__ > '2'\n", "new")
    assert guarded("has = hasattr(torch, 'compile')\nfast = has\n", "fast")
    assert not guarded("cuda = torch.cuda.is_available()\n", "cuda")
    assert not guarded("fp16 = getattr(args, 'fp16', False)\n", "fp16")
