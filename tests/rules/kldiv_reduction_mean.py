import torch
import torch.nn as nn
import torch.nn.functional as F

student, teacher = torch.randn(8, 100), torch.randn(8, 100)
log_p, q = F.log_softmax(student, dim=1), F.softmax(teacher, dim=1)
loss = F.kl_div(log_p, q)  # expect: kldiv-reduction-mean "kl_div averages over every element, not over the samples"
loss = F.kl_div(log_p, q, reduction="mean")  # expect: kldiv-reduction-mean
criterion = nn.KLDivLoss()  # expect: kldiv-reduction-mean "KLDivLoss averages over every element"
criterion = nn.KLDivLoss(log_target=True)  # expect: kldiv-reduction-mean
criterion = nn.KLDivLoss(reduction="mean")  # expect: kldiv-reduction-mean
loss = torch.nn.functional.kl_div(log_p, log_p.detach(), log_target=True)  # expect: kldiv-reduction-mean

# From here on everything is right.
loss = F.kl_div(log_p, q, reduction="batchmean")
loss = F.kl_div(log_p, q, reduction="none").sum(1).mean()
loss = F.kl_div(log_p, q, reduction="sum") / len(log_p)
criterion = nn.KLDivLoss(reduction="batchmean")
options = {"reduction": "batchmean"}
criterion = nn.KLDivLoss(**options)
kind = "sum" if student.requires_grad else "batchmean"
criterion = nn.KLDivLoss(reduction=kind)
loss = F.mse_loss(student, teacher)


def make(**given):
    return nn.KLDivLoss(**given)
