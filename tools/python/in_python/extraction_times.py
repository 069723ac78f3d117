"""Times of `ventral extract` and of the same in Python, for tools/compare_extraction. Loads nothing large."""
import concurrent.futures
import json
import os
import re
import sys

from . import image_files, machine, program, run_files

PEAK = re.compile(r"peak memory of the ranks, added up: ([0-9]+) bytes")


def weights_of(record, model):
    weights = record.get("weights")
    if not weights:
        raise SystemExit(f"{model}: has no 'weights' (only networks from files are compared with Python)")
    return weights if isinstance(weights, str) else weights["file"]


class Extraction:
    """One model, its layers and some images, extracted again and again."""

    def __init__(self, arguments, record, environment, folder):
        self.arguments, self.record, self.environment, self.folder = arguments, record, environment, folder
        self.batch = run_files.batch_size(record)
        self.python_batch = arguments.python_batch or self.batch
        committed = {layer for layers in record.get("regions", {}).values() for layer in layers}
        self.layers = arguments.layers or sorted(committed) or record.get("layers")
        if not self.layers:
            raise SystemExit(f"{arguments.model}: the model has no 'layers' (give --layers)")
        self.images = image_files.image_paths(arguments.images)[:arguments.count]
        self.weights = os.path.join(arguments.data, weights_of(record, arguments.model))
        self.bench = os.path.normpath(os.path.join(os.path.dirname(arguments.ventral), "../tests/bench/extraction_bench"))
        if not os.path.exists(self.bench):
            raise SystemExit(f"{self.bench}: no program there (cmake --build build/release --target extraction_bench)")

    def python(self):
        """(seconds of the process, seconds by phase, peak memory)"""
        request = os.path.join(self.folder, "request.json")
        with open(request, "w") as file:
            json.dump({"model": self.record, "weights": self.weights, "state": self.arguments.state,
                       "layers": self.layers, "images": self.images, "batch": self.python_batch,
                       "threads": self.arguments.threads, "sample": self.sample()}, file)
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        done = program.run([sys.executable, "-m", "in_python.timed_extraction", request],
                           self.environment | {"PYTHONPATH": package})
        return done.seconds, json.loads(done.output), done.peak

    def ventral(self, name, ranks=1, threads=1):
        """(seconds of the process, seconds by phase, peak memory of all ranks)"""
        command = [os.path.abspath(self.arguments.ventral), "extract", self.arguments.model, "--images",
                   self.arguments.images, "--count", str(len(self.images)), "--layers", ",".join(self.layers),
                   "--threads", str(threads), "--timing", "--force", "--out", self.file(name), "--data", self.arguments.data]
        if ranks > 1:
            command = ["mpirun", "-n", str(ranks), "--bind-to", "none"] + command
        done = program.run(command, machine.MPI_IN_CONTAINERS | self.environment)
        return done.seconds, done.phases, int(PEAK.search(done.log).group(1))

    def parts(self, count=None):
        """Seconds of one thread for the images alone and for the forward passes alone (default: of all images)."""
        done = program.run([self.bench, self.arguments.model, self.arguments.data, self.arguments.images,
                            str(count or len(self.images)), *self.layers], self.environment)
        return program.phases_of(done.output)

    def parts_at_once(self):
        """Seconds until as many such programs at once as there are cores have done their share of the images each."""
        cores = self.arguments.threads
        share = -(-len(self.images) // cores)
        with concurrent.futures.ThreadPoolExecutor(cores) as pool:
            return max(sum(parts.values()) for parts in pool.map(self.parts, [share] * cores))

    def file(self, name):
        return os.path.join(self.folder, name + ".h5")

    def sample(self):
        return os.path.join(self.folder, "python.npy")


def check(extraction, names):
    """Largest difference from Python relative to the layers' largest values; files of equal bits or an error."""
    import h5py
    import numpy as np
    theirs = np.load(extraction.sample())
    first, *others = [h5py.File(extraction.file(name), "r") for name in names]
    worst, column = 0.0, 0
    for layer in extraction.layers:
        ours = first[layer]["activations"][:]
        for name, other in zip(names[1:], others):
            if ours.tobytes() != other[layer]["activations"][:].tobytes():
                raise SystemExit(f"{layer}: '{name}' and '{names[0]}' differ")
        ours = ours.reshape(len(ours), -1)[:len(theirs)]
        part = theirs[:, column:column + ours.shape[1]]
        worst = max(worst, float(np.abs(ours - part).max() / np.abs(part).max()))
        column += ours.shape[1]
    return worst
