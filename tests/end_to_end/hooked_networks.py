"""Networks of which hooks in Python could see something else than their file has; tools/export_model imports this file."""
from collections import OrderedDict
from typing import Dict, List

import torch
from torch import nn
from torch.nn import functional

from seeded import maker, seeded


class Containers(nn.Module):
    """Where Python says it otherwise than torch.ops takes it."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2)
        self.act = nn.ReLU()
        self.mixers = nn.ModuleList([nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1)])

    def forward(self, x):
        y = self.act(self.stem(x))
        for i, mixer in enumerate(self.mixers):
            if i < len(self.mixers) - 1:
                y = mixer(y)
        y = functional.interpolate(y, x.shape[2:])
        sizes = list(y.shape)
        sizes[1] = 1
        parts: Dict[str, torch.Tensor] = {"mean": y.mean(1).reshape(sizes), "scaled": y * 2}
        kept: List[torch.Tensor] = []
        for name, part in parts.items():
            if name[:2] == "sc":
                kept.append(part)
        kept.extend(list(parts.values()))
        del kept[0]
        last = OrderedDict([("last", kept[-1])])
        return torch.cat(kept, 1) * last["last"].mean() * torch.tensor(y.shape[1:]).sum() / torch.tensor([2.0, 3.0]).sum()


class Waves(nn.Module):
    """With complex weights, which are no matter of precision."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2)
        self.filter = nn.Parameter(torch.randn(4, 1, 1, dtype=torch.complex64))
        self.act = nn.ReLU()

    def forward(self, x):
        waves = torch.fft.rfft2(self.stem(x)) * self.filter
        return self.act(torch.fft.irfft2(waves)).mean((2, 3))


class Doubled(nn.Module):
    """A part computes in double precision."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2)
        self.exact = nn.Linear(4, 4).double()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.exact(self.stem(x).mean((2, 3)).double()).float())


class Lesioned(nn.Module):
    """A forward hook changes what a layer gives."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2)
        self.act = nn.ReLU()
        self.head = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        whole = self.stem.forward(x)  # which runs no hooks
        return self.head(self.act(self.stem(x))) + whole.mean()


def without_a_channel(module, inputs, output):
    return output * torch.tensor([1.0, 0.0, 1.0, 1.0]).reshape(4, 1, 1)


def lesioned():
    network = seeded(Lesioned)
    network.stem.register_forward_hook(without_a_channel)
    return network


containers = maker(Containers)
waves = maker(Waves)
doubled = maker(Doubled)
