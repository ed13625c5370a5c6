"""Einsum specifications: what is said to equal them does, on random tensors."""

from __future__ import annotations

import itertools

import pytest
from torch_handbook.source.einsum import ELLIPSIS, atom, equivalent, read

SPECS = (
    "bij,bjk->bik bnm,bmp->bnp bij,bkj->bik bji,bjk->bik bij,bjk->bki ij,jk->ik ij,kj->ik ji,jk->ik ij,jk->ki ij,j->i j,ij->i "
    "ij,i->j i,i-> i,j->ij i,j->ji ij,ij-> ij,ij->ij ij,ij->i bi,bi->b bi,bj->bij bij,jk->bik bij,kj->bik ...i,ij->...j "
    "...i,oi->...o bhid,bhjd->bhij bhij,bhjd->bhid ijk,jl->ikl ijk,kl->ijl ijk,jkl->il ijk,ljk->il ij->ji bij->bji bchw->bhwc "
    "ij-> ij->i ij->j bij->b ii->i ii-> bii->bi bii->b ni,nj->ij bni,bnj->bij"
)
NONE = (
    "bij,bjk->ik bij,bjk->bijk bi,ijk,bk->bj bij,bi->bij ik,jk-> i,j,k->ijk bij,ckj->bcik bihd,bjhd->bhij ij->ij i...,...i->... "
    "ii,i->i iii->i ij,jk->iik ij->k i1->i i,j->"
)


def written(spec: str, **options: bool) -> str:
    found = equivalent(spec, **options)
    assert found is not None, spec
    return found.write(["a", "b"])


@pytest.mark.parametrize("spec", NONE.split())
def test_no_single_operator_does_it(spec: str) -> None:
    assert equivalent(spec) is None


def test_letters_spaces_and_capitals_do_not_matter() -> None:
    assert written("bij,bjk->bik") == written("X p Q, X Q r -> X p r") == "torch.matmul(a, b)"
    assert written("bij,bjk->bik", equal_batches=True) == "torch.bmm(a, b)"


def test_the_implicit_output_is_in_alphabetical_order() -> None:
    assert written("ba") == "a.T"
    assert read("aB") is not None and read("aB").output == "Ba"  # type: ignore[union-attr]
    assert written("ki,ij") == "torch.mm(b.T, a.T)"  # the output is jk


def test_operands_are_put_in_parentheses_where_they_must_be() -> None:
    found = equivalent("ij,kj->ik")
    assert found is not None
    assert found.write(["x + 1", "-w"], torch="th") == "th.mm(x + 1, (-w).T)"
    assert [atom(text) for text in ("x", "f(x)[0].y", "x + 1", "-x", "await x")] == [
        "x",
        "f(x)[0].y",
        "(x + 1)",
        "(-x)",
        "(await x)",
    ]


@pytest.mark.torch
@pytest.mark.parametrize("spec", SPECS.split())
def test_the_listed_forms_are_equal(spec: str) -> None:
    assert equal(spec) is True


@pytest.mark.torch
def test_every_form_of_few_letters_is_equal_or_none() -> None:
    """All specifications of two operands with up to three of four letters, each with every output."""
    terms = ["".join(term) for size in (1, 2, 3) for term in itertools.permutations("bijk", size)]
    terms += [f"...{term}" for term in terms if len(term) < 3]
    firsts = [term for term in terms if list(term.strip(".")) == sorted(term.strip("."))]
    found = 0
    for a, b in itertools.product(firsts, terms):
        letters = sorted(set(a + b) - {"."})
        for size in range(4):
            for out in itertools.permutations(letters, size):
                head = "..." if "..." in a + b else ""
                found += equal(f"{a},{b}->{head}{''.join(out)}")
    assert found > 500


def equal(spec: str) -> bool:
    """Whether there is an equivalent; it must then give what einsum gives."""
    torch = pytest.importorskip("torch")
    axes, replacement = read(spec), equivalent(spec)
    assert axes is not None
    if replacement is None:
        return False
    sizes = {letter: size for size, letter in enumerate(sorted(set("".join(axes.operands))), 2)}
    operands = [
        torch.randn([n for letter in term for n in ([2, 3] if letter == ELLIPSIS else [sizes[letter]])]) for term in axes.operands
    ]
    expected = torch.einsum(spec, *operands)
    actual = eval(replacement.write(["a", "b"]), {"torch": torch, "a": operands[0], "b": operands[-1]})
    assert actual.shape == expected.shape, spec
    assert torch.allclose(actual, expected, atol=1e-5), spec
    return True
