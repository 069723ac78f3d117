"""Starts the modules of this package that load numpy, so that the caller stays small."""
import json
import os
import subprocess

PYTHON = "/usr/bin/python3"
FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def call(module, arguments, environment):
    """What the module prints."""
    done = subprocess.run([PYTHON, "-W", "ignore", "-m", "in_python." + module, *map(str, arguments)], text=True,
                          env=environment | {"PYTHONPATH": FOLDER}, stdout=subprocess.PIPE)
    if done.returncode != 0:
        raise SystemExit(f"in_python.{module} {' '.join(map(str, arguments))}: exit code {done.returncode}")
    return done.stdout


def make(kind, folder, environment, **sizes):
    call("make_problem", [kind, folder, json.dumps(sizes)], environment)


def reference(name, folder, environment, splits, timed, precision="float32"):
    """A run of `timed_reference`: seconds, peak, raw."""
    return json.loads(call("timed_reference", [name, folder, splits, timed, precision], environment))


def difference(ours, theirs):
    """The largest of two lists of rows, of which the first may have more rows; infinite if shapes or NaN differ."""
    worst = 0.0
    for a_row, b_row in zip(ours, theirs, strict=False):
        if len(a_row) != len(b_row):
            return float("inf")
        for a, b in zip(a_row, b_row):
            a, b = (float("nan") if x is None else float(x) for x in (a, b))
            if (a != a) != (b != b):
                return float("inf")
            if a == a and a != b:
                worst = max(worst, abs(a - b))
    return worst if len(ours) >= len(theirs) else float("inf")
