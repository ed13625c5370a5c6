import torch

x, y, z, lr = torch.zeros(3), torch.ones(3), torch.ones(3), 0.1
weights = [torch.zeros(3, requires_grad=True)]

x.add_(2, y)  # expect: deprecated-overload "add_ with the factor in front is deprecated: write add_(y, alpha=2)"
x.add_(-lr, y * 2)  # expect: deprecated-overload
x.sub_(lr, y)  # expect: deprecated-overload
x.addcmul_(1 - lr, y, z)  # expect: deprecated-overload "addcmul_(y, z, value=1 - lr)"
x.addcdiv_(-lr, y, z)  # expect: deprecated-overload
total = torch.add(x, 2, y)  # expect: deprecated-overload
total = torch.addcmul(x, 2, y, z)  # expect: deprecated-overload
for weight in weights:
    weight.data.add_(-lr, weight.grad)  # expect: deprecated-overload
    weight.data.addcmul_(-lr, y, z)  # expect: deprecated-overload

# From here on everything is right.
x.add_(y, alpha=2)
x.addcmul_(y, z, value=2)
x.addcmul_(y, z)
total = torch.add(x, y, alpha=2)
total = torch.addcmul(x, y, z, value=2)


class Log:
    def add_(self, level, text):
        return level, text

    def add(self, level, text):
        return level, text


Log().add_(1, "text")
Log().add(1, "text")
