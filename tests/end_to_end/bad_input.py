#!/usr/bin/python3
"""Bad input ends in a message that names it, in time and with the right exit code; bad_models.py and bad_datasets.py have
what is bad in one of many files.

usage: bad_input.py VENTRAL MPIRUN
"""
import subprocess

from program import environment, main, score_records
from small_configs import DONE, FAILED, LIMIT, SOME_FAILED, check_verdict, make_configs, make_constant, two_variables


def check_good(program, checks, configs):
    """Where nothing is bad nothing is told."""
    good = configs.run_file("good.toml", ["good"], ["good", "constant"])
    check_verdict(program, checks, ["check", "--probe", "--images", good], [])
    check_verdict(program, checks, ["plan", good], [])


def check_simulation(program, checks, configs):
    """A run is simulated with the times of its plan, whatever order the words are in."""
    good = configs.run_file("good.toml", ["good"], ["good", "constant"])
    code, told = program.answer(["plan", "--simulate", "2,4", good, "--simulate-out-of-memory", "0", "--json"], LIMIT)
    checks.that(code == DONE, f"plan --simulate: ends with {code}", told)
    works = [float(line.split(":")[1].strip(", ")) for line in told.splitlines() if '"work":' in line]
    checks.that(len(works) == 2 and works[0] == works[1] > 0, "plan --simulate: not two arrays with the plan's work", told)


def bad_outputs(configs):
    """(arguments, words that the message must have): what is wrong before anything can begin"""
    run = configs.run_file("good.toml", ["good"], ["good"])
    blocked = configs.folder / configs.file("a_file", "")
    unknown_key = configs.folder / configs.file("unknown.toml", run.read_text() + "sed = 1\n")
    return [
        (["run", run, "--out", blocked], ["a_file"]),
        (["run", run, "--out", blocked / "out"], ["a_file"]),
        (["run", run, "--out", "/proc/nope"], ["/proc/nope"]),
        (["run", unknown_key, "--out", configs.folder / "never"], ["unknown.toml:4:1", "sed", "seed"]),
        (["run", run, "--out", configs.folder / "never", "--memory", "100MiB"], ["--memory", "too little", "give at least", "iB"]),
        (["run", run, "--out", configs.folder / "never", "--memory", "8 apples"], ["--memory", "apples"]),
        (["run", configs.folder / "absent.toml", "--out", configs.folder / "never"], ["absent.toml"]),
    ]


def check_outputs(program, checks, configs):
    for number, (arguments, words) in enumerate(bad_outputs(configs)):
        ranks = 2 - number % 2
        what = f"ventral {' '.join(map(str, arguments))}, {ranks} rank(s)"
        code, log = program.run(arguments, ranks, LIMIT)
        checks.that(code == FAILED, f"{what}: ends with {code}, not 1", log)
        for word in words:
            checks.that(word in log, f"{what}: the message lacks '{word}'", log)
        checks.that(log.count("error: ") == 1, f"{what}: not one message", log)
    checks.that(not (configs.folder / "never").exists(), "a run that could not begin made its output folder")


def check_unlike_ranks(program, checks):
    """mpirun's colon form can give each rank other arguments."""
    command = [program.mpirun, "-n", "1", program.ventral, "list", "models", ":",
               "-n", "1", program.ventral, "list", "metrics"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=LIMIT, check=False)
    checks.that(result.returncode == FAILED, f"unlike ranks: end with {result.returncode}", result.stderr)
    checks.that("other arguments" in result.stderr, "unlike ranks: the message is another", result.stderr)


def check_metric_targets(program, checks, configs):
    good, two = configs.folder / "good.nc", configs.folder / "two.nc"
    code, told = program.answer(["metric", "cka", "--source", good, "--target", two], LIMIT)
    checks.that(code == FAILED, f"a target of two variables: ends with {code}", told)
    checks.that("two.nc" in told and "choose one with --target-variable" in told, "no cure for two variables", told)
    code, told = program.answer(["metric", "cka", "--source", two, "--target", good], LIMIT)
    checks.that(code == FAILED and "choose one with --variable" in told, "no cure for a source of two variables", told)
    code, told = program.answer(["ceiling", "internal_consistency", "--assembly", good], LIMIT)
    checks.that(code == FAILED and f"error: {good}: " in told, "a ceiling's error names no file", told)
    _, expected = program.answer(["metric", "cka", "--source", good, "--target", good, "--json"], LIMIT)
    code, told = program.answer(["metric", "cka", "--source", two, "--variable", "recordings", "--target", two,
                                 "--target-variable", "recordings", "--json"], LIMIT)
    checks.that(code == DONE and told == expected, f"a chosen variable: ends with {code}", told)


def check_changed_inputs(program, checks, configs):
    """What was cured leaves the tables, what fails later stays, and no row is warned of that they lack."""
    out, reported = configs.folder / "changed_out", configs.folder / "changed_report"
    configs.features("changed", configs.assembly("changed.nc"))
    run = configs.run_file("changed.toml", ["changed"], ["good"])

    def statuses(expected_code, expected, what):
        code, log = program.run(["run", run, "--out", out, "--threads", 1], 1, LIMIT)
        checks.that(code == expected_code, f"{what}: ends with {code}", log)
        checks.that("of another key" not in log, f"{what}: warns of a row that is not in the tables", log)
        program.run(["report", out, "--out", reported], 1, LIMIT)
        told = sorted(record["status"] for record in score_records(reported))
        checks.that(told == expected, f"{what}: the report has {told}, not {expected}")

    (configs.folder / "changed.nc").rename(configs.folder / "away.nc")
    statuses(SOME_FAILED, ["failed"], "a file that is away")
    (configs.folder / "away.nc").rename(configs.folder / "changed.nc")
    statuses(DONE, ["scored"], "a file that is back")
    configs.assembly("changed.nc", change=make_constant)
    statuses(DONE, ["scored", "scored"], "a file that has changed")
    (configs.folder / "changed.nc").unlink()
    statuses(SOME_FAILED, ["failed", "scored", "scored"], "a file that is away again")


def bad_input(program, folder, checks):
    configs = make_configs(program, folder)
    two_variables(configs)
    check_good(program, checks, configs)
    check_simulation(program, checks, configs)
    check_outputs(program, checks, configs)
    check_unlike_ranks(program, checks)
    check_metric_targets(program, checks, configs)
    check_changed_inputs(program, checks, configs)


if __name__ == "__main__":
    main(bad_input)
