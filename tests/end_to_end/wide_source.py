#!/usr/bin/python3
"""`ventral metric` on features wider than the memory it may use, and on files that are cut short.

usage: wide_source.py VENTRAL MPIRUN
"""
import array
import json
import math
import os
import random
import re
import shutil
import subprocess

from netcdf3 import write_assembly
from program import environment, main

STIMULI = 100
FEATURES = 200_000  # 153 MiB in float64
BOUND_MIB = 40
SLABS_MIB = 14  # too little for long blocks
IDS = [f"s{number:03d}" for number in range(STIMULI)]


def feature_row(seed, length):
    chance = random.Random(seed)
    pattern = array.array("d", (chance.gauss(0, 1) for _ in range(997)))
    row = array.array("d")
    while len(row) < length:
        row.extend(pattern)
        row.append(chance.random())
    return row[:length]


def write_features(path, length, change=None):
    """Rows in another order than those of the recordings."""
    ids = IDS[1:] + IDS[:1]
    rows = [feature_row(name, length) for name in ids]
    if change:
        change(rows)
    write_assembly(path, rows, {"stimulus_id": ids}, {"neuroid_id": [str(number) for number in range(length)]})
    return path


def write_apart(path, length):
    """In a process of its own: what this one takes counts as the peak of those that it starts."""
    child = os.fork()
    if child == 0:
        write_features(path, length)
        os._exit(0)
    os.waitpid(child, 0)
    return path


def write_recordings(path, ids):
    chance = random.Random(1)
    rows = [[chance.gauss(0, 1) for _ in range(3)] for _ in ids]
    write_assembly(path, rows, {"stimulus_id": ids}, {"neuroid_id": ["n0", "n1", "n2"]})
    return path


COMPARISONS = ["cka", "cka_biased", "rdm"]
METRICS = ["ridge_cv", "pls_cv", "linear_predictivity_cv", "neuron_to_neuron_cv", "scaled_ridge_cv", "cka_cv", "rdm_cv",
           *COMPARISONS]


def arguments(source, target, *more, metric="ridge_cv"):
    params = [] if metric in COMPARISONS else ["--params", '{"crossvalidation_kwargs": {"stratification_coord": null}}']
    return ["metric", metric, "--source", source, "--target", target, "--json", *params, *more]


def score(program, source, target, *more, metric="ridge_cv"):
    """(the score, stderr)"""
    command = [program.ventral, *map(str, arguments(source, target, *more, metric=metric))]
    result = subprocess.run(command, capture_output=True,
                            env=environment(), text=True, timeout=300, check=False)
    return json.loads(result.stdout) if result.returncode == 0 else None, result.stderr


def peak_mib(program, source, target, *more, metric="ridge_cv"):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execve(program.ventral, [program.ventral, *map(str, arguments(source, target, *more, metric=metric))],
                  environment())
    return os.wait4(child, 0)[2].ru_maxrss / 1024


def check_memory(program, checks, wide, narrow, target):
    bound = ["--memory", f"{BOUND_MIB}MiB", "--threads", 1]
    idle = peak_mib(program, narrow, target, *bound)
    streamed = peak_mib(program, wide, target, *bound) - idle
    checks.that(streamed < BOUND_MIB, f"takes {streamed:.0f} MiB more than a narrow source, not {BOUND_MIB}")
    unbounded = peak_mib(program, wide, target, "--threads", 1) - idle
    checks.that(unbounded < BOUND_MIB, f"keeps {unbounded:.0f} MiB of what a Gram takes once")
    kept = peak_mib(program, wide, target, "--threads", 1, metric="neuron_to_neuron_cv") - idle
    checks.that(kept > 3 * BOUND_MIB, f"takes only {kept:.0f} MiB where all is kept: the test sees no memory")


def check_bits(program, checks, wide, target, metric):
    kept, log = score(program, wide, target, "--threads", 1, metric=metric)
    if not checks.that(kept and math.isfinite(kept["value"]), f"{metric}: the wide source has no score", log):
        return
    streamed, log = score(program, wide, target, "--threads", 2, "--memory", f"{SLABS_MIB}MiB", "--timing", metric=metric)
    checks.that(streamed == kept, f"{metric}: other bits when streamed, by two threads", log)
    checks.that(re.fullmatch(r"timing: read [\d.]+ s, gram [\d.]+ s, fit [\d.]+ s\n", log), "no timing line", log)


