#!/usr/bin/python3
"""A bad model costs its own scores only: runs, `check` and `plan` name it and say what is wrong.

usage: bad_models.py VENTRAL MPIRUN
"""
import os

from program import main, score_records
from small_configs import (DONE, FAILED, IDS, LIMIT, SOME_FAILED, check_left, check_reason, check_verdict, make_configs,
                           put_infinity, put_nan, two_variables)

# What `plan` and `check` without --images do not find: they look at no feature and decode no image but one.
FOUND_LATER = ["nan_features", "inf_features"]
IN_TIME = ("in_time", ["change in time", "no time bins"], [])


def bad_models(configs):
    """Adds models; (name, words that the reason must have, layers that can be scored all the same)"""
    add = configs.file
    configs.network("missing", "absent.ts")
    configs.network("truncated", configs.truncated("truncated.ts", "good.ts"))
    configs.network("text", add("text.ts", "this is no network\n"))
    configs.network("empty", add("empty.ts", b""))
    configs.network("image", "images/demo_000.png")
    configs.network("checksum", more=f', sha256 = "{"0" * 64}"')
    configs.network("layer", layers='["stage1", "stagee2"]')
    configs.network("in_time", layers='["stage3"]')
    with open(configs.folder / "models" / "in_time.toml", "a") as record:
        record.write(f"\n[time]\nbins = {[[10 * i, 10 * i + 10] for i in range(30)]}\n")
    configs.features("no_features", "absent_features.nc")
    configs.features("other_stimuli", configs.assembly("others.nc", [*IDS[1:], "a_stranger"]))
    configs.features("twice", configs.assembly("twice.nc", [*IDS[1:], IDS[1]]))
    configs.features("more_stimuli", configs.assembly("more.nc", [*IDS, "one_more"]))
    configs.features("torn_features", configs.truncated("torn_features.nc", "netcdf4.nc"))
    configs.features("text_features", add("text_features.nc", "this is no netCDF file\n"))
    configs.features("nan_features", configs.assembly("nan_features.nc", change=put_nan))
    configs.features("two_features", two_variables(configs))
    configs.features("inf_features", configs.assembly("inf_features.nc", change=put_infinity))
    configs.wrong_record("no_file", 'identifier = "no_file"\n')
    configs.wrong_record("no_toml", "identifier = \n")
    return [
        ("missing", ["absent.ts"], []),
        ("truncated", ["truncated.ts"], []),
        ("text", ["text.ts", "TorchScript"], []),
        ("empty", ["empty.ts"], []),
        ("image", ["demo_000.png"], []),
        ("checksum", ["good.ts", "sha256", "0" * 64], []),
        ("layer", ["stagee2", "stage2"], ["stage1"]),
        IN_TIME,
        ("no_features", ["absent_features.nc"], []),
        ("other_stimuli", ["others.nc and ", "good.nc: ", "demo_000"], []),
        ("twice", ["twice.nc and ", "good.nc: ", "demo_000"], []),
        ("more_stimuli", ["more.nc and ", "good.nc: ", "one_more"], []),
        ("torn_features", ["torn_features.nc"], []),
        ("text_features", ["text_features.nc"], []),
        ("nan_features", ["nan_features.nc", "feature 2 'n2'", "NaN", "demo_005"], []),
        ("two_features", ["two.nc", "recordings, others", "'variable' in the TOML"], []),
        ("inf_features", ["inf_features.nc", "feature 4 'n4'", "infinite", "demo_023"], []),
        ("no_file", ["no_file.toml:1:1: key 'weights'"], []),
        ("no_toml", ["no_toml.toml:1:", "not TOML"], []),
    ]


def check_models(program, checks, configs, bad, ranks):
    out = configs.folder / f"models_out{ranks}"
    run = configs.run_file("models.toml", configs.models, ["good"])
    code, log = program.run(["run", run, "--out", out, "--threads", 1], ranks, LIMIT)
    what = f"bad models, {ranks} rank(s)"
    checks.that(code == SOME_FAILED, f"{what}: ends with {code}, not 2", log)
    records = score_records(out)
    scored = {(record["model"], record["layer"]) for record in records if record["status"] == "scored"}
    expected = {("good", "stage1"), ("good", "stage3"), ("chosen", "features")}
    expected |= {(name, layer) for name, _, layers in bad for layer in layers}
    checks.that(scored == expected, f"{what}: other scores than expected", scored ^ expected)
    for name, words, _ in bad:
        failed = [record for record in records if record["model"] == name and record["status"] != "scored"]
        checks.that(failed, f"{what}: no record of {name}")
        for record in failed:
            check_reason(checks, f"{what}, {name}", record, words, log)
    check_left(checks, what, out)


def check_verdicts(program, checks, configs, bad):
    """Of a model of two benchmarks it is told once; `plan` has no numbers of what could not be estimated."""
    run = configs.run_file("twice.toml", configs.models, ["good", "constant"])
    found = [(name, words) for name, words, _ in bad if name not in FOUND_LATER]
    told = check_verdict(program, checks, ["check", "--probe", run], found)
    for name, _ in found:
        lines = [line for line in told.splitlines() if f"model {name}: " in line or f" {name} on " in line]
        checks.that(len(lines) == 1, f"ventral check {run.name}: {len(lines)} lines about {name}", told)
    told = check_verdict(program, checks, ["plan", run], found, SOME_FAILED)
    checks.that("0 stimuli" not in told and "0 flop (network" not in told,
                f"ventral plan {run.name}: numbers of what could not be estimated", told)


