#!/usr/bin/python3
"""Wrong input ends with exit code 1, one message and nothing on stdout; help and version work.

usage: command_line.py VENTRAL MPIRUN
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from program import environment, in_pairs

SUBCOMMANDS = ["run", "plan", "check", "list", "report", "metric", "ceiling", "readout", "demo", "select-layers", "layers", "extract", "verify"]

MODEL = """identifier = "stored"
features = { file = "absent.nc" }
layers = ["features"]
"""
DATASET = """identifier = "recorded"
[assemblies]
repetitions = { file = "absent.nc" }
"""
BENCHMARK = """identifier = "bench-{metric}"
pattern = "neural"
dataset = "recorded"
region = "V4"
metric = [{ name = "ridge", stratification = "none" }]
ceiling = { name = "internal_consistency" }
"""
RUN = """models = ["stored"]
benchmarks = ["bench-ridge"]
layers = "candidates"
"""


def write_configs(folder, **changed):
    """A run of one stored model on one benchmark, without the files of data."""
    texts = {"models/m": MODEL, "datasets/d": DATASET, "benchmarks/b": BENCHMARK, "run": RUN}
    texts.update({name.replace("_", "/"): text for name, text in changed.items()})
    for name, text in texts.items():
        path = folder / (name + ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder / "run.toml")


def wrong_inputs(folder):
    """(arguments, words that the message must have)"""
    out = ["--out", str(folder / "out")]
    away = write_configs(folder / "away")
    good = write_configs(folder / "good")
    (folder / "good" / "models" / "absent.nc").write_text("so that not all files are away\n")
    unknown_key = write_configs(folder / "key", run=RUN + "sed = 0\n")
    wrong_type = write_configs(folder / "type", run=RUN.replace('["stored"]', "3"))
    not_toml = write_configs(folder / "syntax", run="models = [\n")
    unknown_model = write_configs(folder / "model", run=RUN.replace('"stored"', '"stord"'))
    unknown_metric = write_configs(folder / "metric", benchmarks_b=BENCHMARK.replace("ridge", "rigde"),
                                   run=RUN.replace("ridge", "rigde"))
    text = folder / "text.nc"
    text.write_text("this is not netCDF\n")
    empty = folder / "empty.nc"
    empty.write_bytes(b"")
    foreign = folder / "foreign"
    foreign.mkdir()
    (foreign / "run.toml").write_text("# somebody's own\n")
    blocked = folder / "a_file"
    blocked.write_text("")
    new = ["--out", str(folder / "new.h5")]
    half_blocked = folder / "half_blocked"
    half_blocked.mkdir()
    (half_blocked / "activations").write_text("")
    night = folder / "night"
    (night / "journal").mkdir(parents=True)
    pair = ["--source", str(text), "--target", str(text)]
    params = folder / "params.json"
    params.write_text('{\n  "alphas": [,1]}\n')
    return [
        ([], []),
        (["score"], []),
        (["run"], []),
        (["run", good], ["--out"]),
        (["run", good, "--out", ""], ["--out", "empty"]),
        (["run", good, *out, "--max-time", ""], ["--max-time", "empty"]),
        (["run", good, *out, "--nonsense"], ["--nonsense"]),
        (["run", str(folder / "absent.toml"), *out], ["absent.toml: no such file"]),
        (["run", away, *out], ["away/run.toml: none of the files that it needs is there", "absent.nc", "--data"]),
        (["run", good, *out, "--models", "other"], ["other"]),
        (["run", good, *out, "--benchmarks", "other"], ["other"]),
        (["run", "--set", "seed=x", good, *out], ["--set seed=x: "]),
        (["run", "--models", "other", good, *out], ["unknown model 'other'"]),
        (["run", "--benchmarks", "bench-ridge, other", good, *out], ["unknown benchmark 'other'"]),
        (["run", good, *out, "--models", "stored", "--models", "other"], ["unknown model 'other'"]),
        (["run", good, *out, "--models", "stored", "word"], ["not expected", "word"]),
        (["run", good, *out, "--thread", "2"], ["error: not expected: --thread 2, did you mean '--threads'"]),
        (["run", "--nonsense"], ["not expected: --nonsense"]),
        (["run", good, "--outt", "x"], ["not expected: --outt x, did you mean '--out'"]),
        (["--versoin"], ["did you mean '--version'"]),
        (["run", good, *out, "--recompte"], ["did you mean '--recompute'", "ventral run --help"]),
        (["run", good, *out, "--set", "seed=1", "word=2"], ["not expected", "word=2"]),
        (["run", good, *out, "--data", str(folder / "nodata")], ["nodata", "--data"]),
        (["run", good, *out, "--data", str(blocked)], ["a_file: is a file, not a folder", "--data"]),
        (["run", good, *out, "--shard", "2/2"], ["shard"]),
        (["run", good, *out, "--shard", "one"], ["shard"]),
        (["run", good, *out, "--threads", "0"], ["--threads"]),
        (["run", good, *out, "--threads", "129"], ["--threads", "128"]),
        (["run", good, *out, "--threads", "many"], ["--threads"]),
        (["run", good, *out, "--memory", "much"], ["memory"]),
        (["run", good, *out, "--max-time", "soon"], ["--max-time: ", "soon"]),
        (["plan", good, "--memory", "3x"], ["--memory: ", "3x"]),
        (["plan"], ["CONFIG"]),
        (["plan", "--simulate", "0", "--simulate-grid", "5x5"], ["--simulate"]),
        (["plan", "--simulate", "8", "--simulate-grid", "5by5"], ["--simulate-grid: ", "5by5"]),
        (["plan", "--simulate", "8", "--simulate-grid", "5x5", "--simulate-disk", "0"], ["--simulate-disk: "]),
        *[(["plan", "--simulate", "8", "--simulate-grid", "5x5", f"--simulate-{name}", "4x"], [f"--simulate-{name}: ", "4x"])
          for name in ["seconds", "start", "start-bytes", "disk", "node-disk", "unit-disk", "down"]],
        (["plan", "--simulate-ranks", "1", unknown_key], ["run.toml:4:1"]),
        (["plan", "--simulate-grid", "5x5"], ["--simulate"]),
        (["plan", "--simulate", "8", "64", "--simulate-grid", "5x5"], ["--simulate-grid", "'64'", "--simulate 8,64"]),
        (["plan", "--simulate", "8", "--simulate-grid", "5x5", "--calibrate"], ["--calibrate", "--simulate"]),
        (["plan", "--simulate-ranks", "1", "--explain", unknown_key], ["--explain", "--simulate-ranks"]),
        (["run", good, "--out", str(blocked / "out")], ["a_file"]),
        (["run", good, "--out", str(half_blocked)], ["half_blocked/activations"]),
        (["check", str(folder / "good" / "models" / "m.toml")], ["m.toml", "the record of a model", "run file"]),
        (["check", str(folder / "good" / "benchmarks" / "b.toml")], ["b.toml", "the record of a benchmark"]),
        (["run", unknown_key, *out], ["run.toml:4:1", "sed", "seed"]),
        (["run", wrong_type, *out], ["run.toml:1:", "models"]),
        (["run", not_toml, *out], ["run.toml:"]),
        (["run", unknown_model, *out], ["run.toml:1:", "stord", "stored"]),
        (["run", unknown_metric, *out], ["rigde"]),
        (["metrik", unknown_key], ["metrik", "metric"]),
        (["plan", unknown_key], ["run.toml:4:1"]),
        (["check", unknown_key], ["run.toml:4:1"]),
        (["check", good], ["absent.nc"]),
        (["select-layers", good, *out], ["--region"]),
        (["select-layers", good, *out, "--region", "V5"], ["run.toml", "V5", "V4"]),
        (["select-layers", good, *out, "--region", "V4", "--write", str(blocked / "x")], ["a_file"]),
        (["select-layers", good, *out, "--region", "V4", "--write", "x", "--in-place"], ["--write"]),
        (["list"], []),
        (["list", "monkeys"], ["monkeys"]),
        (["report", str(folder / "nowhere"), *out], ["nowhere"]),
        (["report", str(night), "--out", str(night) + "/", "--re-ceil", "ceil_score"], ["night", "normalisation", "--out"]),
        (["report", str(night), str(night), "--out", str(night)], ["night", "several runs", "--out"]),
        (["metric", "plz", *pair], ["plz", "pls"]),
        (["metric", "pls"], ["--source"]),
        (["metric", "pls_split", *pair], ["--source-train"]),
        (["metric", "pls", *pair], ["text.nc"]),
        (["metric", "pls", "--source", str(empty), "--target", str(empty)], ["empty.nc"]),
        (["metric", "pls", "--source", str(folder / "no.nc"), "--target", str(folder / "no.nc")], ["no.nc"]),
        (["metric", "pls", *pair, "--params", "{"], ["--params: not JSON (the text ends too early)"]),
        (["metric", "pls", *pair, "--params", "@" + str(params)], [f"{params}: --params: not JSON (line 2, column 14: "]),
        (["ceiling", "internal_consistency", "--assembly", pair[1], "--params", "@" + str(params)],
         [f"{params}: --params: not JSON (line 2, column 14: "]),
        (["readout", "label", "--source", str(text), "--params", "@" + str(params)],
         [f"{params}: not JSON (line 2, column 14: "]),
        (["metric", "pls", *pair, "--params", '{"x": 1}'], ["x"]),
        (["metric", "pls", *pair, "--params", "@" + str(folder / "no.json")], ["no.json"]),
        (["ceiling", "internal_consistency"], ["--assembly"]),
        (["ceiling", "consistency", "--assembly", str(text)], ["consistency"]),
        (["ceiling", "internal_consistency", "--assembly", str(text)], ["text.nc"]),
        (["readout", "label"], ["--source"]),
        (["readout", "lable", "--source", str(text)], ["lable", "label"]),
        (["readout", "label", "--source", str(text)], ["text.nc"]),
        (["readout", "label", "--source", str(text), "--params", '{"choice_labels": "all"}'], ["choice_labels"]),
        (["readout", "probabilities", "--source", str(text), "--params", '{"c": 1}'], ["'c'"]),
        (["extract", str(folder / "no.toml"), "--images", str(folder), *new], ["no.toml"]),
        (["extract", str(folder / "good" / "models" / "m.toml"), "--images", str(folder), *new], ["no PNG"]),
        (["extract", "m.toml", "--images", str(folder), *new, "--count", "0"], ["--count", "1 or more"]),
        (["extract", "m.toml", "--images", str(folder), *new, "--degrees", "0"], ["--degrees", "above 0"]),
        (["extract", "--layers", "a,b", "absent.toml", "--images", str(folder), *new], ["absent.toml"]),
        (["extract", "m.toml", "--images", str(folder), *new, "--activations-compress", "10"], ["--activations-compress"]),
        (["run", good, *out, "--activations-compress", "0"], ["--activations-compress"]),
        (["demo"], []),
        (["demo", ""], ["DIR", "empty"]),
        (["demo", str(foreign)], ["run.toml"]),
        (["demo", str(blocked / "demo")], ["a_file"]),
    ]


def run(ventral, arguments, variables):
    return subprocess.run([*ventral, *arguments], capture_output=True, text=True, timeout=120, cwd="/", env=variables)


def as_users_start_it():
    """Without the variables that the program otherwise starts itself anew for."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS")}


