"""A scaler that is given, and a loss that nothing in the file scales."""


def plain_loss(loss, optimizer, scaler):
    loss.backward()  # expect: amp-loss-not-scaled "call scaler.scale(loss).backward()"
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


def of_another_kind(loss, optimizer, scaler):
    loss.backward()
    scaler.step(optimizer)
