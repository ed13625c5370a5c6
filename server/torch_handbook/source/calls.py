"""What calls give: constructors, functions of torch and of the file, methods, builtins."""

from __future__ import annotations

import ast
from dataclasses import replace

from torch_handbook.source import results
from torch_handbook.source.classes import METHODS, Method
from torch_handbook.source.flow import Flow
from torch_handbook.source.guesses import guess
from torch_handbook.source.meanings import CONTEXTS
from torch_handbook.source.resolve import is_torch
from torch_handbook.source.torch_names import members
from torch_handbook.source.value import LIKELY_TENSOR, MODULE, Value, doubt, element, literal, many, several

CONTAINERS = ("torch.nn.Sequential", "torch.nn.ModuleList")


def of_call(flow: Flow, node: ast.Call) -> Value | None:
    name = flow.names.of(node.func)
    if name:
        written = None if is_torch(name) else flow.of(node.func)
        return call(flow, written, node) if written else of_known_call(flow, name, node)
    if isinstance(node.func, ast.Name) and not flow.names.bindings(node.func) and not flow.names.elsewhere(node.func):
        return of_builtin(flow, node.func.id, node)
    if isinstance(node.func, ast.Attribute):
        owner = flow.of(node.func.value)
        if owner:
            return of_method(flow, owner, node.func.attr, node)
        if (guessed := guess(flow, node.func)) is not None:
            return of_guessed(guessed, node)
    callee = flow.of(node.func)
    return call(flow, callee, node) if callee else None


def of_guessed(name: str, node: ast.Call) -> Value | None:
    """What a method gives of which the names alone tell whose it is: a tensor's, or the parameters of a network."""
    owner, _, member = name.rpartition(".")
    if owner == "torch.Tensor":
        return doubt(results.of_tensor(member, node), False)
    return doubt(results.OF_MODULE.get(member), False) if owner == "torch.nn.Module" else None


def passed_through(flow: Flow, node: ast.Call) -> Value | None:
    """What a part of a network that nothing is known of makes of a tensor: most likely a tensor."""
    given = flow.of(node.args[0]) if node.args else None
    return LIKELY_TENSOR if given and given.kind == "tensor" else None


def may_give_tensor(flow: Flow, function: Method) -> bool:
    """Whether a function whose result is not known may return one tensor: no dict, no tuple, no object that it makes."""
    found = flow.parameters.returns_of(function) or [None]
    heads = [one.func for one in found if isinstance(one, ast.Call)]
    made = [head.id if isinstance(head, ast.Name) else head.attr for head in heads if isinstance(head, (ast.Name, ast.Attribute))]
    simple = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript, ast.IfExp)
    return all(isinstance(one, simple) for one in found) and not any(name[:1].isupper() for name in made)


def of_known_call(flow: Flow, name: str, node: ast.Call) -> Value | None:
    """A call of something imported."""
    if name in results.THROUGH:
        return flow.of(node.args[0]) if node.args else None
    if name in results.REARRANGED:
        alone = flow.parameters.evidence.is_without_numpy(node)
        return results.REARRANGED[name] if alone or passed_through(flow, node) else None
    if not name.startswith("torch."):
        return None
    last = name.rpartition(".")[2]
    if last == "from_pretrained":
        return results.made(name.rpartition(".")[0])
    if not last[0].isupper() or name in results.FUNCTIONS:
        return results.of_function(name, node) or (Value("instance", name) if name in CONTEXTS else None)
    made = results.made(name)
    return replace(made, items=contents(flow, name, node)) if name in CONTAINERS else made


def contents(flow: Flow, name: str, node: ast.Call) -> tuple[Value | None, ...]:
    """The layers that a container is made of; for a comprehension the one that stands for all."""
    if len(node.args) == 1 and isinstance(node.args[0], (ast.ListComp, ast.GeneratorExp)):
        return (flow.of(node.args[0].elt),)
    if len(node.args) == 1 and name == "torch.nn.ModuleList":
        listed = flow.of(node.args[0])
        return listed.items if listed and listed.kind == "sequence" else ()
    if any(isinstance(item, ast.Starred) for item in node.args) or name == "torch.nn.ModuleList":
        return ()
    return tuple(flow.of(item) for item in node.args)


