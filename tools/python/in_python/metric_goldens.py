"""Whether the forms reproduce the reference's goldens: without that, a difference to them says nothing."""
import os
import warnings

from . import goldens, metric_difference, reference_ceilings, reference_metrics, reference_readouts
from .assemblies import read_assembly
from .goldens import name_of

IRREPRODUCIBLE_WITHOUT_CUTOFF = "linear_predictivity"  # where features outnumber rows; "-cond" goldens have the cut-off


def comparable(entry, case):
    """The float64 forms answer goldens whose inputs are float64 or converted to it."""
    name = name_of(entry)
    if name not in reference_metrics.FORMS and name not in reference_ceilings.FORMS:
        return False
    if any(case["inputs"][stem].get("dtype") == "float32" for stem in entry["inputs"]):
        return entry["slug"].endswith("-upcast") and (
            not name.startswith(IRREPRODUCIBLE_WITHOUT_CUTOFF) or "-cond" in entry["slug"])
    return not name.startswith(IRREPRODUCIBLE_WITHOUT_CUTOFF) or "-cond" in entry["slug"] or "small" in case["folder"]


def form_result(name, params, assemblies):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in reference_readouts.FORMS:
            return reference_readouts.FORMS[name](params, *assemblies)
        if name in reference_ceilings.FORMS:
            return reference_ceilings.FORMS[name](*assemblies)
        return reference_metrics.FORMS[name](params, *assemblies)


def check(folder, entry):
    stored = goldens.expected(folder, entry)
    assemblies = [read_assembly(os.path.join(folder, stem + ".nc")).in_float64() for stem in entry["inputs"]]
    try:
        result = form_result(name_of(entry), entry.get("params") or {}, assemblies)
    except (ValueError, AssertionError) as error:
        return "raises" in stored, str(error)
    if "raises" in stored:
        return False, "should raise"
    result.neuroids = None  # the labels are the program's matter
    worst = max(metric_difference.distance(metric_difference.numbers(stored[name]), values)
                for name, values in metric_difference.parts(result).items() if name in stored)
    bound = goldens.allowed(entry)
    return worst <= bound, f"{worst:.1e} allowed {bound:.1e}"


def check_goldens(all_goldens, metrics):
    checked = outside = 0
    for folder, case in goldens.cases_of(all_goldens):
        for entry in case["expected"]:
            if not comparable(entry, case) or name_of(entry) not in metrics:
                continue
            good, told = check(folder, entry)
            checked, outside = checked + 1, outside + (not good)
            row = f"{os.path.basename(folder) + '/' + entry['slug']:58} {told}"
            print(row if good else row + "  OUTSIDE", flush=True)
    print(f"{checked} goldens, {outside} outside")
    return 1 if outside or not checked else 0
