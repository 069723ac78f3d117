"""The ceilings of Brain-Score by their registered names, in float64, from NUMERICS sections 8 and 9."""
import numpy as np
from sklearn.model_selection import ShuffleSplit

from . import scoring
from .reference_metrics import Result, aggregated, neuroid_order, rdm_of, sorted_ids, spearman, triangle

SPLITS = 10
FEWEST_IMAGES = 10


def mean_over_repetitions(table, rows):
    """The mean of these rows per distinct tuple of all other coordinates, sorted by stimulus: ids and values."""
    names = [name for name in table.presentations if name != "repetition"]
    groups = {}
    for row in np.flatnonzero(rows):
        groups.setdefault(tuple(table.presentations[name][row] for name in names), []).append(row)
    keys = sorted(groups)
    keys.sort(key=lambda key: key[names.index("stimulus_id")])
    return ([key[names.index("stimulus_id")] for key in keys],
            np.array([np.nanmean(table.values[groups[key]], axis=0) for key in keys]))


def internal_consistency_of(table):
    repetitions = np.unique(table.presentations["repetition"])
    splitter = ShuffleSplit(n_splits=SPLITS, train_size=0.5, random_state=scoring.RANDOM_STATE)
    raw = []
    for halves in splitter.split(repetitions):
        (ids, one), (others, other) = (
            mean_over_repetitions(table, np.isin(table.presentations["repetition"], repetitions[half]))
            for half in halves)
        if ids != others:
            raise AssertionError("stimuli of the halves differ")
        raw.append(spearman_brown(scoring.correlations(one, other))[neuroid_order(table)])
    raw = np.array(raw)
    return Result(*aggregated(raw), raw, sorted_ids(table))


def spearman_brown(r):
    with np.errstate(divide="ignore"):
        return 2 * r / (1 + r)


def internal_consistency(assembly):
    return internal_consistency_of(assembly.single())


def internal_consistency_temporal(assembly):
    order = np.argsort(assembly.time_bins["time_bin_start"], kind="stable")
    results = [internal_consistency_of(assembly.at_bin(position)) for position in order]
    return Result(*(np.array([getattr(result, name) for result in results]) for name in ("value", "error", "raw")),
                  results[0].neuroids)


def halves_of_images(table, generator):
    images, repetitions = table.presentations["image_id"], table.presentations["repetition"]
    for image in np.unique(images):
        distinct = np.unique(repetitions[images == image])
        if len(distinct) < 2:
            continue
        drawn = generator.permutation(distinct)
        yield [np.nanmean(table.values[(images == image) & np.isin(repetitions, half)], axis=0)
               for half in np.split(drawn, [len(drawn) // 2])]


def correlation_of_norms(one, other):
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (one * other).sum(axis=0) / (np.linalg.norm(one, axis=0) * np.linalg.norm(other, axis=0))


def predictor_consistency(assembly):
    table, generator, raw = assembly.single(), np.random.default_rng(0), []
    for _ in range(SPLITS):
        halves = np.array(list(halves_of_images(table, generator)))
        enough = len(halves) >= FEWEST_IMAGES
        raw.append(spearman_brown(correlation_of_norms(halves[:, 0], halves[:, 1])) if enough
                   else np.full(table.values.shape[1], np.nan))
    raw = np.array(raw)
    centre = np.nanmedian(raw, axis=1)
    finite = centre[np.isfinite(centre)]
    return Result(np.nanmean(centre), np.nanstd(centre) / np.sqrt(len(finite)) if len(finite) else np.nan,
                  raw, table.neuroids["neuroid_id"])


def rsa_ceiling(assembly):
    table = assembly.single()
    subjects = table.neuroids["subject"]
    matrices = np.array([rdm_of(table.values[:, subjects == subject]) for subject in np.unique(subjects)])
    raw = np.array([spearman(triangle(matrix), triangle(matrices.mean(axis=0))) for matrix in matrices])
    loo = [spearman(triangle(matrix), triangle(np.delete(matrices, i, axis=0).mean(axis=0)))
           for i, matrix in enumerate(matrices)] if len(matrices) > 1 else [np.nan]
    return Result(raw.mean(), None, raw, lower_bound_loo=np.mean(loo))


FORMS = {form.__name__: form for form in (
    internal_consistency, internal_consistency_temporal, predictor_consistency, rsa_ceiling)}
