#!/usr/bin/python3
"""`ventral run` with stored features gives what the reference's `NeuralBenchmark` gives: the goldens.

usage: benchmark_neural.py VENTRAL MPIRUN GOLDENS
"""
import json
import math
import pathlib
import sys

from program import main, raw_values, score_records

# How far a program in float64 is from the reference on these float32 features: it centres them (pls), fits (ridge)
# or multiplies them (cka) in float32. Ceilings know no features.
ALLOWED = {"pls": 1e-7, "ridge": 1e-5, "cka": 1e-6, "rdm": 1e-9}
CEILING_ALLOWED = 1e-9
SKIPPED = 77


def write_configuration(folder, inputs):
    """One model, and a benchmark for each metric, on the goldens' files."""
    files = {
        "models/stored.toml": f'identifier = "stored"\nfeatures = {{ file = "{inputs}/features.nc" }}\n',
        "datasets/recorded.toml": 'identifier = "recorded"\n[assemblies]\n'
                                  f'repetitions = {{ file = "{inputs}/recordings.nc" }}\n',
        "benchmarks/neural.toml": 'identifier = "neural-{metric}"\nversion = 1\nparent = "IT"\npattern = "neural"\n'
                                  'dataset = "recorded"\nregion = "IT"\ntime_bins = [[70, 170]]\n'
                                  f"metric = {json.dumps(list(ALLOWED))}\n",
        "run.toml": f'models = ["stored"]\nbenchmarks = {json.dumps(["neural-" + name for name in ALLOWED])}\n'}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder / "run.toml"


def numbers(value):
    """All numbers of a golden in order; null is NaN."""
    if isinstance(value, dict):
        value = value["values"]
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    return [math.nan if value is None else float(value)]


def check_score(checks, out, record, name, expected):
    def near(what, ours, theirs, allowed):
        same = len(ours) == len(theirs) and all(
            math.isnan(a) and math.isnan(b) or abs(a - b) <= allowed for a, b in zip(ours, theirs))
        checks.that(same, f"{name}: {what} is not the reference's", f"{ours[:10]}\n{theirs[:10]}")

    ceiling, raw = expected["ceiling"], expected["raw"]
    near("the ceiling", [record["ceiling"]["value"]], numbers(ceiling), CEILING_ALLOWED)
    near("the ceiling's error", [record["ceiling"]["error"]], [ceiling["attrs"]["error"]], CEILING_ALLOWED)
    near("the score", [record["value"]], [expected["value"]], ALLOWED[name])
    if not isinstance(raw, dict):  # a comparison: one number
        near("the raw value", [record["raw_value"]], [raw], ALLOWED[name])
        return
    near("the raw value", [record["raw_value"]], [raw["value"]], ALLOWED[name])
    near("the error", [record["error"]], [expected["error"]], ALLOWED[name])
    near("a raw value", raw_values(out, record), numbers(raw["raw"]), ALLOWED[name])


def check_time_bins(program, checks, goldens):
    """For people a ceiling in time has a line for the mean and one for each bin; the mean is that of the bins."""
    code, told = program.answer(["ceiling", "internal_consistency_temporal", "--assembly", goldens / "ceilings" / "temporal.nc"])
    mean, *bins = told.splitlines()
    values = [float(line.partition(" ms ")[2].partition(" ± ")[0]) for line in bins if " ms " in line]
    checks.that(code == 0 and len(bins) == len(values) > 1, "a ceiling in time: other lines", told)
    checks.that(math.isclose(float(mean.partition(" ± ")[0]), sum(values) / len(values)), "a ceiling in time: the mean", told)


def benchmark_neural(program, folder, checks):
    inputs = pathlib.Path(sys.argv[3]) / "benchmark_neural"
    if not inputs.is_dir():
        print(f"skipped: no {inputs}")
        sys.exit(SKIPPED)
    check_time_bins(program, checks, inputs.parent)
    out = folder / "out"
    code, log = program.run(["run", write_configuration(folder, inputs), "--out", out], ranks=2)
    checks.that(code == 0, f"the run ends with {code}, not 0", log)
    records = {record["benchmark"]: record for record in score_records(out)}
    for name in ALLOWED:
        expected = json.loads((inputs / f"expected.benchmark-{name}.json").read_text())["expected"]
        if checks.that(f"neural-{name}" in records, f"no score of {name}", log):
            check_score(checks, out, records[f"neural-{name}"], name, expected)


if __name__ == "__main__":
    main(benchmark_neural)
