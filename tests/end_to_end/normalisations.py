#!/usr/bin/python3
"""Scores normalised neuroid by neuroid, by `run`, `run --set` and `report --re-ceil`, beside the arithmetic done here.

usage: normalisations.py VENTRAL MPIRUN
"""
import json
import math
import shutil

from program import SMALL_RUN, main, raw_values, score_records
from small_demo import make_small_demo

BY_NEUROID = "neuroid_wise_explained_var"


def expected_value(out, record):
    """r² of each split and neuroid over the neuroid's ceiling, averaged."""
    ceiling = json.loads((out / "ceilings" / f"{record['raw']['labels']}.json").read_text().splitlines()[0])
    splits = ceiling["raw"]["values"]
    ceilings = [math.fsum(split[j] for split in splits) / len(splits) for j in range(len(splits[0]))]
    ceiled = [r * r / ceilings[i % len(ceilings)] for i, r in enumerate(raw_values(out, record))]
    return math.fsum(ceiled) / len(ceiled)


def check_values(what, records, out, checks):
    for record in records:
        ours, theirs = record["value"], expected_value(out, record)
        checks.that(record["normalisation"] == BY_NEUROID and math.isclose(ours, theirs, rel_tol=1e-12),
                    f"{what}: {record['benchmark']}, {record['layer']} is {ours}, not {theirs}")


def check_report(program, out, again, checks):
    """From the records of a run that was normalised by numbers."""
    code, said = program.run(["report", out, "--out", again, "--re-ceil", BY_NEUROID])
    checks.that(code == 0 and "left as before" not in said, f"report --re-ceil ends with {code}", said)
    records = json.loads((again / "scores.json").read_text())
    check_values("report --re-ceil", records, out, checks)
    return records


def check_without_ceilings(program, out, folder, checks):
    bare = folder / "bare"
    shutil.copytree(out, bare)
    shutil.rmtree(bare / "ceilings")
    code, said = program.run(["report", bare, "--out", folder / "left", "--re-ceil", BY_NEUROID])
    kept = json.loads((folder / "left" / "scores.json").read_text())
    checks.that(code == 0 and f"left as before: {len(kept)} scores" in said and
                all(record["normalisation"] == "explained_variance" for record in kept),
                "without ceilings on disk the scores are not left as they were", said)


def check_private(program, folder, checks):
    """No value of a neuroid is on disk, and the score is the same."""
    record = folder / "demo" / "datasets" / "demo.toml"
    record.write_text(record.read_text().replace('"public"', '"private"'))
    out = folder / "private"
    code, said = program.run(["run", folder / "demo" / "run.toml", *SMALL_RUN, "--out", out, "--set",
                              f"normalisation={BY_NEUROID}"], ranks=2)
    checks.that(code == 0, f"the run of private data ends with {code}", said)
    checks.that(all("raw" not in record for record in score_records(out)) and
                all('"neuroid"' not in file.read_text() for file in (out / "ceilings").glob("*.json")),
                "values of neuroids of private data are on disk")
    return [record["value"] for record in score_records(out)]


def normalisations(program, folder, checks):
    make_small_demo(program, folder / "demo")
    run = ["run", folder / "demo" / "run.toml", *SMALL_RUN]
    by_numbers, by_neuroid = folder / "by_numbers", folder / "by_neuroid"
    code, said = program.run([*run, "--out", by_numbers], ranks=2)
    checks.that(code == 0, f"the run ends with {code}", said)
    code, said = program.run([*run, "--out", by_neuroid, "--set", f"normalisation={BY_NEUROID}"], ranks=3)
    checks.that(code == 0, f"the run with --set ends with {code}", said)
    scored = score_records(by_neuroid)
    checks.that(len(scored) > 1, "there are no scores", said)
    check_values("run --set", scored, by_neuroid, checks)
    again = check_report(program, by_numbers, folder / "again", checks)
    checks.that([record["value"] for record in again] == [record["value"] for record in scored],
                "report --re-ceil gives other bits than run")
    check_without_ceilings(program, by_numbers, folder, checks)
    checks.that(check_private(program, folder, checks) == [record["value"] for record in scored],
                "private data give other values")


if __name__ == "__main__":
    main(normalisations)