def check_ranks(program, checks, narrow, target):
    """The first rank computes with the others' processors; an error is said once, and all ranks end."""
    alone, _ = score(program, narrow, target)
    for ranks, more in [(2, ["--threads", 1]), (3, [])]:
        command = [program.mpirun, "-n", str(ranks), program.ventral, *map(str, arguments(narrow, target, *more))]
        result = subprocess.run(command, capture_output=True, env=environment(), text=True, timeout=120, check=False)
        checks.that(result.returncode == 0 and json.loads(result.stdout) == alone,
                    f"{ranks} ranks end with {result.returncode} or give other bits than one", result.stderr)
    code, log = program.run(arguments(narrow, "/no/such.nc"), ranks=3)
    checks.that(code == 1 and log.count("no such file") == 1, f"a file that is missing on three ranks: {code}", log)


def check_refused(program, checks, source, target, words, more=()):
    code, log = program.answer(arguments(source, target, *more))
    checks.that(code == 1, f"{source.name}, {target.name} {more}: ends with {code}, not 1", log)
    checks.that(log.count("error: ") == 1, f"{source.name}: not one message", log)
    for word in map(str, words):
        checks.that(word in log, f"{source.name}, {target.name}: the message lacks '{word}'", log)


def put_nan(rows):
    rows[5][2] = math.nan


def check_messages(program, checks, folder, narrow, target):
    check_refused(program, checks, narrow, target, ["--memory", "100 KiB", "give --memory"], ["--memory", "100KiB"])
    check_refused(program, checks, narrow, target, ["--memory", "much"], ["--memory", "much"])
    others = write_recordings(folder / "others.nc", [*IDS[1:], "a_stranger"])
    check_refused(program, checks, narrow, others, [narrow, others, "a_stranger", "stimulus ids"])
    odd = write_features(folder / "odd.nc", 10, put_nan)
    check_refused(program, checks, odd, target, [odd, "feature 2", "NaN", "s006"])
    text = folder / "text.nc"
    text.write_text("this is no netCDF file\n")
    check_refused(program, checks, text, target, [text])


def check_cut(program, checks, folder, narrow, target):
    whole = narrow.read_bytes()
    for left in [len(whole) - 10, len(whole) // 2, len(whole) // 20, 40, 4]:
        cut = folder / f"cut{left}.nc"
        cut.write_bytes(whole[:left])
        check_refused(program, checks, cut, target, [cut, "truncated", left])
        check_refused(program, checks, narrow, cut, [cut, "truncated", left])
    program.write_demo(folder / "demo")
    recordings = folder / "recordings.nc"
    shutil.copy(folder / "demo" / "data" / "recordings.nc", recordings)
    whole = recordings.read_bytes()
    for left in [len(whole) - 10, len(whole) // 2, 40]:
        recordings.write_bytes(whole[:left])
        check_refused(program, checks, recordings, target, [recordings])
        check_refused(program, checks, narrow, recordings, [recordings])


def check_bootstrap(program, checks, source, target):
    """As NumPy's generator draws."""
    check_refused(program, checks, source, target, ["--bootstrap", "'time'", "split, neuroid"], ["--bootstrap", "time"])
    try:
        import numpy
    except ImportError:
        return
    result, told = score(program, source, target, "--bootstrap", "split,neuroid")
    raw = numpy.array(result["raw"]["values"])
    generator = numpy.random.default_rng(0)
    means = []
    for _ in range(1000):
        drawn = raw[generator.integers(0, len(raw), len(raw))]
        means.append(drawn[:, generator.integers(0, raw.shape[1], raw.shape[1])].mean())
    expected = numpy.std(means, ddof=1)
    checks.that(abs(result["bootstrap_error"] - expected) < 1e-12, "another bootstrap error", f"{result} {expected}\n{told}")


def wide_source(program, folder, checks):
    target = write_recordings(folder / "target.nc", IDS)
    narrow = write_apart(folder / "narrow.nc", 50)
    wide = write_apart(folder / "wide.nc", FEATURES)
    if not program.has_address_sanitizer():
        check_memory(program, checks, wide, narrow, target)
    for metric in METRICS:
        check_bits(program, checks, wide, target, metric)
    wide.unlink()
    check_ranks(program, checks, narrow, target)
    check_messages(program, checks, folder, narrow, target)
    check_bootstrap(program, checks, narrow, target)
    check_cut(program, checks, folder, narrow, target)


if __name__ == "__main__":
    main(wide_source)
