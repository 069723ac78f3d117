"""Layers as `ventral extract` writes them beside those that forward hooks see for the same images."""
import json
import os
import subprocess
import tomllib

import h5py
import numpy as np
import torch
from PIL import Image

from . import extraction, script_hooks
from .toml_text import record_text


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
        with open(self.model, "w", encoding="utf-8") as file:
            file.write(record_text(record, ["preprocessing", "regions"]))
        self.images = os.path.join(folder, "images")
        os.mkdir(self.images)
        for i, path in enumerate(images):  # named in their order, which is that of the rows
            os.symlink(path, os.path.join(self.images, f"{i:06d}{os.path.splitext(path)[1]}"))

    def layers(self):
        """Those that have a row for each image, in the order of their first call."""
        known = json.loads(call([self.ventral, "layers", self.model, "--json"]))
        return [layer["name"] for layer in known if layer["shape"] is not None]

    def run(self, layers):
        """The file of activations."""
        path = os.path.join(self.folder, "activations.h5")
        call([self.ventral, "extract", self.model, "--images", self.images, "--layers", ",".join(layers),
              "--out", path, "--threads", "1"])
        return path


class Differences:
    """Of one layer over all batches."""

    def __init__(self):
        self.largest, self.scale, self.same = 0.0, 0.0, True

    def add(self, ours, theirs):
        theirs = theirs.reshape(len(theirs), -1)
        self.same = self.same and ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes()
        if ours.shape != theirs.shape or (np.isnan(ours) != np.isnan(theirs)).any():
            self.largest = np.inf
            return
        finite = np.isfinite(theirs)
        if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
            self.largest = np.inf
        self.largest = max(self.largest, np.abs(ours - theirs, where=finite, out=np.zeros_like(ours)).max(initial=0))
        self.scale = max(self.scale, np.abs(theirs[finite]).max(initial=0))

    def relative(self):
        return self.largest / self.scale if self.scale else float(self.largest)


def batches(record, images):
    """(first row, rows, batch): as long as the record says, the last one filled up with its last image."""
    transform, size = extraction.preprocessing(record), record.get("batch_size", 16)
    for first in range(0, len(images), size):
        paths = images[first:first + size]
        loaded = [transform(Image.open(path).convert("RGB")) for path in paths]
        loaded += [loaded[-1]] * (size - len(loaded))
        yield first, len(paths), torch.stack(loaded).numpy()


def compare(record, images, layers, path, network=None):
    """{layer: Differences}. `network`: the original; without it the file's modules as modules of Python."""
    torch.set_num_threads(1)
    if network is None:
        network = script_hooks.without_script(record["weights"]["file"])
    differences = {layer: Differences() for layer in layers}
    with h5py.File(path, "r") as file:
        for first, rows, batch in batches(record, images):
            seen = script_hooks.hooked(network, batch, layers)
            for layer, each in differences.items():
                if layer not in seen:
                    raise SystemExit(f"{layer}: no hook has seen a tensor (forward of the original does not call it)")
                each.add(file[layer]["activations"][first:first + rows].reshape(rows, -1), seen[layer][:rows])
    return differences
