"""Random problems for each metric, ceiling and readout: assemblies, parameters and what is odd about them."""
import dataclasses

import numpy as np

from . import random_readouts
from .assemblies import COLUMNS, ROWS, TIME, Assembly
from .random_tables import (chance, class_labels, identifiers, neuroids, odd_count, pick, recorded, repeated, shuffled,
                            tables, texts)

SUBJECTS = ("S2", "s10", "s9", "s1")
ROLES = ("source-train", "target-train", "source-test", "target-test")


@dataclasses.dataclass
class Problem:
    assemblies: dict   # by the program's option, in the order of the form's arguments
    params: dict
    told: list         # what is odd about it
    dims: dict = dataclasses.field(default_factory=dict)  # of the files, by the program's option


def file_dims(generator, in_time):
    """In any order; a single time bin has its dimension now and then, and where the metric is about time."""
    timed = in_time or chance(generator, 0.15)
    dims = [ROWS, COLUMNS, TIME] if timed else [ROWS, COLUMNS]
    return [dims[i] for i in generator.permutation(len(dims))] if chance(generator, 0.3) else dims


def problem(generator, assemblies, params, told, in_time=False):
    dims = {role: file_dims(generator, in_time) for role in assemblies}
    told += [f"{role} stored as {' × '.join(order)}" for role, order in dims.items() if order[:2] != [ROWS, COLUMNS]]
    return Problem(assemblies, params, told, dims)


def sizes(generator, work):
    """Rows, features and targets: p below, at and above n, m above n now and then; bounded by the work they are."""
    while True:
        rows = odd_count(generator, 7, 400)
        kind = pick(generator, "below", "above", "above", "at")
        columns = {"below": odd_count(generator, 1, rows - 1), "at": rows + int(generator.integers(-3, 4)),
                   "above": odd_count(generator, rows + 1, 900)}[kind]
        targets = odd_count(generator, 1, 300)
        if rows * (columns + targets) <= work:
            return rows, columns, targets


def cross_validation(generator, name, rows, classes, told):
    options = {"splits": int(generator.integers(2, 5))}
    kind = pick(generator, "default", "default", "one", "kfold", "rest", "both", "seed")
    compared = name in ("rdm_cv", "cka_cv")
    some = {"one": {"train_size": 0.06} if compared else pick(generator, {"train_size": 0.5}, {"test_size": 0.08}),
            "kfold": {"kfold": True} | ({"test_size": None} if compared else {}),
            "rest": {"test_size": None} if compared else {"train_size": None, "test_size": 0.37},
            "both": {"train_size": 0.61, "test_size": 0.22}, "seed": {"random_state": 77}}
    options |= some.get(kind, {})
    distinct = len(np.unique(classes))
    few = rows * (0.9 if compared else 0.1)
    if distinct > few and not chance(generator, 0.1) or chance(generator, 0.3):
        options["stratification_coord"] = None
    told.append(f"{kind} split" + (", unstratified" if "stratification_coord" in options else ""))
    return options


def regression(generator, name, columns, told):
    options = {}
    if "pls" in name and (columns < 25 or chance(generator, 0.5)):
        most = 30 if chance(generator, 0.1) else min(30, columns)
        options["n_components"] = int(generator.integers(1, most + 1))
        told.append(f"{options['n_components']} components")
    if "ridge_" in name + "_" and chance(generator, 0.4):
        options["alpha"] = float(pick(generator, 1e-3, 0.5, 20.0, 1e4))
    if "ridgecv" in name and chance(generator, 0.4):
        options["alphas"] = [float(10 ** generator.uniform(-3, 5)) for _ in range(generator.integers(1, 9))]
    return options


def with_rare_class(generator, classes, told):
    if chance(generator, 0.05):
        told.append("a class with one member")
        classes = classes.copy()
        classes[generator.integers(len(classes))] = 99 if classes.dtype != object else "rare"
    return classes


def with_nan(generator, target, told, probability=0.06):
    if chance(generator, probability):
        told.append("NaN in the target")
        target.values[tuple(generator.integers(length) for length in target.values.shape)] = np.nan


def with_other_strata(generator, source, told):
    if chance(generator, 0.04):
        told.append("a label of the source's own")
        labels = source.presentations["object_name"].copy()
        labels[generator.integers(len(labels))] = 77 if labels.dtype != object else "other"
        source.presentations["object_name"] = labels


def labelled_pair(generator, x, y, told):
    """Features and recordings of the same stimuli, each in an order of its own."""
    ids = identifiers(generator, len(x))
    classes = with_rare_class(generator, class_labels(generator, len(x)), told)
    return recorded(generator, x, ids, classes), recorded(generator, y, ids, classes)


def paired(generator, name, work):
    told = []
    rows, columns, targets = sizes(generator, work)
    if name.startswith(("rdm", "cka")):
        columns = max(columns, 2 if chance(generator, 0.1) else 3)
        targets = max(targets, 3)
    source, target = labelled_pair(generator, *tables(generator, name, rows, columns, targets, told), told)
    classes = target.presentations["object_name"]
    fitted = columns if not name.startswith("reverse") else targets
    cross = {}
    if name not in ("rdm", "cka", "cka_biased"):
        cross = cross_validation(generator, name, rows, classes, told)
        if not name.startswith("rdm") and rows <= 150 and chance(generator, 0.15):
            times = generator.integers(1, 4, rows)
            source, target = (repeated(generator, table, times) for table in (source, target))
            cross |= {"unique_split_values": True} if chance(generator, 0.6) else {}
            told.append("repeated stimuli")
    with_nan(generator, target, told)
    with_other_strata(generator, source, told)
    params = {"crossvalidation_kwargs": cross, "regression_kwargs": regression(generator, name, fitted, told)}
    told.append(f"{rows} × {columns}, {targets} targets")
    assemblies = {"source": shuffled(generator, source), "target": shuffled(generator, target)}
    return problem(generator, assemblies, {key: value for key, value in params.items() if value}, told)


