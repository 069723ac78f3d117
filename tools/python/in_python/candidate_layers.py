"""Which of a network's layers its record offers as candidates."""
from .networks import Unusable

CANDIDATES = 8


def spread(names, count):
    """Evenly spaced, the last among them."""
    if len(names) <= count:
        return names
    return [names[round((i + 1) * len(names) / count) - 1] for i in range(count)]


def spread_over_stages(blocks, names):
    """Some of `blocks`, spread over the network, the last of each top-level stage among them."""
    stages = {name.split(".")[0] for name in names if "." in name}
    last = {block.split(".")[0]: block for block in blocks}
    kept = [block for stage, block in last.items() if stage in stages]
    if len(kept) >= CANDIDATES:
        return spread(kept, CANDIDATES)
    kept += spread([block for block in blocks if block not in kept], CANDIDATES - len(kept))
    return [block for block in blocks if block in kept]


def few_stages(blocks, names):
    """Whether most of a network's children are single operators, before and behind its stages."""
    stages = {name.split(".")[0] for name in names if "." in name}
    return 0 < len(stages) < min(CANDIDATES, len(blocks) / 2)


def candidates(names, chosen):
    """`names` can be recorded. Members of tuples and dicts are taken as they are given."""
    unknown = [layer for layer in chosen or [] if "[" not in layer and layer not in [*names, "logits"]]
    if unknown:
        raise Unusable(f"--layers: no {', '.join(unknown)} that returns a tensor with a row for each image "
                       f"(there are: {', '.join(names)})")
    if chosen:
        return chosen
    # Blocks rather than the single operators in them, but enough to choose from.
    for depth in range(max(name.count(".") for name in names) + 1):
        blocks = [name for name in names if name.count(".") == depth]
        if len(blocks) >= CANDIDATES and not (depth == 0 and few_stages(blocks, names)):
            return spread_over_stages(blocks, names)
    return spread_over_stages(names, names)
