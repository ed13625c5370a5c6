"""Public names: what torch's documentation calls a thing that its files define somewhere deeper."""

from __future__ import annotations

import re
from functools import lru_cache

OPTIMIZERS = "Optimizer|ASGD|Adadelta|Adafactor|Adagrad|Adam|AdamW|Adamax|LBFGS|Muon|NAdam|RAdam|RMSprop|Rprop|SGD|SparseAdam"
PATTERNS = (
    (r"^torch\._C\._?TensorBase\b", "torch.Tensor"),
    (r"^torch\._tensor\.Tensor\b", "torch.Tensor"),
    (r"^torch\._C\._VariableFunctions(?:Class)?\.", "torch."),
    (r"^torch\._C\._nn\.", "torch.nn.functional."),
    (r"^torch\._C\._(linalg|fft|special)\.(?:linalg_|fft_|special_)", r"torch.\1."),
    (r"^torch\._C\.(Generator|Size|device|dtype|layout|memory_format|finfo|iinfo|\w+Tensor)\b", r"torch.\1"),
    (r"^torch\.nn\.modules\.(?!lazy\.)(?:\w+\.)?([A-Z]\w*)", r"torch.nn.\1"),
    (r"^torch\.nn\.parameter\.(Parameter|Buffer)\b", r"torch.nn.\1"),
    (r"^torch\.nn\.parallel\.(?:data_parallel\.)?DataParallel\b", "torch.nn.DataParallel"),
    (r"^torch\.nn\.parallel\.distributed\.DistributedDataParallel\b", "torch.nn.parallel.DistributedDataParallel"),
    (r"^torch\.nn\.(quantized|intrinsic|qat|quantizable)\b", r"torch.ao.nn.\1"),
    (
        r"^torch\.nn\.utils\.(?:clip_grad|convert_parameters|weight_norm|spectral_norm|fusion|init|memory_format)\.([a-z]\w*)",
        r"torch.nn.utils.\1",
    ),
    (rf"^torch\.optim\.(?:_\w+|[a-z]+)\.({OPTIMIZERS})\b", r"torch.optim.\1"),
    (r"^torch\.utils\.data\.(?:dataset|dataloader|sampler|distributed)\.([A-Z]\w*|random_split)", r"torch.utils.data.\1"),
    (
        r"^torch\.utils\.data\._utils\.(?:worker|collate)\.(get_worker_info|default_collate|default_convert)",
        r"torch.utils.data.\1",
    ),
    (r"^torch\.autograd\.(?:grad_mode\.)?(no_grad|enable_grad|set_grad_enabled|inference_mode)\b", r"torch.\1"),
    (r"^torch\.autograd\.function\.(Function)\b", r"torch.autograd.\1"),
    (r"^torch\.autograd\.variable\.(Variable)\b", r"torch.autograd.\1"),
    (r"^torch\.autograd\.anomaly_mode\.(detect_anomaly|set_detect_anomaly)\b", r"torch.autograd.\1"),
    (r"^torch\.autograd\.gradcheck\.(gradcheck|gradgradcheck)\b", r"torch.autograd.\1"),
    (
        r"^torch\.amp\.(?:autocast_mode|grad_scaler)\.(autocast|GradScaler|custom_fwd|custom_bwd|is_autocast_available)\b",
        r"torch.amp.\1",
    ),
    (r"^torch\.cuda\.amp\.(?:autocast_mode|grad_scaler)\.(autocast|GradScaler|custom_fwd|custom_bwd)\b", r"torch.cuda.amp.\1"),
    (r"^torch\.(cuda|xpu|mtia)\.(?:memory|random|streams|graphs)\.([a-zA-Z]\w*)", r"torch.\1.\2"),
    (r"^torch\.distributed\.distributed_c10d\.([a-zA-Z]\w*)", r"torch.distributed.\1"),
    (
        r"^torch\.distributions\.(?!constraint|kl\.|utils|transforms\.)[a-z_]+\.(?!LogitRelaxed|ExpRelaxed)([A-Z]\w*)",
        r"torch.distributions.\1",
    ),
    (r"^torch\.profiler\.profiler\.([a-z]\w*)", r"torch.profiler.\1"),
    (r"^torch\.signal\.windows\.windows\.", "torch.signal.windows."),
    (r"^torch\.jit\._(?:script|trace|freeze|fuser|serialization|async)\.([a-z]\w*)", r"torch.jit.\1"),
    (r"^torch\.serialization\.(load|save)$", r"torch.\1"),
    (r"^torch\.random\.(manual_seed|seed|initial_seed|get_rng_state|set_rng_state)$", r"torch.\1"),
    (r"^torch\.(?:functional|_tensor_str|_compile|_linalg_utils|_lobpcg)\.([a-z]\w*)$", r"torch.\1"),
)
# Private and deep paths to public ones; the first that matches is taken.
MOVES = tuple((re.compile(pattern), target) for pattern, target in PATTERNS)


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """The public name of a torch name: "torch.nn.modules.conv.Conv2d" is "torch.nn.Conv2d". Other names come back as they are."""
    if not name.startswith("torch."):
        return name
    for pattern, target in MOVES:
        moved, count = pattern.subn(target, name, count=1)
        if count:
            return moved
    return name
