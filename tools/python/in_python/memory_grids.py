"""The grids of `tools/compare_memory`: their sizes, and the files that they are made of.

usage: python -m in_python.memory_grids NAME FOLDER [DATA]
"""
import dataclasses
import os
import sys

from .toml_text import write_record


@dataclasses.dataclass
class Grid:
    what: str
    metrics: tuple
    stimuli: int = 0
    features: int = 0
    neuroids: int = 100
    layers: int = 1               # of these features each
    together: bool = True         # layers concatenated, or scored one by one
    bins: int = 0                 # of the recordings
    feature_bins: int = 0         # of the features
    repetitions: int = 0          # for a ceiling
    dtype: str = "float32"
    transposed: bool = False      # neuroid × presentation in the file
    shuffled: bool = False        # recordings in another order than the features
    network: str = ""             # a file of DATA/models
    network_layers: tuple = ()
    side: int = 224
    batch: int = 16
    threads: int = 1
    ranks: int = 1
    options: tuple = ()


GRIDS = {
    "pls_tall": Grid("n = 9,000 stimuli, p > n / 2", ("pls",), 9000, 4600, 60),
    "narrow": Grid("n = 100,000 stimuli, few features", ("pls", "ridge"), 100000, 400, 60),
    "ridge_square": Grid("n = 7,000, p > n, rows in another order", ("ridge",), 7000, 8000, 100, shuffled=True),
    "linear": Grid("linear_predictivity, n = 5,000, p > n, 2 threads", ("linear_predictivity",), 5000, 6000, 60,
                   threads=2),
    "neuron_to_neuron": Grid("single features for m = 24,000 targets", ("neuron_to_neuron",), 2000, 8000, 24_000),
    "wide_layers": Grid("3 wide layers of one file, one by one", ("ridge", "pls"), 1500, 60_000, 100, layers=3,
                        together=False),
    "concatenated": Grid("2 layers of n = 6,500 concatenated", ("ridge",), 6500, 1000, 60, layers=2),
    "rdm": Grid("dissimilarities of n = 7,500", ("rdm",), 7500, 3000, 200),
    "cka": Grid("CKA with more targets than stimuli", ("cka",), 6000, 3000, 7000),
    "many_targets": Grid("m = 20,000 targets, 2 threads", ("pls", "ridge"), 1500, 3000, 20_000, threads=2),
    "two_ranks": Grid("2 ranks, n = 7,000", ("ridge",), 7000, 2000, 100, ranks=2),
    "time_still": Grid("12 time bins, features without time", ("spantime_ridge", "pertime_ridge"), 2500, 3000, 900,
                       bins=12),
    "time_changing": Grid("6 time bins, features that change", ("spantime_ridge", "pertime_ridge"), 1200, 3000, 150,
                          bins=6, feature_bins=6),
    "ceiling": Grid("a ceiling of 60,000 presentations", ("ridge",), 1500, 1000, 4000, repetitions=40),
    "network": Grid("4 wide layers of MobileNetV2, 2 threads", ("ridge",), 400, 0, 60,
                    network="mobilenet_v2_100_224.ts", batch=64, threads=2,
                    network_layers=("net.expanded_conv_depthwise", "net.expanded_conv_1_expand",
                                    "net.expanded_conv_1_project", "net.expanded_conv_2_project")),
    "ridge_threads": Grid("every fold for itself, 2 threads", ("ridge",), 5000, 5500, 2500, threads=2),
    "tiny": Grid("an idle start", ("ridge",), 24, 8, 3),
}


def presentations(count, numpy):
    return numpy.array([f"s{i:06d}" for i in range(count)], dtype=object)


def time_labels(numpy, bins):
    return {"time_bin_start": numpy.arange(bins) * 10.0, "time_bin_end": numpy.arange(bins) * 10.0 + 10.0}


