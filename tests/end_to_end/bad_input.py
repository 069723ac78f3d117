#!/usr/bin/python3
"""Bad input ends in a message that names it, in time, with the right exit code, and costs only what is bad.

usage: bad_input.py VENTRAL MPIRUN
"""
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess

from netcdf3 import write_assembly
from program import Program, environment, main, score_records, wait, wait_for

DONE, FAILED, SOME_FAILED, INTERRUPTED = 0, 1, 2, 75
LIMIT = 60
STIMULI = 24
IDS = [f"demo_{number:03d}" for number in range(STIMULI)]

# On the CPU: some of them run in less memory than CUDA takes for itself.
NETWORK = """identifier = "{name}"
weights = {{ file = "{file}"{more} }}
visual_degrees = 8.0
batch_size = 8
device = "cpu"
layers = {layers}

[preprocessing]
backend = "pil"
resize = 64
crop = 64
mean = [0.5, 0.5, 0.5]
std = [0.25, 0.25, 0.25]
"""
FEATURES = """identifier = "{name}"
features = {{ file = "{file}"{more} }}
"""
DATASET = """identifier = "{name}"

[stimuli]
csv = "{csv}"
folder = "{images}"
visual_degrees = 8.0{csv_more}

[assemblies]
{role} = {{ file = "{file}"{more} }}
"""
BENCHMARK = """identifier = "on_{name}"
pattern = "neural"
dataset = "{name}"
region = "V1"
metric = {metric}
ceiling = "{ceiling}"
normalisation = "none"
{select}
"""
# What `plan` and `check` without --images do not find: they look at no feature and decode no image but one.
FOUND_LATER = ["nan_features", "inf_features", "images_truncated", "images_wrong", "images_flipped"]
RIDGE = '{ name = "ridge", stratification = "none" }'


