"""Pages are found by name, by what one wants to do and by what other libraries call it, in English and in Chinese."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.words import words

HANDBOOK = Handbook.open(Path(__file__).parents[1] / "entries")
# A query, and the page that must be among the first three.
QUERIES = """
join tensors along a new axis | torch.stack
concatenate two tensors | torch.cat
np.concatenate | torch.cat
stack a list of tensors | torch.stack
add a dimension of size one | torch.unsqueeze
remove axis of length 1 | torch.squeeze
swap two dimensions | torch.transpose
reorder axes of an image | torch.permute
flatten everything but the batch | torch.flatten
turn off gradients during validation | torch.no_grad
running out of memory | guides/out-of-memory
cuda oom | guides/out-of-memory
stop the gradient | torch.Tensor.detach
python number out of a tensor | torch.Tensor.item
load a checkpoint | torch.load
weights_only | torch.load
loss for classification | torch.nn.CrossEntropyLoss
mean squared error | torch.nn.MSELoss
fully connected layer | torch.nn.Linear
Dense | torch.nn.Linear
lookup table for words | torch.nn.Embedding
multi head attention | torch.nn.MultiheadAttention
batch normalization for images | torch.nn.BatchNorm2d
batched matrix multiplication | torch.bmm
matrix product | torch.matmul
einstein summation | torch.einsum
random permutation | torch.randperm
shuffling rows | torch.randperm
resize an image | torch.nn.functional.interpolate
pad a tensor with zeros | torch.nn.functional.pad
batches from a dataset | torch.utils.data.DataLoader
gradient descent with momentum | torch.optim.SGD
weight decay optimizer | torch.optim.AdamW
view or reshape | compare/view-reshape-permute
mixed precision | guides/mixed-precision
how do I save a model | compare/ways-to-save
why is my training so slow | guides/slow-code
mat1 and mat2 | errors/mat1-and-mat2-shapes
does not require grad | errors/does-not-require-grad
tensors on different devices | errors/not-on-the-same-device
broadcasting rules | guides/shape-errors
normalise each sample | torch.nn.LayerNorm
where | torch.where
Conv2d | torch.nn.Conv2d
nn.functional.softmax | torch.nn.functional.softmax
softmax | torch.nn.functional.softmax
convol | torch.nn.Conv2d
concaten | torch.cat
卷积 | torch.nn.Conv2d
损失函数 | guides/losses
拼接 | torch.cat
注意力 | torch.nn.MultiheadAttention
优化器 | torch.optim.Adam
自动求导 | torch.no_grad
池化 | torch.nn.MaxPool2d
激活函数 | torch.nn.ReLU
全连接层 | torch.nn.Linear
沿新维度堆叠张量 | torch.stack
拼接张量 | torch.cat
改变形状 | torch.Tensor.view
转置 | torch.transpose
求和 | torch.sum
最大值 | torch.max
梯度裁剪 | torch.nn.utils.clip_grad_norm_
显存不足 | guides/out-of-memory
保存模型 | torch.save
随机种子 | torch.manual_seed
学习率预热 | compare/learning-rate-schedules
交叉熵损失 | torch.nn.CrossEntropyLoss
how to freeze layers | torch.nn.Module.requires_grad_
gradient clipping | torch.nn.utils.clip_grad_norm_
class imbalance | torch.utils.data.WeightedRandomSampler
convert tensor to numpy | torch.Tensor.numpy
sort descending | torch.sort
causal mask | guides/masks
export to onnx | guides/export-and-deployment
random seed reproducibility | guides/reproducibility
cosine similarity | torch.nn.functional.cosine_similarity
install pytorch with cuda | guides/installation
"""
PAIRS = [tuple(part.strip() for part in line.split(" | ")) for line in QUERIES.strip().splitlines()]


@pytest.mark.parametrize(("query", "page"), PAIRS)
def test_a_page_is_among_the_first_three(query: str, page: str) -> None:
    assert page in [hit.name for hit in HANDBOOK.search(query, 3)]


@pytest.mark.parametrize("name", HANDBOOK.names())
def test_every_page_is_found_by_its_name(name: str) -> None:
    assert HANDBOOK.search(name, 1)[0].name == name


def test_the_glossary_has_each_word_once_and_translates_it_to_words_of_pages() -> None:
    lines = [line for line in (HANDBOOK.root / "glossary.zh-CN.tsv").read_text("utf-8").splitlines() if not line.startswith("#")]
    rows = [line.split("\t") for line in lines]
    assert all(len(row) == 2 and all(row) for row in rows)
    assert len({term for term, _ in rows}) == len(rows)
    assert [english for _, english in rows if not HANDBOOK.search(english, 1)] == []


def test_what_is_on_no_page_finds_nothing() -> None:
    assert HANDBOOK.search("zyxwv") == []
    assert HANDBOOK.search("") == []
    assert HANDBOOK.search("…") == []


def test_a_word_counts_the_more_the_rarer_it_is() -> None:
    assert HANDBOOK.search("tensor einsum", 1)[0].name == "torch.einsum"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tensors", ["tensor"]),
        ("normalising normalized normalization", ["norm", "norm", "norm"]),
        ("stopped stopping", ["stop", "stop"]),
        ("CrossEntropyLoss", ["crossentropyloss", "cross", "entropy", "loss"]),
        ("torch.nn.Conv2d", ["torch", "nn", "conv2d"]),
        ("concatenate joining", ["cat", "cat"]),
        ("axes dims dimensions", ["dim", "dim", "dim"]),
        ("拼接张量", ["拼接", "接张", "张量"]),
        ("维", ["维"]),
    ],
)
def test_words_of_a_text(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("Conv2d", ("torch.nn.Conv2d",)),
        ("conv2d", ("torch.nn.functional.conv2d",)),
        ("CONV2D", ("torch.nn.Conv2d", "torch.nn.functional.conv2d")),
        ("nn.linear", ("torch.nn.Linear",)),
        ("concat", ("torch.cat",)),
        ("in-place", ("guides/in-place",)),
        ("nothing", ()),
        ("", ()),
        ("(", ()),
    ],
)
def test_names_by_their_ends(name: str, pages: tuple[str, ...]) -> None:
    assert sorted(HANDBOOK.called(name)) == sorted(pages)
