"""Writes a synthetic problem for Python (.npy) and for the program (.nc); a process of its own, for its memory.

usage: python3 -m in_python.make_problem KIND FOLDER JSON      JSON: sizes by the names of KIND's parameters
"""
import json
import os
import sys

import numpy as np

from . import reference_forms, synthetic
from .recordings import Recordings


def save(folder, name, table):
    np.save(os.path.join(folder, name + ".npy"), table.values)
    synthetic.write_assembly(os.path.join(folder, name + ".nc"), table)


def feature_table(values):
    return Recordings(values, synthetic.presentation_labels(len(values)),
                      {"neuroid_id": synthetic.labels("f", values.shape[1])})


def target(folder, stimuli, targets):
    save(folder, "target", synthetic.recordings(synthetic.readout(synthetic.factors(stimuli), targets)))


def source(folder, stimuli, features):
    save(folder, "source", feature_table(synthetic.features_in_memory(stimuli, features)))


def white(folder, stimuli, features, targets):
    values = synthetic.white_features(stimuli, features)
    save(folder, "source", feature_table(values))
    save(folder, "target", synthetic.recordings(synthetic.white_readout(values, targets)))


def low_rank(folder, stimuli, features, rank, noise, movement):
    """`movement`: relative size of noise on top, as rounding would be; not in the program's file."""
    values = synthetic.low_rank_features(stimuli, features, rank, noise)
    synthetic.write_assembly(os.path.join(folder, "source.nc"), feature_table(values))
    os.makedirs(os.path.join(folder, "moved"), exist_ok=True)
    np.save(os.path.join(folder, "source.npy"), values)
    moved = values * (1 + movement * np.random.default_rng(6).uniform(-1, 1, values.shape))
    np.save(os.path.join(folder, "moved", "source.npy"), moved)
    np.save(os.path.join(folder, "moved", "target.npy"), np.load(os.path.join(folder, "target.npy")))


def split(folder):
    """The train and test parts of the first fold, of the source and target that are there."""
    recorded = synthetic.recordings(np.load(os.path.join(folder, "target.npy")))
    features = feature_table(np.load(os.path.join(folder, "source.npy")))
    for half, rows in zip(("train", "test"), reference_forms.first_fold(recorded)):
        for role, table in (("source", features), ("target", recorded)):
            synthetic.write_assembly(os.path.join(folder, f"{role}-{half}.nc"), table.rows(rows))


def repetitions(folder, repetitions):
    values = synthetic.with_repetitions(np.load(os.path.join(folder, "target.npy")), repetitions)
    save(folder, "repetitions", synthetic.recordings(values, repetitions))


def wide(folder, stimuli, features):
    """Features of any width, in memory only a slab at a time; for the program alone."""
    synthetic.write_features_by_slabs(os.path.join(folder, "source.nc"), stimuli, features)


KINDS = {kind.__name__: kind for kind in (target, source, white, low_rank, split, repetitions, wide)}

KINDS[sys.argv[1]](sys.argv[2], **json.loads(sys.argv[3]))
