#!/usr/bin/python3
"""What slurm/nightly.sh submits when not all of a run can be scored, with commands in place of Slurm's.

usage: nightly.py VENTRAL MPIRUN
"""
import pathlib
import subprocess

from netcdf3 import write_assembly
from program import environment, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
STIMULI = [f"s{number}" for number in range(40)]
MODEL = """identifier = "{name}"
features = {{ file = "{name}.nc" }}

[regions]
A = [{layers}]
"""
BENCHMARK = """identifier = "noise-ridge"
pattern = "neural"
dataset = "noise"
region = "A"
metric = { name = "ridge", stratification = "none" }
ceiling = "none"
normalisation = "none"
"""


def write_noise(path, columns, further):
    rows = [[(7 * row + 13 * column) % 17 + 0.25 * ((row * column) % 5) for column in range(columns)]
            for row in range(len(STIMULI))]
    write_assembly(path, rows, {"stimulus_id": STIMULI},
                   dict(further, neuroid_id=[f"n{number}" for number in range(columns)]))


def write_records(folder):
    for name in ["models", "datasets", "benchmarks", "commands"]:
        (folder / name).mkdir()
    write_noise(folder / "datasets" / "noise.nc", 4, {})
    (folder / "datasets" / "noise.toml").write_text('identifier = "noise"\n[assemblies]\ntarget = { file = "noise.nc" }\n')
    (folder / "benchmarks" / "noise.toml").write_text(BENCHMARK)
    for name, layers in [("whole", '"deep"'), ("other", '"deep"'), ("lacking", '"deeper"'), ("lost", '"deep"')]:
        (folder / "models" / f"{name}.toml").write_text(MODEL.format(name=name, layers=layers))
        if name != "lost":
            columns = 31 if name == "other" else 30  # models of equal features are one unit
            write_noise(folder / "models" / f"{name}.nc", columns, {"layer": ["deep"] * columns})
    commands = {"sbatch": f'echo "$@" >>{folder}/submitted\n'
                          f'echo "$SLURM_RESTART_COUNT$SLURM_MEM_PER_NODE" >>{folder}/inherited\n'
                          'case "$*" in *"$SBATCH_FAILS_AT"*) exit 1 ;; esac; echo 1',
                "squeue": f'echo "$SQUEUE_STATES$@" >{folder}/asked', "scancel": f'echo "$@" >>{folder}/cancelled'}
    for name, script in commands.items():
        path = folder / "commands" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)


