"""The time of a whole run in Python and of the same run by the program."""
import os
import subprocess
import tempfile
import time

import numpy as np
import torch

from . import extraction, scoring
from .machine import MPI_IN_CONTAINERS
from .recordings import benchmark_recordings
from .toml_text import write_record


class Stopwatch:
    """Seconds by part of the work."""

    def __init__(self):
        self.seconds = {}

    def time(self, part, work, times=1):
        """`work`'s result; its seconds count `times` times."""
        start = time.perf_counter()
        result = work()
        self.seconds[part] = self.seconds.get(part, 0) + times * (time.perf_counter() - start)
        return result


def time_scores(run, model, name, features, stimulus_ids, folds_timed, watch):
    benchmark = run.benchmarks[name]
    target = benchmark_recordings(run, benchmark, "target")
    row_of = {stimulus: row for row, stimulus in enumerate(stimulus_ids)}
    rows = [row_of[stimulus] for stimulus in target.stimulus_ids()]
    all_folds = scoring.folds(benchmark["metric"], target)
    timed = all_folds[:folds_timed]
    for layers in run.layer_sets(model):
        before = sum(watch.seconds.values())
        source = np.hstack([features[layer][rows] for layer in layers])
        for fold in timed:
            watch.time(benchmark["metric"]["name"],
                       lambda: scoring.score_fold(benchmark["metric"], source, target, fold),
                       len(all_folds) / len(timed))
        print(f"  {model:24} {'+'.join(layers):32} {name:20} {sum(watch.seconds.values()) - before:9.1f} s", flush=True)


def time_python(run, threads, batch_size, folds_timed):
    """Seconds by part. Features stay float32, as in the reference: ridge works in float32 there."""
    torch.set_num_threads(threads)
    watch = Stopwatch()
    for benchmark in run.benchmarks.values():
        if benchmark["ceiling"]["name"] != "none":
            watch.time("ceilings", lambda: scoring.internal_consistency(
                benchmark_recordings(run, benchmark, "repetitions")))
    for model in run.models:
        for dataset in sorted({benchmark["dataset"] for benchmark in run.benchmarks.values()}):
            features, ids = watch.time("activations",
                                       lambda: extraction.extract(run, model, dataset, batch_size))
            for name, benchmark in run.benchmarks.items():
                if benchmark["dataset"] == dataset:
                    time_scores(run, model, name, features, ids, folds_timed, watch)
    return watch.seconds


def record_of(run):
    """The run file of these models and benchmarks alone."""
    layers = run.layers if isinstance(run.layers, str) else {model: run.layers[model] for model in run.models}
    return {"models": list(run.models), "benchmarks": list(run.benchmarks), "layers": layers, "seed": run.seed}


def time_program(run, ventral, ranks):
    """Seconds of `mpirun -n RANKS ventral run` into a fresh folder, start and end included."""
    with tempfile.TemporaryDirectory() as folder:
        run_file = os.path.join(folder, "run.toml")
        write_record(run_file, record_of(run))
        command = ["mpirun", "-n", str(ranks), "--bind-to", "none", ventral, "run", run_file, "--configs",
                   run.configs, "--out", os.path.join(folder, "out")]
        start = time.perf_counter()
        done = subprocess.run(command + (["--data", run.data] if run.data else []), env=MPI_IN_CONTAINERS | os.environ,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        return time.perf_counter() - start
