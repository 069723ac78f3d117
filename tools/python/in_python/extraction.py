"""Activations of TorchScript networks from Python, with PIL and torchvision.

A ScriptModule refuses `register_forward_hook` (torch 1.13), so the wanted values become further
outputs of the network's graph: a clone is put after the call of each wanted layer, the calls are
inlined, and the clones are returned. Bits and speed are those of the eager network with hooks.
"""
import csv
import functools
import os

import numpy as np
import torch
from PIL import Image
from torchvision import transforms


def mark_layer(network, layer):
    """A clone of the layer's output, named after it, behind its call in its parent's graph."""
    *parents, child = layer.split(".")
    owner = functools.reduce(getattr, parents, network)
    for call in list(owner.graph.nodes()):
        callee = next(iter(call.inputs())).node() if call.kind() == "prim::CallMethod" else None
        if callee is None or callee.kind() != "prim::GetAttr" or callee.s("name") != child:
            continue
        none = owner.graph.create("prim::Constant")
        none.output().setType(torch._C.NoneType.get())
        none.insertAfter(call)
        clone = owner.graph.create("aten::clone", [call.output(), none.output()])
        clone.insertAfter(none)
        clone.s_("layer", layer)


def forbid_tf32(graph):
    """A trace allows it in each of its convolutions, whatever torch.backends say."""
    for call in graph.findAllNodes("aten::_convolution"):
        forbidden = graph.insertConstant(False)
        forbidden.node().moveBefore(call)
        call.replaceInput(len(list(call.inputs())) - 1, forbidden)


def recording_network(path, layers, device="cpu"):
    """A function of a batch that returns {layer: activations}; the whole network is run."""
    network = torch.jit.load(path, map_location=device).eval()
    for layer in layers:
        mark_layer(network, layer)
    graph = network.graph.copy()
    torch._C._jit_pass_inline(graph)
    forbid_tf32(graph)
    marked = [node for node in graph.nodes() if node.kind() == "aten::clone" and node.hasAttribute("layer")]
    names = [node.s("layer") for node in marked]
    if sorted(names) != sorted(layers):
        raise SystemExit(f"{path}: layers that are not called exactly once (asked {layers}, found {names})")
    for node in marked:
        graph.registerOutput(node.output())
    graph.makeMultiOutputIntoTuple()
    function = torch._C._create_function_from_graph("forward", graph)
    return lambda batch: dict(zip(names, function(network._c, batch)[1:]))


def preprocessing(record):
    steps = record["preprocessing"]
    if steps.get("backend", "pil") != "pil":
        raise SystemExit(f"{record['identifier']}: only preprocessing by PIL is written here")
    how = transforms.InterpolationMode(steps.get("interpolation", "bilinear"))
    chain = [transforms.Resize(steps["resize"], how)] if "resize" in steps else []
    chain += [transforms.CenterCrop(steps["crop"])] if "crop" in steps else []
    return transforms.Compose([*chain, transforms.ToTensor(),
                               transforms.Normalize(steps.get("mean", [0, 0, 0]), steps.get("std", [1, 1, 1]))])


def stimulus_paths(run, dataset):
    """Paths by stimulus id. The reference's placement on the screen is left out: equal degrees only."""
    stimuli = run.datasets[dataset]["stimuli"]
    folder = run.path(stimuli["folder"], run.datasets[dataset])
    with open(run.path(stimuli["csv"], run.datasets[dataset]), newline="") as file:
        return {row["stimulus_id"]: os.path.join(folder, row["filename"]) for row in csv.DictReader(file)}


def extract(run, model, dataset, batch_size):
    """{layer: stimulus × features, float32} of a model's layers, and the stimulus ids of the rows."""
    record = run.models[model]
    if record["visual_degrees"] != run.datasets[dataset]["stimuli"]["visual_degrees"]:
        raise SystemExit(f"{model}, {dataset}: different visual degrees are not supported here")
    layers = sorted({layer for layers in run.layer_sets(model) for layer in layers})
    network = recording_network(run.path(record["weights"]["file"], record), layers)
    transform = preprocessing(record)
    paths = stimulus_paths(run, dataset)
    batches = {layer: [] for layer in layers}
    files = list(paths.values())
    with torch.no_grad():
        for first in range(0, len(files), batch_size):
            batch = torch.stack([transform(Image.open(path).convert("RGB"))
                                 for path in files[first:first + batch_size]])
            for layer, values in network(batch).items():
                batches[layer].append(values.flatten(1).numpy())
    return {layer: np.concatenate(batches.pop(layer)) for layer in layers}, list(paths)
