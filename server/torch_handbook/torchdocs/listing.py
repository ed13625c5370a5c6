"""The public names of torch's modules and classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.torchdocs.library import Library
from torch_handbook.torchdocs.sources import Definition, Source
from torch_handbook.torchdocs.syntax import registered_in_constructor, set_in_constructor


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


MODULES = words(
    "torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrize"
    " torch.nn.utils.parametrizations torch.nn.utils.prune torch.nn.utils.stateless torch.nn.parallel torch.nn.attention"
    " torch.nn.attention.flex_attention torch.nn.parameter torch.optim torch.optim.lr_scheduler torch.optim.swa_utils"
    " torch.utils torch.utils.data torch.utils.data.distributed torch.utils.checkpoint torch.utils.tensorboard"
    " torch.utils.benchmark torch.utils.dlpack torch.utils.cpp_extension torch.autograd torch.autograd.functional"
    " torch.autograd.graph torch.autograd.profiler torch.autograd.forward_ad torch.amp torch.cuda torch.cuda.amp"
    " torch.cuda.memory torch.backends torch.backends.cudnn torch.backends.cuda torch.backends.mps torch.backends.mkl"
    " torch.linalg torch.fft torch.special torch.distributions torch.distributions.constraints"
    " torch.distributions.transforms torch.distributions.kl torch.distributed torch.distributed.fsdp"
    " torch.distributed.tensor torch.distributed.checkpoint torch.distributed.device_mesh torch.distributed.tensor.parallel"
    " torch.sparse torch.nested torch.masked torch.signal.windows torch.func torch.jit torch.onnx torch.export torch.fx"
    " torch.hub torch.profiler torch.testing torch.random torch.overrides torch.package torch.multiprocessing torch.library"
    " torch.compiler torch.mps torch.xpu torch.cpu torch.accelerator torch.futures torch.monitor torch.serialization"
    " torch.return_types torch.types torch.ao.quantization torch.ao.nn.quantized torch.version"
)
CLASSES = words(
    "torch.Tensor torch.nn.Module torch.optim.Optimizer torch.optim.lr_scheduler.LRScheduler torch.utils.data.DataLoader"
    " torch.utils.data.Dataset torch.amp.GradScaler torch.amp.autocast torch.nn.Parameter torch.Generator torch.device"
    " torch.dtype torch.Size torch.distributions.Distribution torch.autograd.Function torch.autograd.function.FunctionCtx"
    " torch.cuda.Event torch.cuda.Stream torch.cuda.CUDAGraph torch.nn.ModuleList torch.nn.ModuleDict torch.nn.ParameterList"
    " torch.nn.ParameterDict torch.nn.Sequential torch.profiler.profile torch.utils.tensorboard.SummaryWriter torch.fx.Graph"
    " torch.fx.Node torch.nn.MultiheadAttention torch.nn.Embedding torch.nn.utils.rnn.PackedSequence"
    " torch.export.ExportedProgram torch.utils.data.Sampler torch.UntypedStorage torch.TypedStorage"
    " torch.distributed.ReduceOp torch.distributed.ProcessGroup torch.distributed.Work torch.distributed.DeviceMesh"
    " torch.distributed.fsdp.FullyShardedDataParallel torch.fx.Interpreter"
)
OWNERS = (*MODULES, *CLASSES)
HIDDEN = frozenset(("annotations", "overload", "TYPE_CHECKING", "Any", "Optional", "Union"))


def members(library: Library, name: str) -> list[str]:
    """The public names below a module or class; empty for anything else."""
    definition = library.find(name)
    if definition is None:
        return []
    if definition.kind == "module":
        return sorted(set(of_module(library, definition.module)) | set(submodules(library, definition.module)))
    return sorted({*of_class(library, definition), *attributes(library, definition)}) if definition.kind == "class" else []


def everything(library: Library) -> Iterator[str]:
    """Every public name of the modules and classes that are listed here; of a class only what it adds to its bases."""
    for owner in MODULES:
        yield owner
        yield from (f"{owner}.{name}" for name in members(library, owner))
    for owner in CLASSES:
        definition = library.find(owner)
        if definition and definition.kind == "class":
            names = of_class(library, definition) if owner == "torch.Tensor" else library.own_members(definition)
            yield owner
            yield from (f"{owner}.{name}" for name in sorted(set(names)) if not name.startswith("_"))


def of_module(library: Library, module: str, depth: int = 0) -> Iterator[str]:
    source = library.source(module)
    if source is None or depth > 4:
        return
    names = source.exported if source.exported is not None and module != "torch" else own_names(source)
    yield from (name for name in names if not name.startswith("_"))
    for star in source.stars:
        if source.exported is None or module == "torch":
            yield from of_module(library, star, depth + 1)
    if module == "torch":
        yield from (name for name in source.exported or [] if not name.startswith("_"))
        yield from of_module(library, "torch._C._VariableFunctions", depth + 1)


def own_names(source: Source) -> Iterator[str]:
    """The names of a module without `__all__`: what it defines, and in a package what it takes from modules below it."""
    package = source.path.stem == "__init__"
    yield from source.texts
    for name, definition in source.names.items():
        inside = (definition.target or "").startswith(f"{source.package}.") if package else False
        stub = source.path.suffix == ".pyi"
        if (
            name in HIDDEN
            or (definition.kind == "import" and not inside)
            or (definition.kind == "value" and not stub and not package)
        ):
            continue
        yield name


def submodules(library: Library, module: str) -> Iterator[str]:
    """The public modules below a package."""
    path = library.path_of(module)
    if path is None or path.stem != "__init__":
        return
    for child in path.parent.iterdir():
        stem = child.stem
        if not stem.isidentifier() or stem.startswith("_"):
            continue
        if (child.is_dir() and (child / "__init__.py").is_file()) or child.suffix == ".py":
            yield stem


def of_class(library: Library, definition: Definition) -> Iterator[str]:
    """The public members of a class and of those that it derives from."""
    for here in library.lineage(definition):
        yield from (name for name in library.own_members(here) if not name.startswith("_"))


def attributes(library: Library, definition: Definition) -> Iterator[str]:
    """What the constructors of a class and of its bases put on `self`: `bias`, `running_mean`, `param_groups`."""
    for here in library.lineage(definition):
        node = here.nodes[-1]
        if isinstance(node, ast.ClassDef):
            names = (name for name, _ in set_in_constructor(node))
            yield from (name for name in (*names, *registered_in_constructor(node)) if not name.startswith("_"))