def check_in_time(program, checks, configs):
    """Its record says so, without a look at the network; nothing of it is planned."""
    run = configs.run_file("in_time.toml", ["in_time"], ["good"])
    check_verdict(program, checks, ["check", run], [IN_TIME[:2]])
    told = check_verdict(program, checks, ["plan", run], [IN_TIME[:2]])
    checks.that("1 score (1 cannot be computed), 0 to compute" in told, "ventral plan in_time.toml: what is to do", told)


def check_failed_before(program, checks, configs):
    """What `plan` cannot foresee it knows once it has failed."""
    run = configs.run_file("late.toml", ["good", "nan_features"], ["good"])
    code, told = program.answer(["plan", run], LIMIT)
    checks.that(code == DONE, f"ventral plan late.toml: ends with {code}", told)
    out = configs.folder / "late_out"
    code, log = program.run(["run", run, "--out", out, "--threads", 1], 1, LIMIT)
    checks.that(code == SOME_FAILED, f"ventral run late.toml: ends with {code}", log)
    code, told = program.answer(["plan", run, "--out", out], LIMIT)
    checks.that(code == SOME_FAILED and told.count("(1 finished, 1 of them failed)") == 1,
                f"ventral plan late.toml --out: ends with {code}", told)


def check_wrong_record(program, checks, configs):
    """It is warned of by one rank, and is no matter for who does not name it."""
    wrong = configs.folder / configs.file("models/wrong.toml", 'identifier = "wrong"\n')
    run = configs.run_file("beside.toml", ["good"], ["good"])
    code, log = program.run(["run", run, "--out", configs.folder / "beside_out", "--threads", 1], 2, LIMIT)
    checks.that(code == DONE, f"beside a wrong record: ends with {code}", log)
    checks.that(log.count(f"left out, since wrong: {wrong}:") == 1, "a wrong record is not warned of once", log)
    alone = configs.run_file("alone.toml", ["wrong"], ["good"])
    out = configs.folder / "alone_out"
    code, log = program.run(["run", alone, "--out", out], 2, LIMIT)
    checks.that(code == FAILED and f"error: {wrong}:1:1: key 'weights'" in log and not out.exists(),
                f"a run of a wrong record alone: ends with {code}", log)
    code, told = program.answer(["layers", "wrong", "--configs", configs.folder], LIMIT)
    checks.that(code == FAILED and f"model 'wrong' is left out, since wrong: {wrong}:1:1: key 'weights'" in told,
                f"ventral layers wrong: ends with {code}", told)
    wrong.unlink()
    os.mkfifo(wrong)
    code, told = program.answer(["check", run], LIMIT)
    checks.that(code == DONE and f"{wrong}: is not a regular file" in told, f"a pipe among the records: ends with {code}", told)
    wrong.unlink()


def check_stored(program, checks, configs, bad):
    """What files of features say is told without a probe."""
    found = [(name, words) for name, words, _ in bad if name in ("other_stimuli", "twice", "more_stimuli")]
    run = configs.run_file("stored.toml", ["good", *(name for name, _ in found)], ["good"])
    check_verdict(program, checks, ["check", run], found)


def check_trial_seconds(program, checks, configs):
    """What the environment says of trials is no fault of the networks, whose scores would be left out then."""
    run, out = configs.run_file("patient.toml", ["good"], ["good"]), configs.folder / "patient_out"
    code, log = program.run(["run", run, "--out", out, "--threads", 1], 2, LIMIT, {"VENTRAL_TRIAL_SECONDS": "10m"})
    checks.that(code == FAILED and "VENTRAL_TRIAL_SECONDS: '10m'" in log and not out.exists(),
                f"trials of '10m': ends with {code}", log)


def check_warnings(program, checks, configs):
    """What a record mostly says by mistake is no error."""
    text = (configs.folder / "models" / "good.toml").read_text()
    text = text.replace('"good"', '"odd"').replace("crop = 64", "crop = 96").replace("[0.5, 0.5, 0.5]", "[124, 116, 104]")
    configs.file("models/odd.toml", text + '\n[regions]\nV1 = ["stagee1"]\n')
    run = configs.run_file("odd.toml", ["odd"], ["good"])
    code, told = program.answer(["check", "--probe", run], LIMIT)
    checks.that(code == DONE, f"ventral check odd.toml: ends with {code}", told)
    for words in [["crop 96", "resize 64"], ["mean has 124", "255"], ["[regions] V1", "stagee1", "stage1"]]:
        checks.that(any("warning: " in line and all(word in line for word in ["models/odd.toml", *words])
                        for line in told.splitlines()), f"ventral check odd.toml: no warning with {words}", told)


def test_models(program, folder, checks):
    configs = make_configs(program, folder)
    bad = bad_models(configs)
    configs.features("chosen", "two.nc", more=', variable = "recordings"')
    for ranks in [1, 2]:
        check_models(program, checks, configs, bad, ranks)
    check_verdicts(program, checks, configs, bad)
    check_in_time(program, checks, configs)
    check_failed_before(program, checks, configs)
    check_wrong_record(program, checks, configs)
    check_stored(program, checks, configs, bad)
    check_trial_seconds(program, checks, configs)
    check_warnings(program, checks, configs)


if __name__ == "__main__":
    main(test_models)
