"""How the networks of a package are made and what they are called with."""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

Run = Any  # a network, its inputs, and "other" where it is not what the constructor says by itself
MOST = 6  # networks of one file that are weighed for the smallest


def timm(module: Any) -> Iterator[Run]:
    """The smallest of the file's registered models, at its own input size."""
    import timm as package

    names = package.list_models(module=module.__name__.rsplit(".", 1)[-1])
    model = smallest(names, lambda name: package.create_model(name, pretrained=False))
    yield from both(model, (torch.randn(2, *model.default_cfg["input_size"]),))


def torchvision(module: Any) -> Iterator[Run]:
    """The smallest of the file's registered models, with what its kind takes."""
    from torchvision import models

    names = [name for name in models.list_models() if models.get_model_builder(name).__module__ == module.__name__]
    where = module.__name__.split(".")
    options = {"weights": None, **({"weights_backbone": None} if {"detection", "segmentation"} & set(where) else {})}
    if not names:
        names = {"roi_heads": ["maskrcnn_resnet50_fpn"], "rpn": ["fasterrcnn_mobilenet_v3_large_320_fpn"],
                 "generalized_rcnn": ["fasterrcnn_mobilenet_v3_large_320_fpn"], "_utils": ["deeplabv3_mobilenet_v3_large"]
                 }.get(where[-1], [])  # fmt: skip
    model = smallest(names, lambda name: models.get_model(name, **options))
    if "detection" in where:
        yield model, ([torch.rand(3, 320, 320), torch.rand(3, 320, 320)],)
    elif "optical_flow" in where:
        yield model, (torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128))
    elif "video" in where:
        yield model, (torch.rand(1, 3, 16, 224, 224),)
    elif "segmentation" in where:
        yield model, (torch.rand(2, 3, 128, 128),)
    else:
        size = 299 if where[-1] == "inception" else 224
        yield from both(model, (torch.rand(2, 3, size, size),))


def both(model: Any, given: tuple[Any, ...]) -> Iterator[Run]:
    """What the class's own defaults make, if they do; and the registered model, which may be built otherwise."""
    rows = list(inspect.signature(type(model).__init__).parameters.values())[1:]
    if all(row.default is not row.empty or row.kind in (row.VAR_POSITIONAL, row.VAR_KEYWORD) for row in rows):
        with contextlib.suppress(Exception):
            yield type(model)(), given
        yield model, given, "other"
    else:
        yield model, given


def segmentation(module: Any) -> Iterator[Run]:
    """The architecture of the folder, or the encoder of the file."""
    import segmentation_models_pytorch as package

    where = module.__name__.split(".")
    if "decoders" in where:
        kinds = [kind for kind in vars(__import__(".".join([*where[:3]]), fromlist=["x"])).values() if is_network(kind)]
        for kind in kinds[:1]:
            encoder = {"DPT": "tu-vit_base_patch16_224"}.get(kind.__name__, "resnet18")
            size = 224 if kind.__name__ == "DPT" else 128
            yield kind(encoder_name=encoder, encoder_weights=None), (torch.rand(2, 3, size, size),)
        return
    rows = package.encoders.encoders
    names = [name for name, row in rows.items() if row["encoder"].__module__ == module.__name__] or ["resnet18"]
    model = smallest(names, lambda name: package.encoders.get_encoder(name, weights=None))
    yield model, (torch.rand(2, 3, 128, 128),)


def x_transformers(module: Any) -> Iterator[Run]:
    """A small decoder over tokens, and whatever of the file's classes can be made by the names of their parameters."""
    from x_transformers import Decoder, TransformerWrapper

    model = TransformerWrapper(num_tokens=50, max_seq_len=32, attn_layers=Decoder(dim=64, depth=2, heads=4, rotary_pos_emb=True))
    yield model, (torch.randint(0, 50, (2, 16)),)
    yield from by_name(module)


def mingpt(module: Any) -> Iterator[Run]:
    """The smallest GPT."""
    config = module.GPT.get_default_config()
    config.model_type, config.vocab_size, config.block_size = "gpt-nano", 50, 32
    tokens = torch.randint(0, 50, (2, 16))
    yield module.GPT(config), (tokens, tokens)


