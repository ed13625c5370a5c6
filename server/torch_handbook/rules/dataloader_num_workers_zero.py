"""The training process reads and decodes every sample itself.

Why
    num_workers is 0 by default: the loader opens files and decodes images in the process that trains, and each step waits for
    that. A few workers do it meanwhile. Data that lies in memory needs none.

Bad
    from PIL import Image

    class Photos(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return Image.open(f"{index}.jpg").convert("RGB")

    loader = torch.utils.data.DataLoader(Photos(), batch_size=32, shuffle=True)

Good
    from PIL import Image

    class Photos(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return Image.open(f"{index}.jpg").convert("RGB")

    loader = torch.utils.data.DataLoader(Photos(), batch_size=32, shuffle=True, num_workers=4)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.loaders import Loader, loader_of
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("dataloader-num-workers-zero", Severity.INFORMATION, Category.PERFORMANCE, entry="torch.utils.data.DataLoader")

READS = words(
    "PIL.Image.open cv2.imread cv2.imdecode imageio.imread skimage.io.imread torchvision.io.read_image"
    " torchvision.io.decode_image torchvision.io.decode_jpeg torchvision.io.read_video torchaudio.load"
    " librosa.load soundfile.read numpy.load torch.load pandas.read_csv pandas.read_parquet h5py.File nibabel.load time.sleep"
    " torchvision.datasets.folder.default_loader"
)
FOLDERS = words(
    "torchvision.datasets.ImageFolder torchvision.datasets.ImageNet torchvision.datasets.CocoDetection"
    " torchvision.datasets.Food101 torchvision.datasets.Places365"
)


@RULE.on(ast.Call)
def alone(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or loader.given.constant("num_workers", 0) != 0 or not loader.given.complete:
        return
    read = reading(loader, context)
    if read is None or is_looked_at(call, context):
        return
    related = () if read is call else (Related(span_of(read), "a file is read for each sample here"),)
    name = context.text_of(read.func)
    said = f"num_workers is 0, so {name} runs in the training process between the steps: give num_workers, say 4"
    # Where somebody wrote the 0, it may be for a system that cannot start workers here.
    yield Finding.at(call, said, related=related, severity=Severity.HINT if "num_workers" in loader.given.given else None)


def is_looked_at(call: ast.Call, context: Context) -> bool:
    """Whether all that the file does with the loader is to take a batch out of it by hand: `next(iter(loader))`."""
    binding = context.file.parent_of(call)
    target = binding.targets[0] if isinstance(binding, ast.Assign) and len(binding.targets) == 1 else None
    if not isinstance(target, ast.Name):
        return False
    scope = context.file.scope_of(target)
    uses = [name for name in context.callers.names.get(target.id, ()) if context.file.scope_of(name).find(target.id) is scope]
    read = [name for name in uses if isinstance(name.ctx, ast.Load)]
    return bool(read) and all(is_taken(name, context) for name in read)


def is_taken(name: ast.Name, context: Context) -> bool:
    """Whether a name is handed to `iter`, other than in the head of a loop."""
    around = context.file.parent_of(name)
    taken = isinstance(around, ast.Call) and isinstance(around.func, ast.Name) and around.func.id == "iter"
    outer = context.file.parent_of(around) if around is not None else None
    return taken and not (isinstance(outer, (ast.For, ast.AsyncFor, ast.comprehension)) and outer.iter is around)


def reading(loader: Loader, context: Context) -> ast.Call | None:
    """The call that reads a file for each sample."""
    dataset = context.assigned(loader.given.given.get("dataset"))
    if isinstance(dataset, ast.Call) and context.name_of(dataset.func) in FOLDERS:
        return dataset
    methods = loader.methods("__getitem__")
    return read_in(methods[0], context, 3) if methods else None


def read_in(function: ast.AST, context: Context, depth: int) -> ast.Call | None:
    """The same, in a method or in one of the file that it calls."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        if context.name_of(node.func) in READS or is_open(node, context):
            return node
        inner = context.origins.function_of(node) if depth else None
        if inner is not None and inner is not function and (found := read_in(inner, context, depth - 1)) is not None:
            return found
    return None


def is_open(call: ast.Call, context: Context) -> bool:
    plain = isinstance(call.func, ast.Name) and call.func.id == "open"
    return plain and isinstance(call.func, ast.Name) and context.file.scope_of(call.func).find("open") is None