def through_loader(ventral):
    """The command that has the loader start the program, as tools that bring their own libraries do."""
    loader = re.search(rb"/lib[^\0]*/ld-[^\0]*", pathlib.Path(ventral).read_bytes())[0].decode()
    return [loader, "--inhibit-cache", ventral]


def without_its_partner(ventral, folder):
    """The program in a folder where ventral-networks is not."""
    folder.mkdir()
    return shutil.copy2(ventral, folder / "ventral")


def its_own_partner(ventral, folder):
    """The program where ventral-networks is the program itself."""
    alone = without_its_partner(ventral, folder)
    (folder / "ventral-networks").symlink_to("ventral")
    return alone


def libraries(ventral):
    """What the loader brings in before the program runs."""
    return run([ventral], [], dict(environment(), LD_TRACE_LOADED_OBJECTS="1")).stdout


def closed_pipe():
    """Where nobody reads any more what is written."""
    reading, writing = os.pipe()
    os.close(reading)
    return os.fdopen(writing, "wb")


def wrong_outputs(ventral):
    """A reader that ends early is no error, as behind `| head`; a full disk is one."""
    wrong = []
    for output, code, said in [(closed_pipe(), 0, ""), (open("/dev/full", "wb"), 1, "result is lost")]:
        with output:
            result = subprocess.run([ventral, "list", "metrics"], stdout=output, stderr=subprocess.PIPE, text=True,
                                    timeout=120, cwd="/", env=environment())
        if result.returncode != code or said not in result.stderr or bool(said) != bool(result.stderr):
            wrong.append(["list metrics >", output.name, "ended with", result.returncode, result.stderr])
    return wrong


