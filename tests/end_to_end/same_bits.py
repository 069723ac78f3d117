#!/usr/bin/python3
"""scores.csv has the same bytes whatever the ranks, the threads and the way the work was cut up.

usage: same_bits.py VENTRAL MPIRUN
"""
import shutil

from program import SMALL_RUN, main, score_records, scores_csv

# (ranks, threads of each)
SHAPES = [(1, 5), (3, 1), (4, 1), (2, 2)]


def score(program, checks, out, arguments, ranks=1):
    code, log = program.run(["run", *arguments, "--out", out], ranks)
    checks.that(code == 0, f"{out.name} ends with {code}, not 0", log)
    return scores_csv(out)


def computing_ranks(out):
    """The ranks that computed folds of at least one score."""
    places = " ".join(record["provenance"]["folds_by_rank"] for record in score_records(out))
    return {int(place.split(":")[0]) for place in places.split()}


def check_shapes(program, folder, checks, demo, expected):
    for ranks, threads in SHAPES:
        out = folder / f"ranks{ranks}_threads{threads}"
        rows = score(program, checks, out, [*demo, *SMALL_RUN, "--threads", threads], ranks)
        checks.that(rows == expected, f"{ranks} rank(s) × {threads} thread(s) give other bytes than one alone")
        checks.that(computing_ranks(out) == set(range(ranks)), f"not all of {ranks} ranks computed folds",
                    computing_ranks(out))


def check_single_benchmark(program, folder, checks, demo, expected):
    for benchmark in ["demo-V1-pls", "demo-V1-ridge"]:
        alone = ["--models", "demo_designed", "--benchmarks", benchmark]
        rows = score(program, checks, folder / benchmark, [*demo, *alone])
        among_others = [row for row in expected.splitlines() if benchmark.encode() in row]
        checks.that(rows.splitlines()[1:] == among_others, f"{benchmark} alone differs from among others")


def check_checkpoints(program, folder, checks, demo, expected):
    out = folder / "checkpoints"
    shutil.copytree(folder / "alone", out)
    shutil.rmtree(out / "activations")
    shutil.rmtree(out / "journal")
    (out / "scores.csv").unlink()
    rows = score(program, checks, out, [*demo, *SMALL_RUN])
    checks.that(rows == expected, "Gram checkpoints give other bytes than the network")
    checks.that(not any((out / "activations").iterdir()), "the network ran although the Grams were there")

    out = folder / "nothing_kept"
    rows = score(program, checks, out, [*demo, *SMALL_RUN, "--activations", "discard", "--grams", "discard"])
    checks.that(rows == expected, "without checkpoints the bytes differ")
    kept = [*(out / "activations").iterdir(), *(out / "grams").iterdir()]
    checks.that(not kept, "something was kept that was to be discarded", kept)


def check_compression(program, folder, checks, demo, expected):
    out = folder / "compressed"
    rows = score(program, checks, out, [*demo, *SMALL_RUN, "--activations-compress", 1, "--threads", 2], 2)
    checks.that(rows == expected, "compressed activations give other bytes")
    sizes = [sum(file.stat().st_size for file in (each / "activations").glob("*.h5")) for each in (folder / "alone", out)]
    checks.that(0 < sizes[1] < sizes[0], "compressed activations are not smaller", sizes)


def check_shards(program, folder, checks, demo, expected):
    out = folder / "shards"
    for shard in range(3):
        rows = score(program, checks, out, [*demo, *SMALL_RUN, "--shard", f"{shard}/3"])
    checks.that(rows == expected, "three shards give other bytes than one run")


# Metrics that need more than the Gram, or compare without a fit.
OTHERS = ["linear_predictivity", "neuron_to_neuron", "cka_cv", "rdm", "scaled_ridge_cv"]


def add_benchmarks(demo):
    """Benchmarks `other-METRIC` on the recordings of V1, and a run of them."""
    metrics = ", ".join(f'{{ name = "{name}", stratification = "none" }}' for name in OTHERS)
    (demo / "benchmarks" / "others.toml").write_text(
        'identifier = "other-{metric}"\nversion = 1\nparent = "other"\npattern = "neural"\ndataset = "demo"\n'
        f'region = "V1"\nselect = {{ region = "V1" }}\nmetric = [{metrics}]\n')
    names = ", ".join(f'"other-{name}"' for name in OTHERS)
    (demo / "others.toml").write_text(f'models = ["demo_designed"]\nbenchmarks = [{names}]\nlayers = "candidates"\n')