NUMBERS: dict[str, Any] = {
    "image_size": 64, "image_height": 64, "image_width": 64, "patch_size": 16, "num_classes": 10, "dim": 64, "depth": 2,
    "heads": 4, "mlp_dim": 128, "dim_head": 16, "channels": 3, "frames": 4, "frame_patch_size": 2, "image_patch_size": 16,
    "seq_len": 64, "in_channels": 3, "out_channels": 8, "num_heads": 4, "n_head": 4, "emb_size": 64, "ntoken": 50, "ninp":
    64, "nhead": 4, "nhid": 32, "nlayers": 2, "upscale_factor": 2, "channel": 16, "kernel_size": 3, "stride": 1,
    "num_tokens": 50, "max_seq_len": 32, "n_embd": 64, "spatial_depth": 2, "temporal_depth": 2, "hidden_dim": 64, "dim_in":
    64, "dim_out": 32, "inp": 16, "oup": 16, "dims": (32, 64, 128), "num_layers": 2, "max_len": 32, "d_model": 64,
    "window_size": 4, "num_latents": 8, "latent_dim": 32, "fc_hidden": 32, "local_patch_size": 4, "mult": 2,
    "expansion_factor": 2, "spatial_size": 8, "input_dim": 64, "hidden_size": 64, "vocab_size": 50, "max_num_patches": 64,
    "cls_depth": 2, "depth_multiplier": 1,
}  # fmt: skip


def by_name(module: Any) -> Iterator[Run]:
    """What the file itself runs as a script; else each class that is no part of another one and can be made by the names of its
    parameters, on the first input that fits."""
    own = script(module)
    if own is not None:
        yield own
        return
    kinds = [kind for kind in vars(module).values() if is_network(kind) and kind.__module__ == module.__name__]
    words = {kind: set(re.findall(r"\w+", inspect.getsource(kind))) for kind in kinds}
    parts = {other for kind in kinds for other in kinds if other is not kind and other.__name__ in words[kind]}
    for kind in [kind for kind in kinds if kind not in parts]:
        rows = list(inspect.signature(kind.__init__).parameters.values())[1:]
        wanted = [row for row in rows if row.default is row.empty and row.kind not in (row.VAR_POSITIONAL, row.VAR_KEYWORD)]
        if all(row.name in NUMBERS for row in wanted):
            model: Any = None
            with contextlib.suppress(Exception):
                model = kind(**{row.name: NUMBERS[row.name] for row in wanted})
            if model is not None:
                yield from fitting(model)


def script(module: Any) -> Run | None:
    """The block `if __name__ == "__main__":` of a file that makes a network of its own there: what it calls is what is said."""
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    block = next((node for node in tree.body if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)), None)
    words = {node.id for node in ast.walk(block) if isinstance(node, ast.Name)} if block is not None else set[str]()
    if block is None or not any(is_network(vars(module).get(word)) for word in words):
        return None
    return Script(compile(ast.Module(block.body, []), str(module.__file__), "exec"), module), ()


class Script:
    """The block of a file, called as if it were a network."""

    def __init__(self, code: Any, module: Any) -> None:
        self.code, self.module = code, module

    def eval(self) -> Script:
        return self

    def __call__(self) -> None:
        exec(self.code, vars(self.module))


def fitting(model: Any) -> Iterator[Run]:
    """The first input that the network takes."""
    for given in inputs():
        try:
            with torch.no_grad():
                model(*given)
        except Exception:
            continue
        yield model, given
        return


def inputs() -> Iterator[tuple[Any, ...]]:
    yield (torch.rand(2, 3, 64, 64),)
    yield (torch.rand(2, 1, 28, 28),)
    yield (torch.rand(2, 3, 4, 64, 64),)
    yield (torch.randint(0, 50, (2, 16)),)
    yield (torch.rand(2, 16, 64),)
    yield (torch.rand(2, 17, 64),)
    yield torch.rand(2, 1, 64), torch.rand(2, 16, 64)
    yield (torch.rand(2, 64, 16, 16),)
    yield (torch.rand(2, 16, 16, 16),)
    yield (torch.rand(2, 784),)
    yield (torch.rand(2, 3, 64),)


def is_network(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, nn.Module)


def smallest(names: list[str], make: Any) -> Any:
    """Of some evenly spaced names, the network with the fewest parameters."""
    step = max(1, len(names) // MOST)
    best, count = "", float("inf")
    for name in names[::step][:MOST]:
        with contextlib.suppress(Exception), torch.device("meta"):
            found = sum(parameter.numel() for parameter in make(name).parameters())
            best, count = (name, found) if found < count else (best, count)
    return make(best or names[0])


RECIPES = {function.__name__: function for function in (timm, torchvision, segmentation, x_transformers, mingpt, by_name)}
