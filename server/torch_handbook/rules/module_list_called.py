"""A ModuleList or ModuleDict is called like a layer.

Why
    Both only hold modules, and have no forward: the call raises NotImplementedError. Go through the list in forward, or make it
    an nn.Sequential, which runs one module after the other.

Bad
    layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
    y = layers(torch.ones(2, 4))

Good
    layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
    y = torch.ones(2, 4)
    for layer in layers:
        y = layer(y)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("module-list-called", Severity.ERROR, Category.MODULE, entry="torch.nn.ModuleList")
HOLDERS = {
    "torch.nn.ModuleList": "go through its modules, or make it an nn.Sequential",
    "torch.nn.ModuleDict": "call one of them",
}


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, (ast.Name, ast.Attribute)) or context.name_of(call.func) is not None:
        return
    value = context.value_of(call.func)
    if value is not None and value.kind == "instance" and value.sure and not value.written and value.name in HOLDERS:
        short = value.name.rpartition(".")[2]
        yield Finding.at(call, f"{context.text_of(call.func)} is a {short}, which has no forward: {HOLDERS[value.name]}")
