"""Extraction as users of PyTorch write it; a process of its own: `timed_extraction REQUEST.json` prints seconds.

Images one after another by PIL and torchvision, the default layout and allocator, hooks where the network is a
torchvision one and its state is given, else clones in the TorchScript graph (see extraction.py). On the GPU if the
model's record says device = "cuda", in float32 as the program.
"""
import json
import sys
import time

import numpy as np
import torch
from PIL import Image

from . import extraction

COMPARED_ROWS = 16  # with those of the program


def eager_network(name, state_file, layers, device):
    """A torchvision network with hooks, as a function of a batch that returns {layer: activations}."""
    import torchvision
    network = getattr(torchvision.models, name)()
    network.load_state_dict(torch.load(state_file, map_location="cpu"))
    network.eval().to(device)
    recorded = {}
    modules = dict(network.named_modules())
    for layer in layers:
        modules[layer].register_forward_hook(
            lambda module, inputs, output, layer=layer: recorded.update({layer: output.clone()}))

    def record(batch):
        network(batch)
        return dict(recorded)
    return record


def run(request):
    torch.set_num_threads(request["threads"])
    torch.backends.cudnn.allow_tf32 = False
    device = "cuda" if request["model"].get("device") == "cuda" else "cpu"
    start = time.perf_counter()
    if request["state"]:
        network = eager_network(request["model"]["identifier"], request["state"], request["layers"], device)
    else:
        network = extraction.recording_network(request["weights"], request["layers"], device)
    transform = extraction.preprocessing(request["model"])
    loaded = time.perf_counter()
    batches = {layer: [] for layer in request["layers"]}
    with torch.no_grad():
        for first in range(0, len(request["images"]), request["batch"]):
            batch = torch.stack([transform(Image.open(path).convert("RGB"))
                                 for path in request["images"][first:first + request["batch"]]])
            for layer, values in network(batch.to(device)).items():
                batches[layer].append(values.flatten(1).cpu().numpy())
    features = {layer: np.concatenate(batches.pop(layer)) for layer in request["layers"]}
    seconds = {"load": loaded - start, "extract": time.perf_counter() - loaded}
    np.save(request["sample"], np.hstack([features[layer][:COMPARED_ROWS] for layer in request["layers"]]))
    return seconds


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(json.dumps(run(json.load(file))))
