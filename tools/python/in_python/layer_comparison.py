"""Layers as `ventral extract` writes them beside those that forward hooks see for the same images."""
import copy
import dataclasses
import json
import os
import subprocess
import tomllib

import h5py
import numpy as np
import torch

from . import script_hooks
from .layer_difference import Differences
from .probe_images import batches_of_files
from .reason import advice_of_types, reason
from .toml_text import write_record


def read_record(path, data):
    """The record with the path of its weights as it is from here."""
    with open(path, "rb") as file:
        record = tomllib.load(file)
    if "weights" not in record:
        raise SystemExit(f"{path}: no network (it has no weights)")
    weights = record["weights"] if isinstance(record["weights"], dict) else {"file": record["weights"]}
    weights["file"] = os.path.abspath(os.path.join(data or os.path.dirname(path), weights["file"]))
    return record | {"weights": weights}


def call(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


class Extraction:
    """The program on the images, in a folder that the caller removes."""

    def __init__(self, ventral, folder, record, images):
        self.ventral, self.folder = ventral, folder
        self.model = os.path.join(folder, "compared.toml")
        write_record(self.model, record, ["preprocessing", "regions"])
        self.images = os.path.join(folder, "images")
        os.mkdir(self.images)
        for i, path in enumerate(images):  # named in their order, which is that of the rows
            os.symlink(path, os.path.join(self.images, f"{i:06d}{os.path.splitext(path)[1]}"))

    def layers(self):
        """Those that have a row for each image and can be written, in the order of their first call."""
        known = json.loads(call([self.ventral, "layers", self.model, "--json"]))
        return [layer["name"] for layer in known if layer["shape"] is not None and "/" not in layer["name"]]

    def run(self, layers):
        """The file of activations."""
        path = os.path.join(self.folder, "activations.h5")
        call([self.ventral, "extract", self.model, "--images", self.images, "--layers", ",".join(layers),
              "--out", path, "--threads", "1"])
        return path


def seen_by_hooks(network, batch, layers):
    try:
        return script_hooks.hooked(network, batch, layers)
    except Exception as error:  # a module may have anything in it
        raise SystemExit(f"the network fails in Python ({reason(error)}){advice_of_types(error)}") from error


def check_repeatable(seen, again):
    differing = [layer for layer in {**seen, **again}
                 if layer not in seen or layer not in again or seen[layer].tobytes() != again[layer].tobytes()]
    if differing:
        raise SystemExit(f"{differing[0]}: Python has other values for the same images the second time, or none (a network that draws "
                         "random numbers, as by dropout that is left on, or that counts its calls), compare it in evaluation")


def seen_in(network, record, images, layers):
    """Those of `layers` of which hooks of the original see a tensor. A traced submodule that gave several has one."""
    _, _, batch = next(batches_of_files(record, images))
    seen = seen_by_hooks(network, batch[:2], layers)
    return [layer for layer in layers if layer in seen]


class InDouble:
    """The network that PyTorch's float32 values are rounded from. A module may have anything in it: one whose code wants
    float32, or that cannot be copied, has no such network, and `layers` gives None."""

    def __init__(self, record, network):
        try:
            self.network = (script_hooks.without_script(record["weights"]["file"], torch.float64) if network is None
                            else copy.deepcopy(network).double())
        except Exception as error:
            self.give_up(error)

    def give_up(self, error):
        print(f"rounding of PyTorch unknown: the network fails in double precision ({reason(error)})")
        self.network = None

    def layers(self, batch, chosen):
        if self.network is None:
            return None
        try:
            return script_hooks.hooked(self.network, batch.astype(np.float64), chosen)
        except Exception as error:
            return self.give_up(error)


@dataclasses.dataclass
class Compared:
    """`ours`: of the program from PyTorch. `rounding`: of PyTorch's float32 from the network in double, if that runs."""
    ours: Differences = dataclasses.field(default_factory=Differences)
    rounding: Differences | None = dataclasses.field(default_factory=Differences)


def compare(record, images, layers, path, network=None):
    """{layer: Compared}. `network`: the original; without it the file's modules as modules of Python."""
    torch.set_num_threads(1)
    in_double = InDouble(record, network)
    if network is None:
        network = script_hooks.without_script(record["weights"]["file"])
    compared = {layer: Compared() for layer in layers}
    with h5py.File(path, "r") as file:
        for first, rows, batch in batches_of_files(record, images):
            seen = seen_by_hooks(network, batch, layers)
            if first == 0:
                check_repeatable(seen, seen_by_hooks(network, batch, layers))
            exact = in_double.layers(batch, layers)
            for layer, each in compared.items():
                if layer not in seen:
                    raise SystemExit(f"{layer}: no hook has seen a tensor (forward of the original does not call it, or "
                                     "gets something else from it)")
                each.ours.add(file[layer]["activations"][first:first + rows].reshape(rows, -1), seen[layer][:rows])
                if exact is None or layer not in exact:
                    each.rounding = None
                elif each.rounding is not None:
                    each.rounding.add(seen[layer][:rows].reshape(rows, -1), exact[layer][:rows])
    return compared
