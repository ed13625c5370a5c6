import functorch
import torch
import torch.nn.functional as F
from functorch import jacrev, make_functional  # expect: deprecated-api "functorch.jacrev is deprecated since 2.0: use torch.func.jacrev"; deprecated-api "use torch.func.functional_call"
from torch import nn
from torch.backends import cuda
from torch.cuda.amp import (  # these comments keep the import from being rewritten
    GradScaler,  # expect: deprecated-api "torch.cuda.amp.GradScaler is deprecated since 2.4"
    custom_bwd,  # expect: deprecated-api
)
from torch.nn.init import orthogonal_  # expect: deprecated-api "use torch.nn.init.orthogonal_"
from torch.nn.utils import weight_norm as normed  # expect: deprecated-api "with other names in state_dict"
from torch.testing import assert_allclose, assert_close  # expect: deprecated-api "use torch.testing.assert_close, with its own tolerances"

x, y, vector = torch.ones(2, 3), torch.ones(2, 3), torch.ones(3)
square = torch.eye(3)
enabled = torch.cuda.is_available()
count = len(vector)

with torch.amp.autocast("cuda"):  # expect: deprecated-api "torch.cuda.amp.autocast is deprecated since 2.4: use torch.amp.autocast("
    pass
with torch.amp.autocast("cuda", enabled=enabled):  # expect: deprecated-api
    pass
with torch.amp.autocast("cpu", enabled=enabled, dtype=torch.bfloat16):  # expect: deprecated-api
    pass
scaler = GradScaler(init_scale=2.0)  # expect: deprecated-api
scaler = torch.amp.GradScaler("cuda", 2.0)  # expect: deprecated-api
context = torch.cuda.amp.autocast if enabled else None  # expect: deprecated-api


