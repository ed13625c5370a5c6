import numpy as np
import pytest
import torch

a, b = torch.zeros(3), torch.ones(3)
ids = torch.tensor([1, 2, 3])
if (a - b).abs() < 1e-4:  # expect: ambiguous-tensor-bool "(a - b).abs() < 1e-4 has 3 elements"
    print("done")
if a == b:  # expect: ambiguous-tensor-bool "use torch.equal(a, b), or .all() or .any()"
    print("same")
assert ids == torch.tensor([1, 2, 3])  # expect: ambiguous-tensor-bool
while a < b:  # expect: ambiguous-tensor-bool
    a = a + 1
kind = "high" if ids > 1 else "low"  # expect: ambiguous-tensor-bool "ids > 1 has 3 elements"
if not ids:  # expect: ambiguous-tensor-bool "ids has 3 elements"
    print("none")
inside = (ids > 0) & (ids < 3)
outside = ids < 0 or ids > 3  # expect: ambiguous-tensor-bool "ids < 0 has 3 elements"
between = 0 < ids < 3  # expect: ambiguous-tensor-bool
truth = bool(torch.isnan(b))  # expect: ambiguous-tensor-bool
table = torch.randint(0, 5, (2, 4))
for threshold in (1, 2):
    if torch.eq(table, threshold):  # expect: ambiguous-tensor-bool "8 elements"
        break


def converged(old, new, tol=1e-4):
    if (old - new).abs() < tol:  # expect: ambiguous-tensor-bool
        return True
    return False


converged(torch.zeros(3), torch.zeros(3))


# From here on everything is right.
def close(old, new, tol=1e-4):
    if (old - new).abs().max() < tol:
        return True
    return False


close(torch.zeros(3), torch.zeros(3))
loss, best = (b - 1).pow(2).mean(), 1.0
if loss < best:
    best = loss
if (a == b).all() or torch.equal(a, b):
    print("same")
if ids is not None and len(ids) > 2 and ids[0] > 0:
    print("some")
if torch.tensor(1.0) > 0 and torch.zeros(1):
    print("one element is one truth value")
if ids.sum() == 6 and ids.numel():
    print(ids.any())
mask = ids > 1 if len(ids) else ids < 1
numbers = [1, 2, 3]
if numbers:
    print(0 < len(numbers) < 5)
rows = np.zeros(3)
for value in ids.unbind():
    if value > 1:
        print(value)
with pytest.raises(RuntimeError):
    if a == b:
        print("raises, as the test says")


def unknown(x, threshold):
    if x > threshold:
        return x
    return x or threshold


def shape_of(x):
    if x.shape == torch.Size([3]):
        return x.shape
    return None