def check_other_metrics(program, folder, checks):
    """Of the same: ranks, threads, checkpoints, and alone a metric that fits on features and one without a fit."""
    everything = [folder / "demo" / "others.toml"]
    out = folder / "others"
    expected = score(program, checks, out, [*everything, "--threads", 1])
    checks.that(expected.count(b",scored,") == 7 * len(OTHERS), "not all other metrics are scored", expected.decode())
    for ranks, threads in [(3, 1), (2, 2)]:
        shape = f"others_ranks{ranks}_threads{threads}"
        rows = score(program, checks, folder / shape, [*everything, "--threads", threads], ranks)
        checks.that(rows == expected, f"other metrics: {shape} gives other bytes than one rank and thread")
    shutil.rmtree(out / "journal")
    checks.that(score(program, checks, out, everything) == expected, "other metrics: checkpoints give other bytes")
    for name in ["linear_predictivity", "rdm"]:
        rows = score(program, checks, folder / f"only_{name}", [*everything, "--benchmarks", "other-" + name])
        among_others = [row for row in expected.splitlines() if b"other-" + name.encode() + b"," in row]
        checks.that(rows.splitlines()[1:] == among_others, f"{name} alone differs from among others", rows.decode())


def scores_of_any_model(rows):
    """The rows without the model's name and the key."""
    return [row.split(b",")[1:-1] for row in rows.splitlines()]


def check_extracted(program, folder, checks):
    """Activations that were extracted once, of images with a label of any name, give what their network gives."""
    demo = folder / "demo"
    table = demo / "data" / "labelled.csv"
    header, *rows = (demo / "data" / "stimuli.csv").read_text().splitlines()
    table.write_text("\n".join([header + ",layer", *(row + ",x" for row in rows)]) + "\n")
    run = demo / "extracted.toml"
    others = (demo / "others.toml").read_text().replace("demo_designed", "extracted")
    run.write_text(others.replace('layers = "candidates"', 'layers = "all"'))
    expected = (folder / "others" / "scores.csv").read_bytes()
    for ranks, options in ((1, []), (3, ["--activations-compress", 1])):
        file = folder / f"extracted{ranks}.h5"
        code, log = program.run(["extract", demo / "models" / "demo_designed.toml", "--images", table, "--images-folder",
                                 demo / "data" / "images", "--out", file, *options], 2)
        checks.that(code == 0, f"extract ends with {code}", log)
        (demo / "models" / "extracted.toml").write_text(f'identifier = "extracted"\nfeatures = {{ file = "{file}" }}\n')
        rows = score(program, checks, folder / f"extracted_ranks{ranks}", [run, "--threads", 1], ranks)
        checks.that(scores_of_any_model(rows) == scores_of_any_model(expected),
                    f"extracted activations give other scores than their network, {ranks} rank(s)", rows.decode())


def check_other_degrees(program, folder, checks):
    """Activations of images at other degrees are not scored, and both widths are said."""
    demo = folder / "demo"
    file = folder / "extracted4.h5"
    code, log = program.run(["extract", demo / "models" / "demo_designed.toml", "--images", demo / "data" / "stimuli.csv",
                             "--images-folder", demo / "data" / "images", "--degrees", 4, "--out", file])
    checks.that(code == 0, f"extract --degrees 4 ends with {code}", log)
    (demo / "models" / "extracted.toml").write_text(f'identifier = "extracted"\nfeatures = {{ file = "{file}" }}\n')
    code, log = program.run(["run", demo / "extracted.toml", "--out", folder / "other_degrees"], 2)
    checks.that(code == 2 and "shown 4 degrees wide" in log and "--degrees 8" in log,
                f"activations at other degrees: run ends with {code}", log)


def same_bits(program, folder, checks):
    program.write_demo(folder / "demo")
    demo = [folder / "demo" / "run.toml"]
    expected = score(program, checks, folder / "alone", [*demo, *SMALL_RUN, "--threads", 1])
    checks.that(len(expected.splitlines()) == 15, "one row for each of 14 scores", expected.decode())
    check_shapes(program, folder, checks, demo, expected)
    check_single_benchmark(program, folder, checks, demo, expected)
    check_checkpoints(program, folder, checks, demo, expected)
    check_compression(program, folder, checks, demo, expected)
    check_shards(program, folder, checks, demo, expected)
    add_benchmarks(folder / "demo")
    check_other_metrics(program, folder, checks)
    check_extracted(program, folder, checks)
    check_other_degrees(program, folder, checks)


if __name__ == "__main__":
    main(same_bits)
