#!/usr/bin/python3
"""No benchmark costs or changes the score of another one: those of the same layer, and those on the same images.

usage: benchmarks_apart.py VENTRAL MPIRUN
"""
import csv
import shutil

from program import main, score_records, scores_csv
from small_demo import DATASET, make_small_demo

# Beside the demo's pls and ridge, which are made of the Gram alone: what looks at the features again, on all stimuli and
# on some of them, and pls on these.
ON_FEATURES = """identifier = "{name}"
version = 1
parent = "demo-V1"
pattern = "neural"
dataset = "demo"
region = "V1"
select = {{ region = "V1"{stimuli} }}
metric = {metric}
ceiling = {{ name = "internal_consistency" }}
"""
FURTHER = {
    "rdm-of-all": ("", '{ name = "rdm" }'),
    "rdm-of-discs": (', object_name = "disc"', '{ name = "rdm" }'),
    "pls-of-discs": (', object_name = "disc"', '{ name = "pls", stratification = "none", n_components = 2, train_size = 0.6 }'),
}
# By classes of objects, of one table and the other.
STRATIFIED = """identifier = "{name}"
version = 1
parent = "demo-V1"
pattern = "neural"
dataset = "{dataset}"
region = "V1"
select = {{ region = "V1" }}
metric = {{ name = "ridge", train_size = 0.8 }}
ceiling = {{ name = "internal_consistency" }}
"""


def add_benchmarks(demo):
    for name, (stimuli, metric) in FURTHER.items():
        text = ON_FEATURES.format(name=name, stimuli=stimuli, metric=metric)
        (demo / "benchmarks" / f"{name}.toml").write_text(text)
    for dataset in ("demo", "coarse"):
        name = f"by-{dataset}"
        (demo / "benchmarks" / f"{name}.toml").write_text(STRATIFIED.format(name=name, dataset=dataset))


def add_coarse_dataset(demo):
    """The same images in a table with two classes of objects."""
    with open(demo / "data" / "stimuli.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        row["object_name"] = "even" if number % 2 == 0 else "odd"
    with open(demo / "data" / "coarse.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    text = DATASET.replace('identifier = "demo"', 'identifier = "coarse"').replace("stimuli.csv", "coarse.csv")
    (demo / "datasets" / "coarse.toml").write_text(text)


def run_of(program, demo, out, benchmarks, *options, ranks=1):
    """(exit code, stderr, status of each score by benchmark)"""
    run = demo / "apart.toml"
    names = ", ".join(f'"{name}"' for name in benchmarks)
    run.write_text(f'models = ["demo_designed"]\nbenchmarks = [{names}]\nlayers = "candidates"\nseed = 0\n')
    code, said = program.run(["run", run, "--out", out, "--threads", 1, *options], ranks)
    statuses = {}
    for record in score_records(out):
        statuses.setdefault(record["benchmark"], set()).add(record["status"])
    return code, said, statuses


def check_one_failure(program, checks, demo, folder, ranks):
    """Grams are there, and activations can neither be read nor made again."""
    out = folder / f"kept_{ranks}"
    code, said, _ = run_of(program, demo, out, ["demo-V1-ridge"])
    checks.that(code == 0, f"the first run ends with {code}", said)
    shutil.rmtree(out / "activations")
    (out / "activations").symlink_to("/proc/self/task")  # a folder in which nothing can be made
    benchmarks = ["rdm-of-all", "rdm-of-discs", "demo-V1-pls", "pls-of-discs"]
    code, said, statuses = run_of(program, demo, out, benchmarks, ranks=ranks)
    expected = {name: {"failed"} if name in benchmarks[:2] else {"scored"} for name in benchmarks}
    checks.that(code == 2 and {name: statuses.get(name) for name in benchmarks} == expected,
                f"{ranks} rank(s): without activations the run ends with {code}, {statuses}", said)


def check_same_images(program, checks, demo, folder):
    lines = {}
    for number, benchmarks in enumerate((["by-demo"], ["by-coarse"], ["by-demo", "by-coarse"], ["by-coarse", "by-demo"])):
        out = folder / f"images_{number}"
        code, said, _ = run_of(program, demo, out, benchmarks, ranks=1 + number % 2)
        checks.that(code == 0, f"{benchmarks}: the run ends with {code}", said)
        lines[number] = set(scores_csv(out).splitlines())
    checks.that(lines[0] | lines[1] == lines[2] == lines[3], "scores depend on the other benchmark of the run", lines)


def benchmarks_apart(program, folder, checks):
    demo = folder / "demo"
    make_small_demo(program, demo)
    add_benchmarks(demo)
    add_coarse_dataset(demo)
    for ranks in (1, 2):
        check_one_failure(program, checks, demo, folder, ranks)
    check_same_images(program, checks, demo, folder)


if __name__ == "__main__":
    main(benchmarks_apart)