class Configs:
    """A folder of records that each name one file of `data`; what is not said is good."""

    def __init__(self, folder, demo):
        self.folder = folder
        self.images = folder / "images"
        self.images.mkdir(parents=True)
        for name in IDS:
            shutil.copy(demo / "data" / "images" / f"{name}.png", self.images)
        shutil.copy(demo / "models" / "demo_designed.ts", folder / "good.ts")
        shutil.copy(demo / "data" / "recordings.nc", folder / "netcdf4.nc")
        self.file("good.csv", "stimulus_id,filename\n" + "".join(f"{name},{name}.png\n" for name in IDS))
        self.assembly("good.nc")
        self.models, self.datasets = [], []
        self.network("good")
        self.dataset("good")

    def file(self, name, contents):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return name

    def truncated(self, name, of):
        contents = (self.folder / of).read_bytes()
        return self.file(name, contents[:len(contents) * 2 // 3])

    def assembly(self, name, ids=IDS, change=None, further=None):
        chance = random.Random(1)
        values = [[chance.gauss(0, 1) for _ in range(6)] for _ in ids]
        if change:
            change(values)
        write_assembly(self.folder / name, values, {"stimulus_id": ids},
                       {"neuroid_id": [f"n{number}" for number in range(6)]}, further)
        return name

    def network(self, name, file="good.ts", more="", layers='["stage1", "stage3"]'):
        self.file(f"models/{name}.toml", NETWORK.format(name=name, file="../" + file, more=more, layers=layers))
        self.models.append(name)

    def features(self, name, file, more=""):
        self.file(f"models/{name}.toml", FEATURES.format(name=name, file="../" + file, more=more))
        self.models.append(name)

    def dataset(self, name, file="good.nc", csv="good.csv", more="", csv_more="", metric=RIDGE, images="images",
                role="target", ceiling="none", select=""):
        text = DATASET.format(name=name, file="../" + file, csv="../" + csv, images="../" + images, more=more,
                              csv_more=csv_more, role=role)
        self.file(f"datasets/{name}.toml", text)
        text = BENCHMARK.format(name=name, metric=metric, ceiling=ceiling, select=select)
        self.file(f"benchmarks/{name}.toml", text)
        self.datasets.append(name)

    def run_file(self, name, models, datasets):
        benchmarks = [f"on_{dataset}" for dataset in datasets]
        return self.folder / self.file(name, f"models = {models}\nbenchmarks = {benchmarks}\n"
                                             'layers = "candidates"\n')


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
    configs.features("no_features", "absent_features.nc")
    configs.features("other_stimuli", configs.assembly("others.nc", [*IDS[1:], "a_stranger"]))
    configs.features("twice", configs.assembly("twice.nc", [*IDS[1:], IDS[1]]))
    configs.features("more_stimuli", configs.assembly("more.nc", [*IDS, "one_more"]))
    configs.features("torn_features", configs.truncated("torn_features.nc", "netcdf4.nc"))
    configs.features("text_features", add("text_features.nc", "this is no netCDF file\n"))
    configs.features("nan_features", configs.assembly("nan_features.nc", change=put_nan))
    configs.features("two_features", two_variables(configs))
    configs.features("inf_features", configs.assembly("inf_features.nc", change=put_infinity))
    return [
        ("missing", ["absent.ts"], []),
        ("truncated", ["truncated.ts"], []),
        ("text", ["text.ts", "TorchScript"], []),
        ("empty", ["empty.ts"], []),
        ("image", ["demo_000.png"], []),
        ("checksum", ["good.ts", "sha256", "0" * 64], []),
        ("layer", ["stagee2", "stage2"], ["stage1"]),
        ("no_features", ["absent_features.nc"], []),
        ("other_stimuli", ["others.nc and ", "good.nc: ", "demo_000"], []),
        ("twice", ["twice.nc and ", "good.nc: ", "demo_000"], []),
        ("more_stimuli", ["more.nc and ", "good.nc: ", "one_more"], []),
        ("torn_features", ["torn_features.nc"], []),
        ("text_features", ["text_features.nc"], []),
        ("nan_features", ["nan_features.nc", "feature 2 'n2'", "NaN", "demo_005"], []),
        ("two_features", ["two.nc", "recordings, others", "'variable' in the TOML"], []),
        ("inf_features", ["inf_features.nc", "feature 4 'n4'", "infinite", "demo_023"], []),
    ]


def two_variables(configs):
    """The good table, and one that cannot be scored."""
    return configs.assembly("two.nc", further={"others": [[math.nan] * 6 for _ in IDS]})


def put_nan(values):
    values[5][2] = math.nan


def put_infinity(values):
    values[23][4] = -math.inf


def make_constant(values):
    for row in values:
        row[3] = 0.25


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
    ]


def check_reason(checks, what, record, words, log):
    reason = record.get("reason", "")
    checks.that(record["status"] == "failed", f"{what}: is {record['status']}, not failed")
    for word in words:
        checks.that(word in reason, f"{what}: the reason lacks '{word}'", reason)
    first = reason.splitlines()[0] if reason else "nothing"
    checks.that(reason and first in log, f"{what}: stderr lacks the reason", reason)


def check_left(checks, what, out):
    """Nothing that is half written, under whatever name."""
    left = [path for path in out.rglob("*") if "tmp" in path.name or "probe" in path.name]
    checks.that(not left, f"{what}: temporary files are left", left)


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


def check_verdicts(program, checks, configs, models, datasets):
    """`check` and `plan` find all of it in one call."""
    for_models = configs.run_file("models.toml", configs.models, ["good"])
    for_datasets = configs.run_file("datasets.toml", ["good"], configs.datasets)
    check_verdict(program, checks, ["check", "--images", for_datasets], datasets)
    models, datasets = ([each for each in bad if each[0] not in FOUND_LATER] for bad in (models, datasets))
    check_verdict(program, checks, ["check", "--probe", for_models], models)
    check_verdict(program, checks, ["check", "--probe", for_datasets], datasets)
    check_verdict(program, checks, ["plan", for_models], models, SOME_FAILED)
    check_explained(program, checks, for_datasets, datasets)
    check_said_once(program, checks, configs.run_file("twice.toml", configs.models, ["good", "constant"]),
                    [name for name, _ in models])
    good = configs.run_file("good.toml", ["good"], ["good", "constant"])
    check_verdict(program, checks, ["check", "--probe", "--images", good], [])
    check_verdict(program, checks, ["plan", good], [])
    check_simulation(program, checks, configs)


def check_simulation(program, checks, configs):
    """A run is simulated with the times of its plan, whatever order the words are in."""
    good = configs.run_file("good.toml", ["good"], ["good", "constant"])
    code, told = program.answer(["plan", "--simulate", "2,4", good, "--simulate-out-of-memory", "0", "--json"], LIMIT)
    checks.that(code == DONE, f"plan --simulate: ends with {code}", told)
    works = [float(line.split(":")[1].strip(", ")) for line in told.splitlines() if '"work":' in line]
    checks.that(len(works) == 2 and works[0] == works[1] > 0, "plan --simulate: not two arrays with the plan's work", told)


def check_explained(program, checks, run, datasets):
    """A score that is known to fail is not said to be left to do."""
    _, told = program.answer(["plan", run, "--explain"], LIMIT)
    checks.that("on on_good: to be computed: not computed before" in told, "plan --explain: what can run", told)
    for name, words in datasets:
        checks.that(any(f"on on_{name}: cannot be computed" in line and all(word in line for word in words)
                        for line in told.splitlines()), f"plan --explain: nothing of {name}", told)


def check_said_once(program, checks, run, models):
    """What is wrong with a model, of two benchmarks too."""
    _, told = program.answer(["check", "--probe", run], LIMIT)
    for name in models:
        lines = [line for line in told.splitlines() if f"model {name}: " in line or f" {name} on " in line]
        checks.that(len(lines) == 1, f"ventral check {run.name}: {len(lines)} lines about {name}", told)
    _, told = program.answer(["plan", run], LIMIT)
    checks.that("0 stimuli" not in told and "0 flop (network" not in told,
                f"ventral plan {run.name}: numbers of what could not be estimated", told)


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


def check_verdict(program, checks, arguments, bad, of_bad=FAILED):
    code, told = program.answer(arguments, LIMIT)
    what = f"ventral {arguments[0]} {arguments[-1].name}"
    checks.that(code == (of_bad if bad else DONE), f"{what}: ends with {code}", told)
    for name, words in bad:
        checks.that(any(all(word in line for word in words) for line in told.splitlines()),
                    f"{what}: nothing is told about {name}, {words}", told)


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


# (a limit of the shell, words that the message must have)
LIMITS = [("-f 20", ["File too large"]), ("-v 750000", ["memory"])]


def has_cuda(program):
    """Its libraries alone need gigabytes of addresses."""
    libraries = subprocess.run(["ldd", f"{program.ventral}-networks"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return "libtorch_cuda" in libraries


def check_limits(program, checks, configs):
    """A limit that the shell sets is an error with a message, neither a signal nor a hang."""
    run = configs.run_file("limited.toml", ["good"], ["good"])
    no_address_limit = program.has_address_sanitizer() or has_cuda(program)
    for number, (limit, words) in enumerate(LIMITS[:1] if no_address_limit else LIMITS):
        limited = configs.folder / f"limited{number}"
        limited.write_text(f'#!/bin/sh\nulimit {limit}\nexec "{program.ventral}" "$@"\n')
        limited.chmod(0o755)
        for ranks in [1, 2]:
            out = configs.folder / f"limited{number}_{ranks}"
            code, log = Program(limited, program.mpirun).run(["run", run, "--out", out, "--threads", 1], ranks, LIMIT)
            checks.that(code in (FAILED, SOME_FAILED), f"ulimit {limit}, {ranks} rank(s): ends with {code}", log)
            for word in words:
                checks.that(word in log, f"ulimit {limit}, {ranks} rank(s): the message lacks '{word}'", log)


def check_memory(program, checks, configs):
    """A network whose batches need more than a rank may take costs its own scores, and says what would help."""
    text = NETWORK.format(name="hungry", file="../good.ts", more="", layers='["stage1", "stage3"]')
    configs.file("models/hungry.toml", text.replace("batch_size = 8", "batch_size = 4096"))
    run = configs.run_file("hungry.toml", ["good", "hungry"], ["good"])
    for ranks in [1, 2]:
        what, out = f"too little memory, {ranks} rank(s)", configs.folder / f"hungry_{ranks}"
        code, log = program.run(["run", run, "--out", out, "--threads", 1, "--memory", f"{ranks * 500}MiB"], ranks, LIMIT)
        checks.that(code == SOME_FAILED, f"{what}: ends with {code}", log)
        for record in score_records(out):
            hungry = record["model"] == "hungry"
            checks.that(record["status"] == ("failed" if hungry else "scored"), f"{what}: {record['status']}", record)
            if hungry:
                checks.that(record["class"] == "out_of_memory" and "the limit is --memory) raise --memory" in record["reason"]
                            and record["memory"]["bound"] == 500 << 20, f"{what}: another record", record)


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


def check_closed_descriptors(program, checks, configs):
    """What results and messages would be written to is no file of the run's own."""
    def close_all():
        for each in range(3):
            os.close(each)

    out = configs.folder / "closed"
    process = subprocess.Popen([program.ventral, "run", configs.demo, "--out", out, "--threads", "1"], preexec_fn=close_all,
                               env=environment())
    wait_for(lambda: list(out.glob("journal/*.journal")) or process.poll() is not None)
    try:
        has_ended = process.poll() is not None
        opened = [] if has_ended else [os.readlink(f"/proc/{process.pid}/fd/{each}") for each in range(3)]
        checks.that(opened == 3 * ["/dev/null"], "closed descriptors are opened for other files", opened)
    finally:
        process.kill()
        process.wait()


def check_readers_that_go(program, checks, configs):
    """`2>&1 | head -1`: who reads the messages or the results is gone before the run is done."""
    out = configs.folder / "unread"
    process = subprocess.Popen([program.ventral, "run", configs.demo, "--out", out, "--threads", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
    process.stderr.readline()
    process.stderr.close()
    code = process.wait(LIMIT)
    checks.that(code == DONE and (out / "scores.csv").exists(), f"unread messages: the run ends with {code}", out)
    process = subprocess.Popen([program.ventral, "report", out, "--out", configs.folder / "unread_report"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    process.stdout.close()
    told = process.stderr.read().decode()
    checks.that(process.wait(LIMIT) == DONE and "standard output" not in told, "results that nobody reads are an error", told)


def check_interrupt(program, checks, configs):
    """Ctrl-C goes to mpirun and to all ranks at once, as the terminal sends it."""
    for ranks in [1, 2]:
        out = configs.folder / f"interrupt{ranks}"
        log = out.with_suffix(".log")
        process = program.start(["run", configs.demo, "--out", out, "--threads", 1], ranks, log)
        wait_for(lambda: list(out.glob("grams/*.h5")) or process.poll() is not None)
        program.interrupt(process)
        code = wait(process, LIMIT)
        checks.that(code in (FAILED, INTERRUPTED, 128 + signal.SIGINT), f"Ctrl-C, {ranks} rank(s): ends with {code}",
                    log.read_text())
        checks.that("terminate called" not in log.read_text(), "Ctrl-C: an exception escaped", log.read_text())


def bad_input(program, folder, checks):
    program.run(["demo", folder / "demo"])
    configs = Configs(pathlib.Path(folder, "configs"), folder / "demo")
    configs.demo = folder / "demo" / "run.toml"
    models = bad_models(configs)
    datasets = bad_datasets(configs)
    configs.dataset("constant", configs.assembly("constant.nc", change=make_constant))
    configs.dataset("chosen", "two.nc", more=', variable = "recordings"')
    configs.features("chosen", "two.nc", more=', variable = "recordings"')
    for ranks in [1, 2]:
        check_models(program, checks, configs, models, ranks)
        check_datasets(program, checks, configs, datasets, ranks)
    check_verdicts(program, checks, configs, [(name, words) for name, words, _ in models], datasets)
    check_warnings(program, checks, configs)
    check_widths(program, checks, configs)
    check_outputs(program, checks, configs)
    check_limits(program, checks, configs)
    if not program.has_address_sanitizer():
        check_memory(program, checks, configs)
    check_unlike_ranks(program, checks)
    check_metric_targets(program, checks, configs)
    check_changed_inputs(program, checks, configs)
    check_interrupt(program, checks, configs)
    check_readers_that_go(program, checks, configs)
    check_closed_descriptors(program, checks, configs)


if __name__ == "__main__":
    main(bad_input)
