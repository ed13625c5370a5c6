import torch

m, n = torch.randn(3, 5), torch.randn(5, 6)

x = torch.einsum("ij,jk->ik", m, n)  # torch-handbook: ignore[einsum-with-bmm-equivalent]
x = torch.einsum("ij,jk->ik", m, n)  # torch-handbook: ignore
x = torch.einsum(  # torch-handbook: ignore[einsum-with-bmm-equivalent] the letters say what is meant
    "ij,jk->ik", m, n
)
x = torch.einsum(
    "ij,jk->ik",
    m,
    n,
)  # torch-handbook: ignore[einsum-with-bmm-equivalent]
x = torch.einsum("i,i->", n[0], n[0])  # torch-handbook: ignore[einsum-with-dot-equivalent]
x = m + 1  # torch-handbook: ignore[unused-suppression, einsum-with-bmm-equivalent]
words = "# torch-handbook: ignore[einsum-with-bmm-equivalent]"
x = m + 1  # expect: unused-suppression "einsum-with-bmm-equivalent finds nothing here"
x = m + 1  # expect: unused-suppression "did you mean einsum-with-bmm-equivalent?"
x = torch.einsum("i,i->", n[0], n[0])  # torch-handbook: ignore[einsum-with-dot-equivalent]  # expect: unused-suppression "no rule is called nothing-like-it"
