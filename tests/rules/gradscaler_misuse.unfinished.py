"""A scaler that is given, of which nothing in the file calls the rest."""

from torch import nn


def never_updated(loss, optimizer, scaler):
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # expect: amp-missing-update "scaler.update() is never called"


def never_unscaled(net, loss, optimizer, scaler):
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: amp-clip-scaled-grads
    scaler.step(optimizer)  # expect: amp-missing-update


def standard(values, scaler):
    """Not one of gradients."""
    scaler.scale(values)
    scaler.step(values)