class Square(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")  # expect: deprecated-api "use torch.amp.custom_fwd(device_type="
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @custom_bwd  # expect: deprecated-api
    def backward(ctx, gradient):
        return 2 * ctx.saved_tensors[0] * gradient


class Halved(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(cast_inputs=torch.float32, device_type="cuda")  # expect: deprecated-api
    def forward(ctx, x):
        return x / 2


inverse = torch.lu_solve(square, *torch.linalg.lu_factor(square))  # expect: deprecated-api "use torch.linalg.lu_solve, with the right-hand side last"
factors, pivots = torch.linalg.lu_factor(square)  # expect: deprecated-api "use torch.linalg.lu_factor"
solved = torch.linalg.lu_solve(factors, pivots, square)  # expect: deprecated-api
u, s, v = torch.svd(square)  # expect: deprecated-api "use torch.linalg.svd, with Vh in the place of V, and full_matrices=False"
u, s, v = square.svd()  # expect: deprecated-api "torch.Tensor.svd is deprecated"
product = torch.linalg.multi_dot([square, square, square])  # expect: deprecated-api "the matrices in a list"
product = torch.chain_matmul(square)  # expect: deprecated-api
solution = torch.triangular_solve(square, square)  # expect: deprecated-api
grid = torch.outer(vector, vector)  # expect: deprecated-api "use torch.outer"
grid = vector.outer(vector)  # expect: deprecated-api
length = torch.norm(x)  # expect: deprecated-api "use torch.linalg.vector_norm"

steps = torch.arange(0, 11, dtype=torch.float32)  # expect: deprecated-api "use torch.arange, with the end left out"
steps = torch.arange(0, 8, 2, dtype=torch.long)  # expect: deprecated-api
steps = torch.arange(4, 1, -2, dtype=torch.float32)  # expect: deprecated-api
steps = torch.arange(start=0, end=count, dtype=torch.float32)  # expect: deprecated-api
steps = torch.arange(1, end=count + 2, step=1, dtype=torch.long)  # expect: deprecated-api
steps = torch.arange(-2, 0, dtype=torch.float32)  # expect: deprecated-api
steps = torch.range(0, 1, 0.1)  # expect: deprecated-api
steps = torch.range(0, count / 2)  # expect: deprecated-api

nn.init.xavier_uniform_(nn.Linear(2, 2).weight)  # expect: deprecated-api "torch.nn.init.xavier_uniform is deprecated: use torch.nn.init.xavier_uniform_"
orthogonal_(nn.Linear(2, 2).weight)  # expect: deprecated-api
nn.utils.clip_grad_norm_(nn.Linear(2, 2).parameters(), 1.0)  # expect: deprecated-api
layer = nn.utils.weight_norm(nn.Linear(2, 2))  # expect: deprecated-api "with other names in state_dict"
larger = F.interpolate(x[None, None], scale_factor=2)  # expect: deprecated-api "use torch.nn.functional.interpolate"
larger = F.interpolate(x[None, None], scale_factor=2, mode="bilinear", align_corners=True)  # expect: deprecated-api
larger = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)(x[None, None])  # expect: deprecated-api
loss = nn.NLLLoss()  # expect: deprecated-api "use torch.nn.NLLLoss"
jacobian = jacrev(torch.sin)(x)  # expect: deprecated-api
slopes = torch.func.grad(torch.sum)(x)  # expect: deprecated-api
with cuda.sdp_kernel():  # expect: deprecated-api "use torch.nn.attention.sdpa_kernel"
    pass
used = torch.cuda.memory_reserved()  # expect: deprecated-api "use torch.cuda.memory_reserved"
compiling = torch._utils.is_compiling()  # expect: deprecated-api "use torch.compiler.is_compiling"
scripted = torch.jit.script(nn.Linear(2, 2))  # expect: deprecated-api "torch.jit.script is deprecated since 2.10: use torch.compile"
assert_allclose(x, y)  # expect: deprecated-api
model, parameters = make_functional(nn.Linear(2, 2))  # expect: deprecated-api
prepared = torch.ao.quantization.prepare(nn.Linear(2, 2))  # expect: deprecated-api "quantization is a package of its own, torchao"
torch.distributed.all_gather_coalesced([x], [y])  # expect: deprecated-api "will be deprecated"


@torch.jit.script  # expect: deprecated-api
def fused(x):
    return x * torch.sigmoid(x)


# From here on everything is right.
assert_close(x, y)
with torch.amp.autocast("cuda"), torch.autocast("cuda", enabled=enabled):
    pass
scaler = torch.amp.GradScaler("cuda")
layer = normed(nn.Linear(2, 2))  # said once, at the import
steps = torch.arange(0, 10)
nn.init.xavier_uniform_(nn.Linear(2, 2).weight)
layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
length = x.norm()
length = torch.linalg.vector_norm(x)
grid = torch.outer(vector, vector)
if torch.jit.is_scripting():
    pass
anchors = torch.jit.annotate(list[torch.Tensor], [])  # an empty list, as it stands
if isinstance(scaler, torch.cuda.amp.GradScaler):
    pass
if isinstance(layer, (nn.UpsamplingNearest2d, nn.Linear)):
    pass


INITS = {"uniform": nn.init.uniform, "normal": nn.init.normal}  # to be patched, not to be called
weight_norm = nn.utils.weight_norm
if hasattr(nn.utils.parametrizations, "weight_norm"):
    weight_norm = nn.utils.parametrizations.weight_norm


def step(scaler: torch.cuda.amp.GradScaler) -> torch.cuda.amp.GradScaler:
    kept: torch.cuda.amp.GradScaler = scaler
    maybe: torch.cuda.amp.GradScaler | None = kept
    several: dict[str, list[torch.cuda.amp.GradScaler]] = {"": [kept]}
    return kept if maybe is not torch.cuda.amp.autocast else several[""][0]


if hasattr(torch.amp, "autocast"):
    with torch.amp.autocast("cuda"):
        pass
else:
    with torch.cuda.amp.autocast():
        pass
try:
    scaler = torch.amp.GradScaler("cuda")
except AttributeError:
    scaler = torch.cuda.amp.GradScaler()
NEW = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 4)
scaler = torch.amp.GradScaler("cuda") if NEW else torch.cuda.amp.GradScaler()


class Trainer:
    def __init__(self):
        self.new = NEW

    def scaler(self):
        if self.new:
            return torch.amp.GradScaler("cuda")
        return torch.cuda.amp.GradScaler()


try:
    from torch.amp import autocast
except ImportError:
    from torch.cuda.amp import autocast


class Signal:
    def qr(self):
        return self

    def range(self, start, end):
        return start, end


Signal().qr()
Signal().range(0, 3)
torch.cuda.amp.autocast = None
