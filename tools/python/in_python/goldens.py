"""The reference's goldens: a folder for each case, and in their index what each golden was made with.

Loads nothing large."""
import json
import os

FLOOR = 1e-9
FACTOR = 30
READOUTS = {"ProbabilitiesMapping": "probabilities", "LabelBehavior": "label", "OddOneOut": "odd_one_out"}


def name_of(entry):
    """The registered name: some goldens name the reference's class, their slug begins with ours."""
    if entry["metric"] in READOUTS:
        return READOUTS[entry["metric"]]
    if "(" in entry["metric"]:
        return entry["slug"].removesuffix("-upcast").removesuffix("-cond")
    return entry["metric"]


def allowed(entry):
    """How far from a golden one may be: the reference itself moves under rounding of its input."""
    movements = [part.get("max_abs") or 0.0
                 for kind in (entry.get("sensitivity") or {}).values() for part in kind.values()]
    return max(FLOOR, FACTOR * max(movements, default=0.0))


def index_file(goldens):
    return os.path.join(goldens, "index.json")


def cases_of(goldens):
    """(its folder, what the index says) of every case."""
    with open(index_file(goldens)) as file:
        cases = json.load(file)["cases"]
    return [(os.path.join(goldens, os.path.basename(case["folder"])), case) for case in cases]


def expected(folder, entry):
    with open(os.path.join(folder, f"expected.{entry['slug']}.json")) as file:
        return json.load(file)["expected"]