def unlike_ranks(ventral, mpirun):
    """What only one rank's environment asks for ends all ranks, with that rank's reason."""
    one = [ventral, "list", "metrics"]
    result = subprocess.run([mpirun, "-n", "1", *one, ":", "-n", "1", "-x", "VENTRAL_ISA=sse", *one], text=True,
                            capture_output=True, timeout=120, cwd="/", env=environment())
    found = faults_of_error(result, ["rank 1: VENTRAL_ISA: 'sse'"])
    return [["two ranks, one with another VENTRAL_ISA:", *found]] if found else []


def faults_of_error(result, words):
    faults = []
    if result.returncode != 1:
        faults.append(f"exit code {result.returncode}, not 1")
    if result.stdout:
        faults.append("something on stdout: " + result.stdout[:80])
    if not result.stderr.strip():
        faults.append("no message")
    if "terminate called" in result.stderr:
        faults.append("an exception escaped")
    faults += [f"the message lacks '{word}'" for word in words if word not in result.stderr]
    return faults


def faults_of_help(result, words):
    faults = [f"lacks '{word}'" for word in words if word not in result.stdout]
    if result.returncode != 0:
        faults.append(f"exit code {result.returncode}, not 0")
    if result.stderr:
        faults.append("something on stderr: " + result.stderr[:80])
    return faults


