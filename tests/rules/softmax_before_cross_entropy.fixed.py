import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import CrossEntropyLoss
from torch.nn.functional import cross_entropy as ce, log_softmax, softmax

scores, labels = torch.randn(8, 10), torch.randint(0, 10, (8,))
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

loss = F.cross_entropy(scores, labels)  # expect: softmax-before-cross-entropy "cross_entropy takes the softmax itself: give it the scores, without softmax"
loss = ce(scores, labels)  # expect: softmax-before-cross-entropy
loss = ce(input=scores, target=labels)  # expect: softmax-before-cross-entropy
loss = F.cross_entropy(scores / 2, labels)  # expect: softmax-before-cross-entropy
loss = criterion(scores, labels)  # expect: softmax-before-cross-entropy "CrossEntropyLoss takes"
loss = nn.CrossEntropyLoss()(scores, labels)  # expect: softmax-before-cross-entropy
probs = F.softmax(scores, dim=1)
loss = criterion(probs, labels)  # expect: softmax-before-cross-entropy "but probs has been through softmax already (line 18): give it the scores"
loss = criterion(probs.float().view(-1, 10), labels.view(-1))  # expect: softmax-before-cross-entropy


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 10)
        self.act = nn.Softmax(dim=1)

    def forward(self, x):
        return self.act(self.fc(x))

    def training_step(self, x, y):
        return F.cross_entropy(self(x), y)  # expect: softmax-before-cross-entropy "self(x) has been through softmax already (line 30)"


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 10)

    def forward(self, x):
        logits = self.fc(x)
        return logits, F.softmax(logits, dim=1)


x = torch.randn(8, 4)
net, both = Classifier(), Both()
deep = nn.Sequential(nn.Linear(4, 10), nn.Softmax(dim=1))
loss = criterion(net(x), labels)  # expect: softmax-before-cross-entropy
loss = criterion(deep(x), labels)  # expect: softmax-before-cross-entropy
output = net(x)
loss = criterion(output, labels)  # expect: softmax-before-cross-entropy "output has been"
logits, probabilities = both(x)
loss = criterion(probabilities, labels)  # expect: softmax-before-cross-entropy
loss = criterion(both(x)[1], labels)  # expect: softmax-before-cross-entropy


def step(model, loss_function, batch):
    return loss_function(model(batch), labels)  # expect: softmax-before-cross-entropy


step(Classifier(), CrossEntropyLoss(), x)


def annotated(model: nn.Module, batch: torch.Tensor):
    logits = model(batch)
    return criterion(logits, labels)  # expect: softmax-before-cross-entropy "logits has been through softmax already (line 30)"


annotated(Classifier().to("cpu"), x)


# From here on everything is right.
loss = F.cross_entropy(scores, labels)
loss = F.cross_entropy(log_softmax(scores, dim=1), labels)
loss = F.cross_entropy(F.log_softmax(scores, dim=1), labels)  # expect: log-of-softmax
loss = F.cross_entropy(F.log_softmax(scores, dim=1), labels)  # expect: log-of-softmax
loss = F.cross_entropy(scores, F.softmax(scores, dim=1))
loss = F.cross_entropy(input=scores, target=scores.softmax(1))
loss = F.nll_loss(log_softmax(scores, 1), labels)
loss = criterion(logits, labels)
loss = criterion(both(x)[0], labels)
loss = F.mse_loss(F.softmax(scores, 1), F.one_hot(labels, 10).float())
accuracy = (net(x).argmax(1) == labels).float().mean()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)
        self.out = nn.Linear(4, 10)

    def forward(self, x):
        weights = self.softmax(x @ x.transpose(-2, -1) / math.sqrt(x.shape[-1]))
        return self.out(weights @ x)


class OnlyInEval(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 10)

    def forward(self, x):
        x = self.fc(x)
        if not self.training:
            x = F.softmax(x, dim=1)
        return x


class LogSoftmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 10)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, x):
        return self.softmax(self.fc(x))


class Predicts(Classifier):
    def forward(self, x):
        return self.fc(x)

    def predict(self, x):
        return self.act(self(x))


for network in (Attention(), OnlyInEval(), LogSoftmax(), Predicts()):
    loss = criterion(network(x), labels)
attention, sometimes, logs, predicts = Attention(), OnlyInEval(), LogSoftmax(), Predicts()
loss = criterion(attention(x), labels)
loss = criterion(sometimes(x), labels)
loss = criterion(logs(x), labels)
loss = criterion(predicts(x), labels)
chosen = F.softmax(scores, 1) if math.pi > 3 else scores
loss = criterion(chosen, labels)


def other_step(model, batch, cross_entropy):
    return cross_entropy(F.softmax(model(batch), dim=1), labels)


def either(model, batch):
    return F.cross_entropy(model(batch), labels)


either(Classifier(), x)
either(Predicts(), x)


def annotated_right(model: nn.Module, batch: torch.Tensor):
    return F.cross_entropy(model(batch), labels)


annotated_right(Predicts(), x)
