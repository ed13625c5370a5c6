"""What the uses of a name say about what it is, where nothing else does."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property

from torch_handbook.source.resolve import Names
from torch_handbook.source.torch_names import members, returns, words
from torch_handbook.source.tree import Tree

# Methods that, among what people call such things on, tensors alone have.
TENSOR_ONLY = words(
    "backward unsqueeze detach permute masked_fill masked_select index_select index_add scatter_add contiguous expand_as view_as"
    " new_zeros new_ones new_tensor new_empty new_full log_softmax bmm baddbmm addmm narrow repeat_interleave is_contiguous"
    " data_ptr type_as numel retain_grad grad_fn is_leaf requires_grad logsumexp element_size index_fill masked_scatter unflatten"
    " long clamp clamp_min clamp_max rsqrt is_floating_point"
)
# What tensors share with other arrays, but not with what else a network's methods are given.
ARRAY_LIKE = words(
    "shape view reshape transpose flatten squeeze size dim ndim mean sum softmax sigmoid matmul chunk to_dense argmax"
)
# Methods of arrays, which nothing else has that is likely to be there.
ARRAYS = frozenset({"numpy", "cupy", "jax", "pandas", "tensorflow", "PIL"})  # packages that have such, too
SHORT = frozenset({"np", "cp", "jnp", "pd", "tf", "xp"})
ARRAYS_ONLY = words("view reshape transpose flatten squeeze chunk softmax matmul argmax")


@dataclass(eq=False)
class Evidence:
    """The uses of the names in one tree's functions."""

    tree: Tree
    names: Names
    alone: dict[ast.AST, bool] = field(default_factory=dict[ast.AST, bool])
    uses: dict[ast.AST, dict[str, list[ast.Name]]] = field(default_factory=dict[ast.AST, "dict[str, list[ast.Name]]"])

    @cached_property
    def without_numpy(self) -> bool:
        """Whether the file has torch's arrays only."""
        return "torch" in self.packages and not self.packages & ARRAYS

    @cached_property
    def packages(self) -> frozenset[str]:
        bindings = [binding for found in self.tree.module.bindings.values() for binding in found]
        return frozenset((binding.imported or "").split(".")[0] for binding in bindings)

    def is_without_numpy(self, node: ast.AST) -> bool:
        """Whether the function around a node has torch's arrays only, as far as its own words tell."""
        if self.without_numpy or "torch" not in self.packages:
            return self.without_numpy
        around = (one for one in self.tree.ancestors(node) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))
        function = next(around, None)
        return function is not None and self.speaks_of_torch_alone(function)

    def speaks_of_torch_alone(self, function: ast.AST) -> bool:
        """Whether a function names no package with other arrays."""
        if function not in self.alone:
            names = [self.names.of(node) or node.id for node in self.tree.index.inside(function, ast.Name)]
            self.alone[function] = not any(name.split(".")[0] in ARRAYS | SHORT for name in names)
        return self.alone[function]

    def uses_of(self, function: ast.AST, name: str) -> list[ast.Name]:
        """Where a function, those nested in it included, speaks of a name."""
        if function not in self.uses:
            found: dict[str, list[ast.Name]] = {}
            for node in self.tree.index.inside(function, ast.Name):
                found.setdefault(node.id, []).append(node)
            self.uses[function] = found
        return self.uses[function].get(name, [])

    def may_be_tensor(self, function: ast.AST, name: str) -> bool:
        """Whether nothing speaks against it: a key, a call, or a member that no tensor has."""
        return all(map(self.fits, self.uses_of(function, name)))

    def fits(self, node: ast.Name) -> bool:
        parent = self.tree.parents.get(node)
        if isinstance(parent, ast.Attribute):
            return parent.attr in members("torch.Tensor")
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return not (isinstance(parent.slice, ast.Constant) and isinstance(parent.slice.value, str))
        if isinstance(parent, ast.Call) and parent.func is node:
            return False
        return not isinstance(parent, (ast.Starred, ast.BoolOp)) and not (isinstance(parent, ast.keyword) and parent.arg is None)

    def speaks_for_tensor(self, function: ast.AST, name: str, in_network: bool) -> bool:
        """Whether some use shows a tensor: a method that only tensors have, or being given to a function of torch."""
        return any(self.shows(node, in_network) for node in self.uses_of(function, name))

    def moves_axes(self, function: ast.AST, name: str) -> bool:
        """Whether some use calls what only arrays have, and so, in a file without other arrays, only tensors."""
        parents = [self.tree.parents.get(node) for node in self.uses_of(function, name)]
        found = [one for one in parents if isinstance(one, ast.Attribute) and one.attr in TENSOR_ONLY | ARRAYS_ONLY]
        return any(isinstance(around := self.tree.parents.get(one), ast.Call) and around.func is one for one in found)

    def shows(self, node: ast.Name, in_network: bool) -> bool:
        parent = self.tree.parents.get(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            parent = self.tree.parents.get(parent)
        if isinstance(parent, ast.Attribute) and parent.attr in members("torch.Tensor"):
            around = self.tree.parents.get(parent)
            used = parent.attr in ("shape", "ndim") or (isinstance(around, ast.Call) and around.func is parent)
            like = used and in_network and parent.attr in ARRAY_LIKE
            return like or parent.attr in TENSOR_ONLY or parent.attr.endswith("_")
        if isinstance(parent, ast.Call) and parent.args and parent.args[0] is node:
            owner, _, last = (self.names.of(parent.func) or "").rpartition(".")
            return owner == "torch.nn.functional" and returns(owner).get(last) == "tensor"
        return False
