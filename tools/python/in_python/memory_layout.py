"""How far a network's layers in channels_last, the faster memory layout, are from those in PyTorch's own one."""
import copy

import numpy as np
import torch

from . import script_hooks
from .layer_difference import Differences


def in_channels_last(network):
    """A copy. The layout of weights cannot be changed to and fro: those of 1 x 1 pixels would stay as they are."""
    if isinstance(network, script_hooks.FromScript):
        other = script_hooks.FromScript(copy.deepcopy(network.scripted), network.code, like=network)
        put_in_channels_last(other.scripted)
        return other
    other = copy.deepcopy(network)
    put_in_channels_last(other)
    return other


def put_in_channels_last(network):
    """As the program does: what has four dimensions (of a module `to` fails where weights of videos have five), and, unlike
    `contiguous`, also of 1 x 1 convolutions."""
    for weight in [*network.parameters(), *network.buffers()]:
        if weight.dim() == 4:
            weight.data = weight.data.to(memory_format=torch.channels_last)


class FailsInChannelsLast(Exception):
    """The network cannot be run so; says why."""


def hooked_in_channels_last(network, batch, layers):
    try:
        return script_hooks.hooked(network, batch, layers, torch.channels_last)
    except Exception as error:  # a module may have anything in it
        raise FailsInChannelsLast(str(error) or type(error).__name__) from error


def differences(network, other, layers, batches):
    """{layer: Differences} for the layers of numbers, on one thread as in the program. `other`: the network in
    channels_last. FailsInChannelsLast if it cannot be run so."""
    threads, found = torch.get_num_threads(), {}
    torch.set_num_threads(1)
    try:
        for _, rows, batch in batches:
            usual = script_hooks.hooked(network, batch, layers)
            seen = hooked_in_channels_last(other, batch, layers)
            for layer, expected in usual.items():
                if expected.dtype.kind == "f":
                    ours = np.ascontiguousarray(seen[layer][:rows]).reshape(rows, -1)
                    found.setdefault(layer, Differences()).add(ours, expected[:rows])
    finally:
        torch.set_num_threads(threads)
    return found


def farthest(found):
    """(layer, largest relative difference); of no layer (None, 0)."""
    return max(((layer, each.relative()) for layer, each in found.items()), key=lambda pair: pair[1], default=(None, 0.0))