def cited_twice(folder):
    """A folder of configurations with two benchmarks of one entry."""
    cited = BENCHMARK + 'bibtex = """\n@article{who2020}\n"""\n'
    return os.path.dirname(write_configs(folder / "cited", benchmarks_b=cited, benchmarks_c=cited.replace("bench-", "other-")))


def says_only(text):
    return lambda result, words: faults_of_help(result, words) + ([] if result.stdout == text else ["says " + result.stdout])


def main():
    ventral = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        cases = [(arguments, words, faults_of_error) for arguments, words in wrong_inputs(pathlib.Path(name))]
        cases += [(["--help"], SUBCOMMANDS, faults_of_help), (["--version"], ["ventral 0."], faults_of_help)]
        cases += [(["run", "--help"], ["keep (the default) or discard", "seconds"], faults_of_help)]
        cases += [([each, "--help"], ["--help"], faults_of_help) for each in SUBCOMMANDS]
        cases += [(["list", "bibtex", "--configs", cited_twice(pathlib.Path(name))], [], says_only("@article{who2020}\n"))]
        cases = [([ventral], *case, environment()) for case in cases]
        for start in [[ventral], through_loader(ventral)]:
            cases += [(start, ["list", "metrics"], ["ridge_cv"], faults_of_help, as_users_start_it()),
                      (start, ["--version"], ["ventral 0."], faults_of_help, as_users_start_it()),
                      (start, ["layers", "--help"], ["Usage:"], faults_of_help, as_users_start_it()),
                      (start, ["metrik"], ["metric"], faults_of_error, as_users_start_it())]
        cases += [([ventral], ["list", "metrics"], ["VENTRAL_ISA: 'sse'", "avx2"], faults_of_error,
                   dict(environment(), VENTRAL_ISA="sse"))]
        has_avx512 = environment().get("OPENBLAS_CORETYPE") == "SkylakeX"
        for pin in ({"VENTRAL_ISA": "avx512"}, {"OPENBLAS_CORETYPE": "SkylakeX"}):
            said = (["ridge_cv"], faults_of_help) if has_avx512 else ([*pin, "AVX-512"], faults_of_error)
            cases += [([ventral], ["list", "metrics"], *said, dict(environment(), **pin))]
        alone = without_its_partner(ventral, pathlib.Path(name) / "alone")
        for start in [[alone], through_loader(alone), [its_own_partner(ventral, pathlib.Path(name) / "twice")]]:
            cases += [(start, ["plan", "x"], ["ventral-networks", "belong together"], faults_of_error, environment()),
                      (start, ["list", "metrics"], ["ridge_cv"], faults_of_help, environment())]

        def faults(case):
            start, arguments, words, faults_of, variables = case
            result = run(start, arguments, variables)
            found = faults_of(result, words)
            return [*start, *arguments, "\n   ", "; ".join(found), "\n    stderr:", result.stderr.strip()] if found else []

        wrong = [texts for texts in in_pairs(faults, cases) if texts]
    wrong += wrong_outputs(ventral) + unlike_ranks(ventral, sys.argv[2])
    if "libmpi" not in libraries(ventral) or "libtorch" in libraries(ventral):
        wrong.append(["the program starts with libtorch, or what it starts with is not known"])
    for texts in wrong:
        print(*texts)
    print(f"{len(cases)} command lines, {len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())
