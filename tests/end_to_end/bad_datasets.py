#!/usr/bin/python3
"""A bad dataset costs its own scores only: runs, `check` and `plan` name it and say what is wrong.

usage: bad_datasets.py VENTRAL MPIRUN
"""
import shutil

from program import main, score_records
from small_configs import (BENCHMARK, DONE, FAILED, IDS, LIMIT, RIDGE, SOME_FAILED, check_left, check_reason,
                           check_verdict, make_configs, put_nan, two_variables)

# What `plan` and `check` without --images do not find: they look at no feature and decode no image but one.
FOUND_LATER = ["images_truncated", "images_wrong", "images_flipped"]


def bad_datasets(configs):
    """Adds datasets; (name, words that the reason must have)"""
    add = configs.file
    table = (configs.folder / "good.csv").read_text()
    shutil.copytree(configs.images, configs.folder / "broken")
    configs.truncated("broken/demo_007.png", "images/demo_007.png")
    shutil.copytree(configs.images, configs.folder / "wrong")
    add("wrong/demo_007.png", table)
    shutil.copytree(configs.images, configs.folder / "flipped")
    contents = bytearray((configs.images / "demo_007.png").read_bytes())
    contents[len(contents) // 2] ^= 1
    add("flipped/demo_007.png", bytes(contents))
    shutil.copytree(configs.images, configs.folder / "fewer")
    (configs.folder / "fewer" / "demo_007.png").unlink()
    configs.dataset("missing", "absent.nc")
    configs.dataset("truncated", configs.truncated("torn.nc", "netcdf4.nc"))
    configs.dataset("text", add("text.nc", "this is no netCDF file\n"))
    configs.dataset("empty", add("empty.nc", b""))
    configs.dataset("checksum", more=f', sha1 = "{"0" * 40}"')
    configs.dataset("csv_missing", csv="absent.csv")
    configs.dataset("csv_columns", csv=add("columns.csv", table.replace("filename", "picture")))
    configs.dataset("csv_twice", csv=add("twice.csv", table + f"{IDS[0]},{IDS[0]}.png\n"))
    configs.dataset("csv_fields", csv=add("fields.csv", table + "demo_024\n"))
    configs.dataset("csv_binary", csv=add("binary.csv", bytes(range(256)) * 8))
    configs.dataset("csv_empty", csv=add("empty.csv", b""))
    configs.dataset("images_missing", images="fewer")
    configs.dataset("images_truncated", images="broken")
    configs.dataset("images_wrong", images="wrong")
    configs.dataset("images_flipped", images="flipped")
    configs.dataset("other_ids", configs.assembly("strangers.nc", [*IDS[1:], "a_stranger"]))
    configs.dataset("fewer_ids", configs.assembly("fewer.nc", IDS[1:]))
    configs.dataset("nan", configs.assembly("nan.nc", change=put_nan))
    configs.dataset("few", metric='{ name = "ridge", stratification = "none", kfold = true, splits = 25 }')
    configs.dataset("stratified", metric='{ name = "ridge", stratification = "object" }')
    configs.dataset("two_variables", two_variables(configs))
    configs.dataset("other_variable", "two.nc", more=', variable = "others"')
    configs.dataset("no_variable", "two.nc", more=', variable = "othres"')
    configs.dataset("select_name", select='select = { neuroid = "n2" }')
    configs.dataset("select_none", select='select = { neuroid_id = "n9" }')
    configs.dataset("select_repetitions", role="repetitions", ceiling="internal_consistency",
                    select='select = { neuroid = "n2" }')
    configs.dataset("no_repetition", role="repetitions", ceiling="internal_consistency")
    configs.dataset("wrong_dataset", more=", sha2 = 1")
    configs.dataset("wrong_benchmark", metric='"plss"')
    configs.dataset("no_toml", metric="")
    return [
        ("missing", ["absent.nc"]),
        ("truncated", ["torn.nc"]),
        ("text", ["text.nc"]),
        ("empty", ["empty.nc"]),
        ("checksum", ["good.nc", "sha1", "0" * 40]),
        ("csv_missing", ["absent.csv"]),
        ("csv_columns", ["columns.csv:1", "filename", "picture"]),
        ("csv_twice", ["twice.csv:26", IDS[0]]),
        ("csv_fields", ["fields.csv:26"]),
        ("csv_binary", ["binary.csv"]),
        ("csv_empty", ["empty.csv"]),
        ("images_missing", ["fewer", "demo_007.png"]),
        ("images_truncated", ["broken", "demo_007.png"]),
        ("images_wrong", ["wrong", "demo_007.png"]),
        ("images_flipped", ["flipped", "demo_007.png"]),
        ("other_ids", ["strangers.nc", "a_stranger"]),
        ("fewer_ids", ["fewer.nc", f"'{IDS[0]}' is in the table of stimuli, but not in the recordings"]),
        ("nan", ["nan.nc", "NaN", "demo_005", "n2"]),
        ("few", ["good.nc", "25", "24", "splits"]),
        ("stratified", ["good.nc", "object", "stratif"]),
        ("two_variables", ["two.nc", "recordings, others", "'variable' in the TOML"]),
        ("other_variable", ["two.nc", "NaN"]),
        ("no_variable", ["two.nc", "'othres'", "others"]),
        ("select_name", ["benchmarks/select_name.toml: select: ", "good.nc", "'neuroid'", "neuroid_id"]),
        ("select_none", ["benchmarks/select_none.toml: select: ", "good.nc", "n9"]),
        ("select_repetitions", ["benchmarks/select_repetitions.toml: select: ", "good.nc", "neuroid_id"]),
        ("no_repetition", ["good.nc", "'repetition'"]),
        ("wrong_dataset", ["benchmarks/wrong_dataset.toml:3:", "datasets/wrong_dataset.toml:9:", "unknown key 'sha2'"]),
        ("wrong_benchmark", ["benchmarks/wrong_benchmark.toml:5:", "'plss'"]),
        ("no_toml", ["benchmarks/no_toml.toml:5:", "not TOML"]),
    ]


def check_datasets(program, checks, configs, bad, ranks):
    out = configs.folder / f"datasets_out{ranks}"
    run = configs.run_file("datasets.toml", ["good"], configs.datasets)
    code, log = program.run(["run", run, "--out", out, "--threads", 1], ranks, LIMIT)
    what = f"bad datasets, {ranks} rank(s)"
    checks.that(code == SOME_FAILED, f"{what}: ends with {code}, not 2", log)
    records = score_records(out)
    scored = {record["benchmark"] for record in records if record["status"] == "scored"}
    checks.that(scored == {"on_good", "on_constant", "on_chosen"}, f"{what}: other scores than expected", scored)
    for name, words in bad:
        failed = [record for record in records if record["benchmark"] == f"on_{name}"]
        checks.that(failed, f"{what}: no record of {name}")
        for record in failed:
            check_reason(checks, f"{what}, {name}", record, words, log)
    check_constant(checks, what, records, log)
    check_left(checks, what, out)


def check_constant(checks, what, records, log):
    """A neuroid that never changes has no correlation: that is counted and said, and no error."""
    for record in records:
        if record["benchmark"] == "on_constant":
            checks.that(record["undefined_neuroids"] == 1, f"{what}: the constant neuroid is not counted", record)
            checks.that(record["warnings"], f"{what}: the constant neuroid is not warned of", record)
    checks.that("warning: good, stage1 on on_constant: 1 of 6 neuroids" in log,
                f"{what}: no warning about the constant neuroid on stderr", log)


def check_verdicts(program, checks, configs, bad):
    """`check` and `plan` find all of it in one call."""
    run = configs.run_file("datasets.toml", ["good"], configs.datasets)
    check_verdict(program, checks, ["check", "--images", run], bad)
    bad = [each for each in bad if each[0] not in FOUND_LATER]
    check_verdict(program, checks, ["check", "--probe", run], bad)
    check_explained(program, checks, run, bad)


def check_explained(program, checks, run, datasets):
    """A score that is known to fail is not said to be left to do."""
    _, told = program.answer(["plan", run, "--explain"], LIMIT)
    checks.that("on on_good: to be computed: not computed before" in told, "plan --explain: what can run", told)
    for name, words in datasets:
        checks.that(any(f"on on_{name}: cannot be computed" in line and all(word in line for word in words)
                        for line in told.splitlines()), f"plan --explain: nothing of {name}", told)


def check_beside_scored(program, checks, configs):
    """Of a unit one benchmark is scored and the other cannot be: `plan` says "some failed", without the first "all"."""
    text = BENCHMARK.format(name="good", metric=RIDGE, ceiling="none", select='select = { neuroid_id = "absent" }')
    configs.file("benchmarks/nothing.toml", text.replace("on_good", "on_nothing"))
    run = configs.run_file("beside.toml", ["good"], ["good", "nothing"])
    out = configs.folder / "beside_out"
    code, log = program.run(["run", run, "--benchmarks", "on_good", "--out", out, "--threads", 1], 1, LIMIT)
    checks.that(code == DONE, f"ventral run beside.toml: ends with {code}", log)
    code, told = program.answer(["plan", run, "--out", out], LIMIT)
    checks.that(code == SOME_FAILED and "one of absent" in told, f"ventral plan beside.toml: ends with {code}", told)
    code, told = program.answer(["plan", run, "--benchmarks", "on_nothing"], LIMIT)
    checks.that(code == FAILED, f"ventral plan beside.toml: ends with {code} where nothing can be scored", told)


def check_told_once(program, checks, configs):
    """Why recordings cannot be scored is said of the first model, and of the others only that it is so."""
    configs.network("again")
    run = configs.run_file("once.toml", ["good", "again"], ["truncated"])
    code, log = program.run(["run", run, "--out", configs.folder / "once_out", "--threads", 1], 1, LIMIT)
    others = "2 scores of again failed for the reason of good, stage1 on on_truncated"
    checks.that(code == SOME_FAILED and log.count("cut short") == 1 and others in log,
                f"ventral run once.toml: ends with {code}", log)


def check_widths(program, checks, configs):
    """The datasets of one table state 8 degrees, its column 4; that is said of the table, once."""
    table = configs.file("widths.csv", "stimulus_id,filename,degrees\n" + "".join(f"{name},{name}.png,4\n" for name in IDS))
    for name in ("widths", "same_widths"):
        configs.dataset(name, csv=table)
    run = configs.run_file("widths.toml", ["good"], ["widths", "same_widths"])
    code, told = program.answer(["check", run], LIMIT)
    checks.that(code == DONE, f"ventral check widths.toml: ends with {code}", told)
    lines = [line for line in told.splitlines() if "widths.csv: its column 'degrees'" in line]
    checks.that(len(lines) == 1 and "the 8 visual degrees" in lines[0], "not one warning of other widths", told)


def test_datasets(program, folder, checks):
    configs = make_configs(program, folder)
    bad = bad_datasets(configs)
    configs.dataset("chosen", "two.nc", more=', variable = "recordings"')
    for ranks in [1, 2]:
        check_datasets(program, checks, configs, bad, ranks)
    check_verdicts(program, checks, configs, bad)
    check_beside_scored(program, checks, configs)
    check_told_once(program, checks, configs)
    check_widths(program, checks, configs)


if __name__ == "__main__":
    main(test_datasets)
