"""Features and recordings with the traits of real ones, the same in every run.

Features are like the output of a ReLU: an offset per feature, latent factors of power-law variance and
noise, cut at zero, so that they are positive and their means are not zero. Recordings are a linear readout
of the factors and noise of twice its size: predictions then correlate with them as little as with real recordings,
and PLS takes as many passes. Columns are made in slabs of 4096 with a seed each: the first p are the same
however many there are.
"""
import numpy as np

from .assembly_file import write_blocks
from .recordings import Recordings

SLAB = 4096
FACTORS = 200
OBJECTS = 8


def factors(stimuli, count=FACTORS):
    """stimuli × count; the variance of the k-th is 1/k."""
    values = np.random.default_rng(1).standard_normal((stimuli, count))
    return values / np.sqrt(np.arange(1, count + 1))


def feature_slab(stimuli, first, count):
    """Columns [first, first + count) of one slab, float32."""
    stream = np.random.default_rng([2, first])
    latent = factors(stimuli).astype(np.float32)
    loadings = stream.standard_normal((FACTORS, SLAB), dtype=np.float32)[:, :count]
    scale = np.exp(0.5 * stream.standard_normal(SLAB, dtype=np.float32))[:count]
    offset = stream.standard_normal(SLAB, dtype=np.float32)[:count]
    values = latent @ loadings
    values += offset
    values += np.float32(0.3) * stream.standard_normal((stimuli, SLAB), dtype=np.float32)[:, :count]
    np.maximum(values, 0, out=values)
    values *= scale
    return values


def slabs(stimuli, features):
    for first in range(0, features, SLAB):
        yield first, feature_slab(stimuli, first, min(SLAB, features - first))


def features_in_memory(stimuli, features):
    values = np.empty((stimuli, features), np.float32)
    for first, slab in slabs(stimuli, features):
        values[:, first:first + slab.shape[1]] = slab
    return values


def white_features(stimuli, features):
    """Independent normal numbers, float32: no direction stands out."""
    return np.random.default_rng(7).standard_normal((stimuli, features), dtype=np.float32)


def white_readout(features, targets):
    """A linear readout of all features, with noise of its own size."""
    stream = np.random.default_rng(8)
    values = features.astype(np.float64) @ stream.standard_normal((features.shape[1], targets))
    return values / np.sqrt(features.shape[1]) + stream.standard_normal(values.shape)


def low_rank_features(stimuli, features, rank, noise):
    """Float64 features of `rank` factors of equal variance, with noise of that relative size."""
    stream = np.random.default_rng(5)
    values = stream.standard_normal((stimuli, rank)) @ stream.standard_normal((rank, features)) / np.sqrt(rank)
    values += stream.standard_normal(features)
    return values + noise * stream.standard_normal((stimuli, features))


def readout(latent, targets):
    """A linear readout of the factors, with noise of twice its size."""
    stream = np.random.default_rng(3)
    values = latent @ stream.standard_normal((latent.shape[1], targets))
    return values + 2 * values.std() * stream.standard_normal(values.shape)


def with_repetitions(values, repetitions):
    """repetition × stimulus, one after the other, with noise of each trial."""
    stream = np.random.default_rng(4)
    noise = 1.5 * values.std()
    return np.concatenate([values + noise * stream.standard_normal(values.shape) for _ in range(repetitions)])


def labels(letter, count):
    return np.array([f"{letter}{i:06d}" for i in range(count)], dtype=object)


def presentation_labels(stimuli, repetitions=None):
    """The coordinates along presentations; with repetitions in the order of `with_repetitions`."""
    along = {"stimulus_id": labels("s", stimuli),
             "object_name": np.array([f"object{i % OBJECTS}" for i in range(stimuli)], dtype=object)}
    if repetitions is None:
        return along
    along = {name: np.tile(values, repetitions) for name, values in along.items()}
    return along | {"repetition": np.repeat(np.arange(repetitions), stimuli)}


def recordings(values, repetitions=None):
    presentations = presentation_labels(values.shape[0] // (repetitions or 1), repetitions)
    return Recordings(values, presentations, {"neuroid_id": labels("n", values.shape[1])})


def write_assembly(path, table):
    dims = dict(zip(("presentation", "neuroid"), table.values.shape))
    along = {"presentation": table.presentations, "neuroid": table.neuroids}
    write_blocks(path, dims, along, table.values.dtype, [(..., table.values)])


def write_features_by_slabs(path, stimuli, features):
    along = {"presentation": presentation_labels(stimuli), "neuroid": {"neuroid_id": labels("f", features)}}
    blocks = ((np.s_[:, first:first + slab.shape[1]], slab) for first, slab in slabs(stimuli, features))
    write_blocks(path, {"presentation": stimuli, "neuroid": features}, along, np.float32, blocks)
