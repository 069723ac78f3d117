"""Networks that TorchScript prints operators on lists, dicts and texts of; tools/export_model imports this file."""
from typing import Dict, List

import torch
from torch import nn
from torch.nn import functional


class Containers(nn.Module):
    """Where Python says it otherwise than torch.ops takes it."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2)
        self.act = nn.ReLU()

    def forward(self, x):
        y = self.act(self.stem(x))
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
        return torch.cat(kept, 1) * torch.tensor(y.shape[1:]).sum() / torch.tensor([2.0, 3.0]).sum()


def containers():
    torch.manual_seed(0)
    return Containers()
