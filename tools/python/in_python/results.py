"""What `ventral run` left in its results folder."""
import glob
import json
import os

import h5py
import netCDF4
import numpy as np


def read_scores(folder):
    """The records of scores.json, those of the same features one after another."""
    with open(os.path.join(folder, "scores.json")) as file:
        records = json.load(file)
    return sorted(records, key=lambda r: (r["model"], r.get("provenance", {}).get("activations", ""),
                                          r["layer"], r["benchmark"]))


def read_raw(folder):
    """Split × neuroid values of every score, by the score's key."""
    with netCDF4.Dataset(os.path.join(folder, "scores.nc")) as file:
        return {variable.key: np.ma.filled(variable[:], np.nan)
                for group in file.groups.values() for variable in group.variables.values()
                if "key" in variable.ncattrs()}


def activation_files(folder):
    """Paths by the key of what is in them."""
    paths = {}
    for path in glob.glob(os.path.join(folder, "activations", "*.h5")):
        with h5py.File(path, "r") as file:
            paths[file.attrs["key"].decode()] = path
    return paths


def read_features(path, layers, stimulus_ids):
    """Features of `layers` side by side, a row for each of `stimulus_ids`, in the file's float32."""
    parts = []
    with h5py.File(path, "r") as file:
        for layer in layers:
            rows = {stimulus.decode(): row for row, stimulus in enumerate(file[layer]["stimulus_id"][:])}
            order = [rows[stimulus] for stimulus in stimulus_ids]
            parts.append(file[layer]["activations"][:].reshape(len(rows), -1)[order])
    return np.hstack(parts) if len(parts) > 1 else parts[0]
