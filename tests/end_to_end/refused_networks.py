"""Networks that tools/export_model cannot export, each for a reason of its own."""
import torch
import torchvision
from torch import nn


class Reserved(nn.Module):
    """A submodule's name is a word of TorchScript."""

    def __init__(self):
        super().__init__()
        self.add_module("class", nn.Conv2d(3, 4, 5, stride=4))

    def forward(self, x):
        return self._modules["class"](x).mean((2, 3))


class Halving(nn.Module):
    """Asks for half precision of what is shown to it, not of its weights."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        return self.conv(x.half())


class Deforming(nn.Module):
    """Has an operator of torchvision."""

    def __init__(self):
        super().__init__()
        self.offsets = nn.Conv2d(3, 18, 3, stride=4)
        self.conv = torchvision.ops.DeformConv2d(3, 4, 3, stride=4)

    def forward(self, x):
        return self.conv(x, self.offsets(x))


class Comparing(nn.Module):
    """Takes two images."""

    def forward(self, x, y):
        return x - y


class Adapting(nn.Module):
    """Dark images go another way than those that it is traced with."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        return self.conv(4 * x if x.mean() < -1 else x).mean((2, 3))


class Reusing(nn.Module):
    """A submodule with two names."""

    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 5, stride=4), self.relu)

    def forward(self, x):
        return self.body(self.relu(x)).mean((2, 3))


def grey():
    return nn.Conv2d(1, 4, 5, stride=4)
