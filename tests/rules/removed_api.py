import torch
import torch.utils.ffi  # expect: removed-api "torch.utils.ffi was removed from torch"
from torch import nn
from torch import symeig as eigen  # expect: removed-api "torch.symeig was removed from torch"
from torch._six import string_classes  # expect: removed-api "torch._six was removed from torch: use Python's own types"
from torch.autograd import Variable
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR

matrix, batch = torch.eye(3), torch.ones(2, 3)
optimizer = torch.optim.SGD(nn.Linear(3, 3).parameters(), lr=0.1)

values, vectors = torch.symeig(matrix, eigenvectors=True)  # expect: removed-api "torch.symeig was removed from torch: use torch.linalg.eigh (or eigvalsh)"
solution, _ = torch.lstsq(batch, matrix)  # expect: removed-api "the other way round"
rank = torch.matrix_rank(matrix)  # expect: removed-api
spectrum = torch.rfft(batch, 1)  # expect: removed-api "use torch.fft.rfft"
spectrum = torch.fft(batch, 1)  # expect: removed-api
values = matrix.symeig()  # expect: removed-api "matrix.symeig was removed"
values, vectors = eigen(matrix)  # expect: removed-api
q, r = torch.qr(matrix, some=False)  # expect: removed-api "use torch.linalg.qr, with mode in the place of some"
q, r = matrix.qr()  # expect: removed-api "matrix.qr was removed from torch"
lower = torch.cholesky(matrix)  # expect: removed-api
upper = torch.cholesky(matrix, True)  # expect: removed-api
schedule = ReduceLROnPlateau(optimizer, patience=3, verbose=True)  # expect: removed-api "ReduceLROnPlateau has no argument verbose since torch 2.7"
schedule = StepLR(optimizer, 3, verbose=False)  # expect: removed-api
schedule = StepLR(verbose=True, optimizer=optimizer, step_size=3)  # expect: removed-api
batch = Variable(batch, volatile=True)  # expect: removed-api "volatile does nothing any more"

# From here on everything is right.
values, vectors = torch.linalg.eigh(matrix)
solution = torch.linalg.lstsq(matrix, batch.T).solution
rank = torch.linalg.matrix_rank(matrix)
spectrum = torch.fft.rfft(batch)
schedule = ReduceLROnPlateau(optimizer, patience=3)
batch = Variable(batch)  # expect: variable-wrapper


class Solver:
    def solve(self, matrix, verbose):
        return matrix, verbose


Solver().solve(matrix, verbose=True)
try:
    from torch._six import container_abcs
except ImportError:
    import collections.abc as container_abcs



def mean_cache(covariance, missing, labels):
    kernel = covariance.evaluate_kernel()
    kernel = kernel * (~torch.isnan(labels)).to(torch.float)  # its own product, that of a linear operator
    return kernel.solve(labels).squeeze(-1)


if torch.__version__ < "1.8":
    spectrum = torch.rfft(batch, 1)
if hasattr(torch, "symeig"):
    values, vectors = torch.symeig(matrix)


def solved(lazy, mask, given):
    kernel = lazy.evaluate() * mask.float()
    return kernel.solve(given)
