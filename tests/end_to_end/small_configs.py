"""Configurations of small files, all good but for what a test makes bad, and how it is to be told."""
import math
import pathlib
import random
import shutil

from netcdf3 import write_assembly

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

    def wrong_record(self, name, text):
        self.file(f"models/{name}.toml", text)
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


def make_configs(program, folder):
    """With a dataset `constant`, one neuroid of which never changes; `demo` is the demo's own run."""
    program.write_demo(folder / "demo")
    configs = Configs(pathlib.Path(folder, "configs"), folder / "demo")
    configs.demo = folder / "demo" / "run.toml"
    configs.dataset("constant", configs.assembly("constant.nc", change=make_constant))
    return configs


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


def check_verdict(program, checks, arguments, bad, of_bad=FAILED):
    """All that is told."""
    code, told = program.answer(arguments, LIMIT)
    what = f"ventral {arguments[0]} {arguments[-1].name}"
    checks.that(code == (of_bad if bad else DONE), f"{what}: ends with {code}", told)
    for name, words in bad:
        checks.that(any(all(word in line for word in words) for line in told.splitlines()),
                    f"{what}: nothing is told about {name}, {words}", told)
    return told