def normal_blocks(numpy, sizes, seed):
    """A few rows at a time along the first dimension."""
    chance = numpy.random.default_rng(seed)
    rows = max(1, 40_000_000 // max(1, int(numpy.prod(sizes[1:]))))
    for first in range(0, sizes[0], rows):
        last = min(first + rows, sizes[0])
        yield slice(first, last), chance.standard_normal((last - first, *sizes[1:]), dtype=numpy.float32)


def write_features(grid, folder, numpy):
    from .assembly_file import write_blocks

    count = grid.features * grid.layers
    layers = numpy.array([f"layer{i // grid.features}" for i in range(count)], dtype=object)
    labels = {"presentation": {"stimulus_id": presentations(grid.stimuli, numpy)},
              "neuroid": {"neuroid_id": numpy.arange(count)} | ({"layer": layers} if grid.layers > 1 else {})}
    dims = {"presentation": grid.stimuli, "neuroid": count}
    if grid.transposed:
        dims = dict(reversed(dims.items()))
    if grid.feature_bins:
        dims["time_bin"] = grid.feature_bins
        labels["time_bin"] = time_labels(numpy, grid.feature_bins)
    write_blocks(f"{folder}/features.nc", dims, labels, grid.dtype, normal_blocks(numpy, tuple(dims.values()), 1))


def write_recordings(grid, folder, numpy):
    from .assembly_file import write_blocks

    ids = presentations(grid.stimuli, numpy)
    if grid.shuffled:
        ids = numpy.random.default_rng(5).permutation(ids)
    along = {"stimulus_id": ids}
    if grid.repetitions:
        along = {"stimulus_id": numpy.tile(ids, grid.repetitions),
                 "repetition": numpy.repeat(numpy.arange(grid.repetitions), grid.stimuli)}
    labels = {"presentation": along, "neuroid": {"neuroid_id": numpy.arange(grid.neuroids)}}
    dims = {"presentation": len(along["stimulus_id"]), "neuroid": grid.neuroids}
    if grid.bins:
        dims["time_bin"] = grid.bins
        labels["time_bin"] = time_labels(numpy, grid.bins)
    write_blocks(f"{folder}/recordings.nc", dims, labels, "float32", normal_blocks(numpy, tuple(dims.values()), 2))


def write_images(grid, folder, numpy):
    from PIL import Image

    os.makedirs(f"{folder}/images")
    chance = numpy.random.default_rng(3)
    with open(f"{folder}/stimuli.csv", "w") as table:
        table.write("stimulus_id,filename\n")
        for i in range(grid.stimuli):
            Image.fromarray(chance.integers(0, 255, (32, 32, 3), dtype=numpy.uint8)).save(f"{folder}/images/{i}.png")
            table.write(f"s{i:06d},{i}.png\n")


def model_record(grid, data):
    if grid.network:
        return {"identifier": "model", "weights": {"file": os.path.join(data, "models", grid.network)},
                "visual_degrees": 8.0, "batch_size": grid.batch, "layers": grid.network_layers,
                "preprocessing": {"resize": grid.side, "crop": grid.side, "mean": [0.5] * 3, "std": [0.5] * 3},
                "regions": {"V4": grid.network_layers[:1]}}
    record = {"identifier": "model", "features": {"file": "../features.nc"}}
    if grid.layers == 1:
        return record
    layers = [f"layer{i}" for i in range(grid.layers)]
    return record | {"layers": layers, "regions": {"V4": layers}}


def dataset_record(grid):
    role = "repetitions" if grid.repetitions else "target"
    record = {"identifier": "dataset", "access": "public", "assemblies": {role: {"file": "../recordings.nc"}}}
    if grid.network:
        record["stimuli"] = {"csv": "../stimuli.csv", "folder": "../images", "visual_degrees": 8.0}
    return record


def metric_record(name):
    return {"name": name} | ({} if name in ("cka", "rdm") else {"splits": 2, "stratification": "none"})


def benchmark_record(grid):
    return {"identifier": "grid-{metric}", "version": 1, "parent": "grid", "pattern": "neural", "dataset": "dataset",
            "region": "V4", "metric": [metric_record(name) for name in grid.metrics],
            "ceiling": {"name": "internal_consistency" if grid.repetitions else "none"},
            "normalisation": "explained_variance" if grid.repetitions else "none"}


def run_record(grid):
    layers = {} if grid.together and not grid.network else {"layers": "candidates"}
    return {"models": ["model"], "benchmarks": [f"grid-{name}" for name in grid.metrics]} | layers | {"seed": 0}


def write_records(grid, folder, data):
    for kind in ("models", "datasets", "benchmarks"):
        os.makedirs(f"{folder}/{kind}")
    write_record(f"{folder}/models/model.toml", model_record(grid, data), ["preprocessing", "regions"])
    write_record(f"{folder}/datasets/dataset.toml", dataset_record(grid), ["stimuli", "assemblies"])
    write_record(f"{folder}/benchmarks/benchmark.toml", benchmark_record(grid))
    write_record(f"{folder}/run.toml", run_record(grid))


def write(grid, folder, data):
    import numpy

    write_records(grid, folder, data)
    write_recordings(grid, folder, numpy)
    if grid.network:
        write_images(grid, folder, numpy)
    else:
        write_features(grid, folder, numpy)


if __name__ == "__main__":
    write(GRIDS[sys.argv[1]], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
