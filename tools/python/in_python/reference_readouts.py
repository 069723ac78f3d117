"""The readouts of Brain-Score by the program's names, in the features' own type (NUMERICS section 15).

Each takes its parameters, as `ventral readout --params` does, and assemblies, and returns what the program's JSON
must hold.
"""
import dataclasses

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

SINGLE = 2e-5  # in float32 the search for a step ends in rounding, which depends on the BLAS
# Some of the labels, with the classes of ImageNet that stand for them.
LABELS = {"airplane": [404], "cup": [968], "bear": [*range(294, 298)], "boat": [472, 554, 625, 814, 914],
          "truck": [555, 569, 656, 675, 717, 734, 864, 867], "cat": [*range(281, 287)], "tiger": [*range(286, 294)],
          "lizard": [*range(38, 49)], "Lamp": [470, 607, 818, 846], "sewing machine": [786], "motorbike": [670, 665]}


@dataclasses.dataclass
class Readout:
    numbers: dict
    texts: dict
    floor: float = 0.0  # what may be different however still the reference stands


def label(params, logits):
    values = logits.single().values
    if params["choice_labels"] == "imagenet":
        return Readout({"logit": values.argmax(axis=1).astype(float)}, {})
    exponentials = np.exp(values)
    probabilities = exponentials / exponentials.sum(axis=1, keepdims=True)
    means = np.array([probabilities[:, LABELS[name]].mean(axis=-1) for name in params["choice_labels"]]).T
    choices = [params["choice_labels"][best] for best in means.argmax(axis=1)]
    return Readout({"mean_probability": means.astype(float)}, {"choices": choices})


def odd_one_out(params, features):
    table = features.single()
    ids = list(table.presentations["stimulus_id"])
    similarity = np.dot(table.values, table.values.T)
    if params["similarity_measure"] == "cosine":
        norms = np.linalg.norm(table.values, axis=1).reshape(-1, 1)
        with np.errstate(invalid="ignore"):
            similarity = similarity / np.dot(norms, norms.T)
    choices = []
    for triplet in params["triplets"]:
        i, j, k = (ids.index(stimulus) for stimulus in triplet)
        choices.append(triplet[2 - np.argmax([similarity[i, j], similarity[i, k], similarity[j, k]])])
    return Readout({}, {"choices": choices})


def probabilities(params, features, fitting):
    x, test = fitting.single(), features.single().values
    labels = list(dict.fromkeys(x.presentations["image_label"]))
    if len(labels) < 2:
        raise ValueError("one class only")
    numbers = [labels.index(each) for each in x.presentations["image_label"]]
    scaler = StandardScaler().fit(x.values)
    model = LogisticRegression(multi_class="multinomial", solver="newton-cg", **{"C": 1e-3} | params)
    model.fit(scaler.transform(x.values), numbers)
    result = Readout({"probabilities": model.predict_proba(scaler.transform(test)).astype(float),
                      "coef": model.coef_.astype(float), "intercept": model.intercept_.astype(float)}, {})
    if x.values.dtype == np.float32:
        result.floor = SINGLE
    else:
        result.numbers["n_iter"] = model.n_iter_.astype(float)
    return result


FORMS = {form.__name__: form for form in (label, odd_one_out, probabilities)}
