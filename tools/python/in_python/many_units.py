"""A run of many small units: as many files of features, or demo networks of as many batch sizes.

usage: python -m in_python.many_units UNITS FOLDER | --networks UNITS FOLDER
"""
import os
import re
import sys

from .toml_text import write_record

STIMULI, NEUROIDS, IMAGES = 400, 50, 48


def write_run(folder, units, benchmarks):
    models = [f"unit{unit}" for unit in range(units)]
    write_record(f"{folder}/run.toml", {"models": models, "benchmarks": benchmarks, "seed": 0})


def write_features(units, folder):
    import numpy

    from . import memory_grids
    from .assembly_file import write_blocks

    grid = memory_grids.Grid("", ("pls", "ridge", "cka"), STIMULI, 1, NEUROIDS)
    memory_grids.write_records(grid, folder, "")
    memory_grids.write_recordings(grid, folder, numpy)
    os.remove(f"{folder}/models/model.toml")
    os.makedirs(f"{folder}/features")
    labels = {"presentation": {"stimulus_id": memory_grids.presentations(STIMULI, numpy)}}
    chance = numpy.random.default_rng(4)
    for unit in range(units):
        features = int(chance.integers(50, 2000))
        values = chance.standard_normal((STIMULI, features), dtype=numpy.float32)
        labels["neuroid"] = {"neuroid_id": numpy.arange(features)}
        write_blocks(f"{folder}/features/{unit}.nc", {"presentation": STIMULI, "neuroid": features}, labels, "float32",
                     [(..., values)])
        write_record(f"{folder}/models/unit{unit}.toml",
                     {"identifier": f"unit{unit}", "features": {"file": f"../features/{unit}.nc"}})
    write_run(folder, units, ["grid-pls", "grid-ridge", "grid-cka"])


def write_networks(units, folder):
    """In a folder that holds the demo: fewer images, and its network once for each batch size."""
    dataset = next(f"{folder}/datasets/{name}" for name in os.listdir(f"{folder}/datasets"))
    with open(dataset) as file:
        table = os.path.join(folder, "datasets", re.search(r'csv = "([^"]+)"', file.read()).group(1))
    with open(table) as file:
        lines = file.readlines()
    kept = [line.split(",")[0] for line in lines[1:IMAGES + 1]]
    with open(table, "w") as file:
        file.writelines(lines[:IMAGES + 1])
    keep_stimuli(dataset, set(kept))
    with open(f"{folder}/models/demo_designed.toml") as file:
        record = file.read()
    for unit in range(units):
        mixed = 1 + unit * 7919 % units  # large and small batches from first to last
        text = re.sub(r"batch_size = \d+", f"batch_size = {mixed}", record)
        with open(f"{folder}/models/unit{unit}.toml", "w") as file:
            file.write(text.replace('"demo_designed"', f'"unit{unit}"'))
    write_run(folder, units, ["demo-V1-ridge", "demo-IT-ridge"])


def keep_stimuli(dataset, kept):
    """Recordings of these alone, without their checksums."""
    import xarray

    with open(dataset) as file:
        text = file.read()
    for name in re.findall(r'file = "([^"]+\.nc)"', text):
        path = os.path.join(os.path.dirname(dataset), name)
        recordings = xarray.open_dataset(path).load()
        ids = [str(value) for value in recordings["stimulus_id"].values]
        recordings.isel(presentation=[i for i, value in enumerate(ids) if value in kept]).to_netcdf(path + ".new")
        os.replace(path + ".new", path)
    with open(dataset, "w") as file:
        file.write(re.sub(r'(, |\n)sha1 = "[^"]*"', "", text))


if __name__ == "__main__":
    if sys.argv[1] == "--networks":
        write_networks(int(sys.argv[2]), sys.argv[3])
    else:
        write_features(int(sys.argv[1]), sys.argv[2])
