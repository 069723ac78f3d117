"""What a run file and the models, benchmarks and datasets beside it say.

The files are taken to be right: `ventral check` is the one that explains mistakes.
"""
import dataclasses
import glob
import itertools
import os
import tomllib

KINDS = ("models", "benchmarks", "datasets")
FAMILY_KEYS = ("dataset", "region", "metric", "ceiling", "normalisation")


@dataclasses.dataclass
class Run:
    models: dict      # records by identifier, in the order of the run file
    benchmarks: dict  # records by identifier, every member of a family
    datasets: dict
    layers: object    # the run file's value, or {model: [layer, …]}
    seed: int
    configs: str      # the folder of the records
    data: str         # the folder that data files are relative to; empty: the TOML that names them

    def path(self, file, record):
        return os.path.join(self.data or os.path.dirname(record["origin"]), file)

    def layer_sets(self, model):
        """Every entry a list of layers, which are scored together."""
        record = self.models[model]
        if isinstance(self.layers, dict):
            chosen = self.layers[model]
        elif self.layers == "committed":
            chosen = list(record["regions"].values())
        elif self.layers == "candidates":
            chosen = record["layers"]
        else:
            raise SystemExit(f"layers = {self.layers!r} is not supported here (committed, candidates or a table)")
        return [[entry] if isinstance(entry, str) else entry for entry in chosen]


def batch_size(model):
    """Of its record, or ventral's own where that states none."""
    return model.get("batch_size", 16)


def configs_folder(run_file):
    own = os.path.dirname(os.path.abspath(run_file))
    if any(os.path.isdir(os.path.join(own, kind)) for kind in KINDS):
        return own
    return os.path.dirname(own)


def read_records(folder):
    records = []
    for path in sorted(glob.glob(os.path.join(folder, "*.toml"))):
        with open(path, "rb") as file:
            records.append(tomllib.load(file) | {"origin": os.path.abspath(path)})
    return records


def filled(template, names):
    """`template` with {metric} and the like replaced, also inside of tables and lists."""
    if isinstance(template, str):
        for name, value in names.items():
            template = template.replace("{" + name + "}", value)
    elif isinstance(template, dict):
        return {key: filled(value, names) for key, value in template.items()}
    elif isinstance(template, list):
        return [filled(value, names) for value in template]
    return template


def named(value):
    return value if isinstance(value, dict) else {"name": value}


def members(family):
    """A benchmark file's members: keys that are lists multiply."""
    defaults = {"ceiling": "none", "normalisation": "explained_variance"}
    lists = [value if isinstance(value, list) else [value]
             for value in ((defaults | family)[key] for key in FAMILY_KEYS)]
    for values in itertools.product(*lists):
        member = family | dict(zip(FAMILY_KEYS, values))
        member["metric"], member["ceiling"] = named(member["metric"]), named(member["ceiling"])
        names = {key: member[key]["name"] if isinstance(member[key], dict) else member[key]
                 for key in FAMILY_KEYS}
        yield member | {key: filled(member[key], names) for key in ("identifier", "select") if key in member}


def only(names, chosen):
    unknown = set(chosen or []) - set(names)
    if unknown:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))} (known: {', '.join(names)})")
    return [name for name in names if not chosen or name in chosen]


def read_run(run_file, configs, data, models=None, benchmarks=None):
    """`models` and `benchmarks` limit the run to those named."""
    configs = configs or configs_folder(run_file)
    with open(run_file, "rb") as file:
        run = tomllib.load(file)
    records = {kind: read_records(os.path.join(configs, kind)) for kind in KINDS}
    known_models = {record["identifier"]: record for record in records["models"]}
    known_benchmarks = {member["identifier"]: member
                        for family in records["benchmarks"] for member in members(family)}
    return Run(models={name: known_models[name] for name in only(run["models"], models)},
               benchmarks={name: known_benchmarks[name] for name in only(run["benchmarks"], benchmarks)},
               datasets={record["identifier"]: record for record in records["datasets"]},
               layers=run.get("layers", "committed"), seed=run.get("seed", 0), configs=configs, data=data)
