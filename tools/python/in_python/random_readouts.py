"""Random problems for the readouts: logits, triplets of stimuli, and labelled features to fit on."""
import numpy as np

from .assemblies import Assembly
from .random_tables import chance, identifiers, neuroids, odd_count, pick, texts
from .reference_readouts import LABELS

WORDS = ("dog", "Bear", "a car", "Ü", "10", "9", "z")


def table(generator, values, told, kind=None, **labels):
    kind = kind or pick(generator, np.float64, np.float32)
    told.append(f"{values.shape[0]} × {values.shape[1]}, {kind.__name__}")
    presentations = {"stimulus_id": identifiers(generator, len(values)), **labels}
    return Assembly(values.astype(kind)[:, :, np.newaxis], presentations, neuroids(generator, values.shape[1]))


def label(generator, told):
    logits = pick(generator, 0.3, 2.0, 15.0) * generator.standard_normal((odd_count(generator, 1, 40), 1000))
    if chance(generator, 0.3):
        logits = np.round(logits)
        told.append("rounded")
    wanted = [str(name) for name in generator.permutation(list(LABELS))[:generator.integers(1, len(LABELS) + 1)]]
    params = {"choice_labels": "imagenet" if chance(generator, 0.25) else wanted}
    return {"source": table(generator, logits, told)}, params


def odd_one_out(generator, told):
    values = generator.standard_normal((odd_count(generator, 3, 40), odd_count(generator, 1, 60)))
    if chance(generator, 0.4):
        values = np.round(2 * values)
        told.append("integers")
    features = table(generator, values, told)
    # Texts, as the stimuli of triplets are; whole numbers that repeat make ties.
    ids = texts(str(each) for each in features.presentations["stimulus_id"])
    features.presentations["stimulus_id"] = ids
    triplets = [[str(each) for each in generator.choice(ids, 3, replace=chance(generator, 0.1))]
                for _ in range(odd_count(generator, 1, 60))]
    return {"source": features}, {"triplets": triplets, "similarity_measure": pick(generator, "dot", "cosine")}


def labelled(generator, centres, rows):
    """Numbers of the classes, each there at least once, and features around the classes' centres."""
    classes = generator.permutation(np.r_[np.arange(len(centres)), generator.integers(len(centres), size=rows)])
    return classes, centres[classes] + generator.standard_normal((len(classes), centres.shape[1]))


def probabilities(generator, told):
    classes, features = int(generator.integers(2, len(WORDS) + 1)), odd_count(generator, 1, 90)
    centres = pick(generator, 0.2, 1.0, 5.0) * generator.standard_normal((classes, features))
    numbers, x = labelled(generator, centres, odd_count(generator, 2, 150))
    _, test = labelled(generator, centres, odd_count(generator, 1, 30))
    if chance(generator, 0.3):
        constant = pick(generator, 0.0, 0.1, 1234.567)
        x[:, generator.integers(features)] = constant
        told.append(f"a constant feature {constant:g}")
    scale, offset = pick(generator, 1.0, 1.0, 1e-4, 1e3), pick(generator, 0.0, 0.0, 100.0)
    told.append(f"{classes} classes, features × {scale:g} + {offset:g}")
    words = texts(generator.permutation(list(WORDS))[:classes])
    fitting = table(generator, scale * (x + offset), told, image_label=words[numbers])
    source = table(generator, scale * (test + offset), told, fitting.values.dtype.type)
    params = {"C": float(pick(generator, 1e-3, 1e-2, 1.0))} if chance(generator, 0.3) else {}
    if chance(generator, 0.2):
        params["tol"] = float(pick(generator, 1e-2, 1e-6))
    return {"source": source, "fitting": fitting}, params


MAKERS = {maker.__name__: maker for maker in (label, odd_one_out, probabilities)}