class Nights:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def call(self, night, models, plan="--memory 4GiB", options=(), settings=None, before=()):
        """(exit code, all that nightly.sh says, how many jobs it has submitted)"""
        submitted = self.folder / "submitted"
        submitted.unlink(missing_ok=True)
        run = self.folder / f"{night}.toml"
        run.write_text(f'models = {models}\nbenchmarks = ["noise-ridge"]\nlayers = "committed"\n'.replace("'", '"'))
        variables = dict(environment(), VENTRAL=self.program.ventral, VENTRAL_NIGHT=night, VENTRAL_PLAN=plan)
        variables.update({"SBATCH_FAILS_AT": "no such word", **(settings or {})})
        variables["PATH"] = f"{self.folder}/commands:{variables['PATH']}"
        done = subprocess.run([ROOT / "slurm" / "nightly.sh", *before, run, "--out", self.folder / "out", *options], env=variables,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, len(submitted.read_text().splitlines()) if submitted.exists() else 0


def check_dead_shard(program, folder, checks):
    """One of two shards has not come to its end: what it leaves is not computed, and not forgotten."""
    run = folder / "two.toml"
    run.write_text('models = ["whole", "other"]\nbenchmarks = ["noise-ridge"]\nlayers = "committed"\n')
    for shards in range(2, 20):  # until they deal one unit to the first and one to another
        out = folder / f"shards_{shards}"
        code, said = program.answer(["run", run, "--out", out, "--shard", f"0/{shards}"])
        checks.that(code == 0, f"a shard ends with {code}", said)
        if "1 scored, 1 pending" in said:
            break
    report = ["report", out, "--current", "--out", out / "report"]
    code, said = program.answer(report)
    checks.that(code == 75 and "2 scores: 1 scored, 1 pending" in said, f"half a night is reported with {code}", said)
    code, said = program.answer(["report", out, "--out", folder / "all"])
    checks.that(code == 0 and "planned and not computed yet: 1 score (--current" in said,
                f"what is left of half a night is not told, {code}", said)
    code, said = program.answer(["plan", run, "--out", out, "--memory", "1MiB"])
    checks.that(code == 2, f"plan of what is left, without memory for it, ends with {code}", said)
    program.run(["run", run, "--out", out])
    code, said = program.answer(["report", out, "--out", folder / "all"])
    checks.that(code == 0 and "planned" not in said, f"a whole night is reported with {code}", said)
    code, said = program.answer([*report, "--diff", out / "report"])
    checks.that(code == 0 and "1 new; 1 as before" in said, f"a whole night is reported with {code}", said)
    code, said = program.answer(["plan", run, "--out", out, "--memory", "1MiB"])
    checks.that(code == 0, f"plan of what is finished ends with {code}", said)
    (out / "scores.json").unlink()
    code, said = program.answer(report)
    checks.that(code == 1 and "has no scores.json" in said and "leave out --current" in said,
                f"what is current without tables is told with {code}", said)


def check_sbatch(nights, folder, checks):
    (folder / "inherited").unlink()
    code, said, jobs = nights.call("lines", ["whole"], plan="--ranks 1\n--memory 4GiB",
                                   settings={"VENTRAL_SBATCH": "--ntasks=1\n--mem=2G --time=1:00",
                                             "SLURM_RESTART_COUNT": "7", "SLURM_MEM_PER_NODE": "9000",
                                             "SQUEUE_STATES": "COMPLETED"})
    array = (folder / "submitted").read_text().splitlines()[0]
    checks.that(code == 0 and jobs == 3 and "--ntasks=1 --mem=2G --time=1:00" in array, f"options in lines: {code}", array + said)
    checks.that("--export=ALL " in array, "the jobs are not given the night's variables", array)
    asked = (folder / "asked").read_text()
    checks.that(asked.startswith("--all "), "jobs of an earlier night are looked for in a part of the queue", asked)
    checks.that(not (folder / "inherited").read_text().strip(), "jobs are given the variables of the job that submits them")
    code, said, jobs = nights.call("failing", ["whole"], settings={"SBATCH_FAILS_AT": "rest.log"})
    cancelled = (folder / "cancelled").read_text()
    checks.that(code == 1 and jobs == 2 and cancelled.startswith("--name=ventral-night-"), f"sbatch fails: {code}, {jobs} jobs",
                said + cancelled)
    code, said, jobs = nights.call("failing", ["whole"])
    checks.that(code == 0 and jobs == 3, f"a night after one whose sbatch failed: {code}, {jobs} jobs", said)


def nightly(program, folder, checks):
    write_records(folder)
    nights = Nights(program, folder)
    code, said, jobs = nights.call("good", ["whole"])
    checks.that(code == 0 and jobs == 3 and "will fail" not in said, f"a good run: {code}, {jobs} jobs", said)
    report = (folder / "submitted").read_text().splitlines()[2]
    checks.that("--dependency=afterany:1:1 " in report, "the report does not wait for all jobs of the night", report)
    code, said, jobs = nights.call("good", ["whole"])
    checks.that(code == 1 and jobs == 0 and "an earlier night had that name" in said,
                f"a night with the name of another: {code}, {jobs} jobs", said)
    code, said, jobs = nights.call("some", ["whole", "lacking", "lost"])
    checks.that(code == 0 and jobs == 3, f"a run of which some can be scored: {code}, {jobs} jobs", said)
    for words in [("error: lacking, deeper on noise-ridge cannot be computed: ", "'deep'"),
                  ("error: lost on noise-ridge cannot be computed: ", "lost.nc"),
                  ("these scores cannot be computed, have failed before, or do not all fit the disk; the others are submitted",)]:
        checks.that(any(all(word in line for word in words) for line in said.splitlines()), f"{words} is not said", said)
    checks.that("whole on noise: cannot" not in said, "a unit that can run is named", said)
    for night, models, plan, why in [("none", ["lacking", "lost"], "--memory 4GiB", "cannot be computed: "),
                                     ("large", ["whole"], "--memory 1MiB", "cannot run: ")]:
        code, said, jobs = nights.call(night, models, plan)
        checks.that(code == 1 and jobs == 0 and why in said and "nothing can run" in said,
                    f"{night}: {code}, {jobs} jobs", said)
    code, said, jobs = nights.call("wrong", ["unknown"])
    checks.that(code == 1 and jobs == 0 and "would refuse it" in said, f"a wrong run: {code}, {jobs} jobs", said)
    for name, value in [("VENTRAL_NIGHT", "../elsewhere"), ("VENTRAL_NIGHT", "last"),
                        ("VENTRAL_MAX_RESTARTS", "1.5"), ("VENTRAL_SHARDS", "0")]:
        code, said, jobs = nights.call("setting", ["whole"], settings={name: value})
        checks.that(code == 1 and jobs == 0 and f"{name} is '{value}'" in said, f"{name}: {code}, {jobs} jobs", said)
    code, said, jobs = nights.call("words", ["whole", "lost"], options=["--models", "whole", "lost"])
    checks.that(code == 1 and jobs == 0 and "not expected" in said, f"a word too many: {code}, {jobs} jobs", said)
    code, said, jobs = nights.call("listed", ["whole", "lost"], options=["--models", "whole", "--set=seed=1"])
    checks.that(code == 0 and jobs == 3 and "will fail" not in said, f"one model of two: {code}, {jobs} jobs", said)
    kept = ["--activations", "discard", "--activations-budget=1GiB", "--grams", "keep"]
    code, said, _ = nights.call("kept", ["whole"], options=[*kept, "--max-time", "1h"], before=["--dry-run"])
    plan = next((line for line in said.splitlines() if " plan " in line), "")
    checks.that(code == 0 and " ".join(kept) in plan and "--max-time" not in plan, f"a plan is asked for otherwise: {code}", said)
    nights.call("again", ["whole"], options=["--recompute", "--retry-failed", "--audit", "1%"])
    array, rest, _ = (folder / "submitted").read_text().splitlines()
    checks.that("--recompute --retry-failed --audit 1%" in array, "the array does not recompute", array)
    checks.that("--audit 1%" in rest and "--re" not in rest, "what the array has done is done again after it", rest)
    check_sbatch(nights, folder, checks)
    code, said = program.answer(["plan", folder / "some.toml"])
    checks.that(code == 2, f"plan of what can run in part ends with {code}", said)
    code, said = program.answer(["plan", folder / "large.toml", "--memory", "1MiB"])
    checks.that("\n    cannot run: " in said and "\nleft to do: 0 flop" in said and "    left to do: " not in said,
                f"plan of what cannot run says ({code}) that it is left to do", said)
    check_dead_shard(program, folder, checks)


if __name__ == "__main__":
    main(nightly)
