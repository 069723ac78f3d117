"""Times one metric of the reference on arrays from a folder; a process of its own, for its peak memory.

usage: python3 -m in_python.timed_reference METRIC FOLDER SPLITS TIMED float32|float64

Prints one JSON object: seconds of the computation alone, peak memory in bytes, raw values. With float64 the
features are converted first whatever the reference would do: the values that a program in double can have.
"""
import json
import os
import sys
import time

import numpy as np

from . import reference_forms, synthetic


def peak_bytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def load(folder, name):
    path = os.path.join(folder, name + ".npy")
    return np.load(path) if os.path.exists(path) else None


def problem_of(name, folder, splits, timed):
    if name == "internal_consistency":
        values = load(folder, "repetitions")
        repetitions = len(values) // len(load(folder, "target"))
        return reference_forms.Problem(None, synthetic.recordings(values, repetitions), splits, timed)
    return reference_forms.Problem(load(folder, "source"), synthetic.recordings(load(folder, "target")), splits, timed)


def main():
    name, folder, splits, timed, precision = sys.argv[1:]
    problem = problem_of(name, folder, int(splits), int(timed))
    if problem.features is not None:
        problem.features = (problem.features.astype(np.float64) if precision == "float64" else
                            reference_forms.as_the_reference(name, problem.features))
    start = time.perf_counter()
    raw = reference_forms.FORMS[name](problem)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak": peak_bytes(), "raw": [np.asarray(row).tolist() for row in raw]}))


main()
