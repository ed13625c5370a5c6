"""What a function does with a scaler that it is given."""

from torch import nn


def clipped_too_early(net, loss, optimizer, scaler):
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: amp-clip-scaled-grads "call scaler.unscale_(optimizer) before"
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


def in_order(net, loss, optimizer, scaler):
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()


def some_other(net, loss, optimizer, scaler):
    """A wrapper with a backward of its own."""
    scaler.backward(loss)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()


def handed_on(net, loss, optimizer, scaler, finish):
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    finish(scaler)