def in_parts(generator, name, work):
    told = []
    rows, columns, targets = sizes(generator, work)
    pair = labelled_pair(generator, *tables(generator, name, rows, columns, targets, told), told)
    train = int(rows * generator.uniform(0.4, 0.9))
    order = generator.permutation(rows)
    parts = [shuffled(generator, table.rows(chosen)) for chosen in (order[:train], order[train:]) for table in pair]
    with_nan(generator, parts[3], told)
    with_nan(generator, parts[1], told, 0.03)
    params = regression(generator, name, targets if name.startswith("reverse") else columns, told)
    if "alphas" not in params and params:
        params = {"regression_kwargs": params}
    told.append(f"{train} + {rows - train} × {columns}, {targets} targets")
    return problem(generator, dict(zip(ROLES, parts)), params, told)


def bins_of(generator, count):
    start = 10 * generator.permutation(12)[:count] - 20
    return {"time_bin_start": start.astype(np.int64), "time_bin_end": (start + 10).astype(np.int64)}


def in_time(generator, name, work):
    told = []
    rows, columns, targets = sizes(generator, work // 3)
    count = int(generator.integers(1, 5))
    bins = bins_of(generator, count)
    x, y = tables(generator, name, rows * count, columns, targets, told)
    # Presentations of a bin stand together: the factors of each bin are its own.
    x, y = (values.reshape(count, rows, -1).transpose(1, 2, 0) for values in (x, y))
    source, target = labelled_pair(generator, x, y, told)
    source.time_bins, target.time_bins = bins, bins
    cross = cross_validation(generator, name, rows, target.presentations["object_name"], told)
    with_nan(generator, target, told, 0.03)
    params = {"crossvalidation_kwargs": cross, "regression_kwargs": regression(generator, name, columns, told)}
    told.append(f"{rows} × {columns}, {targets} targets, {count} time bins")
    return problem(generator, {"source": shuffled(generator, source), "target": shuffled(generator, target)},
                   {key: value for key, value in params.items() if value}, told, in_time=True)


def with_repetitions(generator, name, told):
    """Each stimulus with the same number of repetitions, or, as the reference allows, with some missing."""
    rows, columns = odd_count(generator, 8, 90), odd_count(generator, 1, 40)
    count = int(generator.integers(2, 13))
    bins = int(generator.integers(1, 4)) if name.endswith("temporal") else 1
    _, y = tables(generator, name, rows, 3, columns * bins, told)
    ids = identifiers(generator, rows)
    assembly = recorded(generator, y.reshape(rows, columns, bins), ids, class_labels(generator, rows))
    assembly.presentations.pop("size", None)  # grouping by NaN is undefined
    assembly.time_bins = bins_of(generator, bins)
    assembly = repeated(generator, assembly, np.full(rows, count))
    chosen = np.arange(len(assembly.values))
    repetition = np.zeros(len(chosen), dtype=np.int64)
    for stimulus in ids:
        own = assembly.presentations["stimulus_id"] == stimulus
        repetition[own] = generator.permutation(count)
    assembly.presentations["repetition"] = 2 * repetition + 1 if chance(generator, 0.3) else repetition
    if chance(generator, 0.15):
        told.append("repetitions as text")
        assembly.presentations["repetition"] = texts(str(number) for number in repetition)
    if count > 4 and chance(generator, 0.3):
        told.append("repetitions missing")
        chosen = chosen[generator.uniform(size=len(chosen)) < 0.93]
    told.append(f"{rows} stimuli × {count} repetitions, {columns} neuroids, {bins} time bins")
    return shuffled(generator, assembly.rows(chosen))


def ceiling(generator, name, _):
    told = []
    assembly = with_repetitions(generator, name, told)
    if name == "predictor_consistency":
        labels = assembly.presentations["stimulus_id"]
        assembly.presentations["image_id"] = labels.copy()
    if chance(generator, 0.25):
        told.append("NaN in the recordings")
        missing = generator.uniform(size=assembly.values.shape) < pick(generator, 0.002, 0.05, 0.3)
        assembly.values[missing] = np.nan
    return problem(generator, {"assembly": assembly}, {}, told, name.endswith("temporal"))


def subjects(generator, name, _):
    told = []
    rows = odd_count(generator, 5, 120)
    people = SUBJECTS[:generator.integers(1, 5)]
    of_each = [odd_count(generator, 2, 30) for _ in people]
    _, y = tables(generator, name, rows, 3, sum(of_each), told)
    labels = generator.permutation(np.repeat(texts(people), of_each))
    assembly = Assembly(y[:, :, np.newaxis], {"stimulus_id": identifiers(generator, rows)},
                        neuroids(generator, y.shape[1], subject=labels))
    told.append(f"{rows} stimuli, neuroids of subjects {of_each}")
    return problem(generator, {"assembly": assembly}, {}, told)


def readout(generator, name, _):
    told = []
    assemblies, params = random_readouts.MAKERS[name](generator, told)
    return problem(generator, assemblies, params, told)


def maker(name):
    if name in random_readouts.MAKERS:
        return readout
    if name == "rsa_ceiling":
        return subjects
    if name.startswith(("internal_consistency", "predictor_consistency")):
        return ceiling
    if name.startswith(("spantime", "pertime")):
        return in_time
    return in_parts if name.endswith("_split") else paired


def draw(name, seed, number):
    """The same for the same arguments. PLS takes hundreds of passes, so it gets less to do."""
    generator = np.random.default_rng([seed, number, *name.encode()])
    return maker(name)(generator, name, 12_000 if "pls" in name else 60_000)
