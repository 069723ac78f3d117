#!/usr/bin/python3
"""A model whose stored features are in a file for each dataset is one model, with the scores that each file has alone.

usage: features_by_dataset.py VENTRAL MPIRUN
"""
from netcdf3 import write_assembly
from program import main, raw_values, score_records, scores_csv
from small_configs import DONE, FAILED, IDS, SOME_FAILED, make_configs

OTHERS = [f"other_{name}" for name in IDS]
BY_DATASET = """identifier = "both"

[features]
good = "../good_features.nc"
other = { file = "../other_features.nc", variable = "recordings" }
"""
WRONG = 'identifier = "on_wrong"\npattern = "neural"\ndataset = "other"\nregion = "V1"\nmetric = "nothing"\n'


def shift(values):
    for row, number in zip(values, range(len(values))):
        row[0] += number


def add_others(configs):
    """A dataset that shows the same images under other names, and a model for each file and for both."""
    rows = "".join(f"{name},{image}.png\n" for name, image in zip(OTHERS, IDS))
    configs.dataset("other", configs.assembly("other.nc", OTHERS, shift),
                    csv=configs.file("other.csv", "stimulus_id,filename\n" + rows))
    configs.features("good_alone", configs.assembly("good_features.nc"))
    configs.features("other_alone", configs.assembly("other_features.nc", OTHERS))
    configs.file("models/both.toml", BY_DATASET)


def scores_of(out, model):
    """Benchmark → raw values of all that was scored."""
    return {record["benchmark"]: raw_values(out, record) for record in score_records(out)
            if record["model"] == model and record["status"] == "scored"}


def run_of(program, configs, out, models, datasets, ranks=1):
    run = configs.run_file(f"{out.name}.toml", models, datasets)
    return program.run(["run", run, "--out", out, "--threads", 1], ranks)


def check_scores(program, checks, configs, folder):
    alone = {}
    for dataset in ("good", "other"):
        out = folder / f"{dataset}_alone"
        code, said = run_of(program, configs, out, [f"{dataset}_alone"], [dataset])
        checks.that(code == DONE, f"features of {dataset} alone end with {code}", said)
        alone.update(scores_of(out, f"{dataset}_alone"))
    for ranks in (1, 2):
        out = folder / f"both_{ranks}"
        code, said = run_of(program, configs, out, ["both"], ["good", "other"], ranks)
        checks.that(code == DONE, f"features of both, {ranks} rank(s), end with {code}", said)
        checks.that(scores_of(out, "both") == alone and len(alone) == 2, "the scores are not those of each file alone",
                    scores_of(out, "both"))
    before = scores_csv(out)
    code, said = run_of(program, configs, out, ["both"], ["good", "other"])
    checks.that(code == DONE and scores_csv(out) == before, f"once more it ends with {code}", said)
    return out


def check_missing(program, checks, configs, out):
    """The recordings `constant` show what no file has."""
    what = "both.toml: 'features' has no file for dataset 'constant'"
    code, said = run_of(program, configs, out, ["both"], ["good", "constant", "other"])
    failed = [record for record in score_records(out) if record["status"] == "failed"]
    checks.that(code == SOME_FAILED and what in said, f"without features of a dataset it ends with {code}", said)
    checks.that([record["benchmark"] for record in failed] == ["on_constant"], "the others fail, too", failed)
    run = configs.run_file("checked.toml", ["both"], ["good", "constant", "other"])
    code, said = program.answer(["check", run])
    checks.that(code == FAILED and said.count(what) == 1, f"check ends with {code}", said)
    code, said = program.answer(["check", configs.run_file("checked.toml", ["both"], ["good", "other"])])
    checks.that(code == DONE and "1 model, 2 benchmarks" in said, f"check ends with {code}", said)
    code, said = program.answer(["layers", configs.folder / "models" / "both.toml"])
    checks.that(code == DONE and "good_features.nc" in said, f"layers ends with {code}", said)


def check_unlike(program, checks, configs):
    """Files that are not of one network."""
    write_assembly(configs.folder / "narrow.nc", [[float(number), 1.5, -number] for number in range(len(OTHERS))],
                   {"stimulus_id": OTHERS}, {"neuroid_id": ["a", "b", "c"]})
    configs.file("models/unlike.toml", BY_DATASET.replace("both", "unlike").replace("other_features", "narrow"))
    code, said = program.answer(["check", configs.run_file("unlike.run.toml", ["unlike"], ["good", "other"])])
    checks.that(code == DONE and "layer 'features' has 6 features on good and 3 on other" in said,
                f"check of files of two networks ends with {code}", said)


def check_wrong_benchmark(program, checks, configs, folder):
    out = folder / "wrong"
    configs.file("benchmarks/wrong.toml", WRONG)
    code, said = run_of(program, configs, out, ["both"], ["good", "wrong", "other"])
    statuses = sorted((record["benchmark"], record["status"]) for record in score_records(out))
    checks.that(code == SOME_FAILED and
                statuses == [("on_good", "scored"), ("on_other", "scored"), ("on_wrong", "failed")],
                f"beside a wrong benchmark it ends with {code}, {statuses}", said)


def features_by_dataset(program, folder, checks):
    configs = make_configs(program, folder)
    add_others(configs)
    out = check_scores(program, checks, configs, folder)
    check_missing(program, checks, configs, out)
    check_unlike(program, checks, configs)
    check_wrong_benchmark(program, checks, configs, folder)


if __name__ == "__main__":
    main(features_by_dataset)
