"""How far a network's layers in channels_last, the faster memory layout, are from those in PyTorch's default one."""
import numpy as np
import torch

from . import script_hooks
from .layer_difference import Differences


def to_channels_last(network):
    weights = network.scripted if isinstance(network, script_hooks.FromScript) else network
    weights.to(memory_format=torch.channels_last)


def differences(network, layers, batches):
    """{layer: Differences} for those of numbers, on one thread as in the program. The network stays in channels_last:
    the way back would leave weights of 1 x 1 pixels there. RuntimeError if it cannot be run so."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    batches = list(batches)
    usual = [script_hooks.hooked(network, batch, layers) for _, _, batch in batches]
    to_channels_last(network)
    found = {layer: Differences() for layer in layers if layer in usual[0] and usual[0][layer].dtype.kind == "f"}
    for (_, rows, batch), expected in zip(batches, usual):
        seen = script_hooks.hooked(network, batch, layers, torch.channels_last)
        for layer, each in found.items():
            each.add(np.ascontiguousarray(seen[layer][:rows]).reshape(rows, -1), expected[layer][:rows])
    torch.set_num_threads(threads)
    return found


def farthest(found):
    """(layer, largest relative difference); of no layer ("", 0)."""
    return max(((layer, each.relative()) for layer, each in found.items()), key=lambda pair: pair[1], default=("", 0.0))