def of_builtin(flow: Flow, name: str, node: ast.Call) -> Value | None:
    arguments = [flow.of(item) for item in node.args]
    first = arguments[0] if arguments else None
    if name == "enumerate":
        return many(several(literal("int"), element(first)))
    if name == "zip":
        return many(several(*map(element, arguments)))
    if name in ("list", "tuple", "sorted", "reversed", "iter"):
        return many(element(first)) if first else None
    if name == "next":
        return element(first)
    if name == "super":
        return of_super(flow, node)
    if name == "range":
        return many(literal("int"))
    if name == "len":
        return literal("int")
    return literal(name) if name in ("int", "float", "str", "bool") else None


def of_super(flow: Flow, node: ast.Call) -> Value | None:
    """What `super()` stands for: an instance of the first base."""
    function = next((around for around in flow.tree.ancestors(node) if isinstance(around, METHODS)), None)
    owner = flow.classes.class_of(function) if function else None
    if owner is None:
        return None
    bases = flow.classes.bases_of(owner)
    for base in bases.written if not bases.torch_first else ():
        home, definition = flow.home_of(base)
        found = flow.brought(home.of_definition(definition), home) if definition else None
        return replace(found, kind="instance") if found else None
    return results.made(bases.torch[0]) if bases.torch else MODULE if flow.classes.torch_bases(owner)[0] else None


def of_method(flow: Flow, owner: Value, name: str, node: ast.Call) -> Value | None:
    """What calling a method of a value gives, or calling what an attribute of it holds."""
    if owner.kind == "tensor":
        return doubt(results.of_tensor(name, node), owner.sure) if name in members("torch.Tensor") else None
    if owner.name == "dict" and owner.items:
        return of_mapping(owner.items[0], name)
    if owner.written:
        if member := flow.member(owner, name):
            home, found = member
            value = flow.brought(home.of_member(found), home)
            held = owner.base == "torch.nn.Module" and all(one.kind == "assign" for one in found)
            return call(flow, value, node) if value else passed_through(flow, node) if held else None
        if name == "apply" and "torch.autograd.Function" in owner.bases:
            return LIKELY_TENSOR
    if owner.kind != "instance":
        return None
    if owner.base == "torch.amp.GradScaler" and name == "scale" and node.args:
        return flow.of(node.args[0])
    held = flow.attribute(owner, name)
    return call(flow, held, node) if held else results.of_instance(owner, name)


def of_mapping(item: Value | None, name: str) -> Value | None:
    """What a method of a dict gives whose values are all like one."""
    if name in ("get", "pop"):
        return item.unsure() if item else None
    return {"values": many(item), "items": many(several(None, item))}.get(name)


def call(flow: Flow, callee: Value, node: ast.Call) -> Value | None:
    """What calling a value gives."""
    if callee.kind == "class":
        return replace(callee, kind="instance") if callee.written else results.made(callee.name, callee.sure)
    home, definition = flow.home_of(callee)
    if isinstance(definition, METHODS):
        return flow.brought(home.returned(definition), home)
    if callee.kind == "function":
        return of_known_call(flow, callee.name, node)
    if callee.kind != "instance":
        return None
    member = flow.member(callee, "forward" if callee.base == "torch.nn.Module" else "__call__")
    if member and isinstance(function := member[1][0].node, METHODS):
        home = member[0]
        result = flow.brought(home.returned(function), home)
        likely = result is None and callee.base == "torch.nn.Module" and may_give_tensor(home, function)
        return passed_through(flow, node) if likely else result
    if callee.base != "torch.nn.Module":
        return None
    given = flow.of(node.args[0]) if node.args else None
    result = results.called(callee)
    if given and result and result.items and given.name == "torch.nn.utils.rnn.PackedSequence":
        return several(given, *result.items[1:])  # recurrent layers give back what they are given
    return result
