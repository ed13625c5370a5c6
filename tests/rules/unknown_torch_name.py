import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import Adm, AdamW  # expect: unknown-torch-name "torch.optim has no Adm: did you mean Adam?"
from torch.optim.lr_scheduler import StepLR

layer = nn.Liner(4, 2)  # expect: unknown-torch-name "torch.nn has no Liner: did you mean Linear?"
x = F.gellu(layer(torch.ones(1, 4)))  # expect: unknown-torch-name "did you mean gelu?"
with torch.amp.autocst("cuda"):  # expect: unknown-torch-name "torch.amp has no autocst: did you mean autocast?"
    x = torch.linalg.inverted(x)  # expect: unknown-torch-name "torch.linalg has no inverted"
    x = torch.sofmax(x, 0)  # expect: unknown-torch-name "torch has no sofmax: did you mean softmax?"
    x = torch.concatenat([x, x])  # expect: unknown-torch-name "did you mean concatenate?"
kind = nn.module  # expect: unknown-torch-name "torch.nn has no module: did you mean Module?"

# From here on everything is right.
seven, old = torch.int7, torch.is_autocast_xla_enabled()
x = torch.softmax(x, 0)
x = torch.npu.synchronize()
torch.cosim = torch.cosine_similarity
x = torch.cosim(x, x)
layer = nn.Linear(4, 2)
x = F.gelu(layer(torch.ones(1, 4)))
x = F.scaled_dot_product_attention(x, x, x)
schedule = StepLR(AdamW(layer.parameters()), 3)
module = nn.modules.linear
attend = nn.attention.flex_attention
old = nn._reduction
nn.Mine = nn.Linear
other = nn.Mine(2, 2)
if hasattr(F, "newest"):
    x = F.newest(x)
try:
    from torch.optim import Newest
except ImportError:
    Newest = AdamW
