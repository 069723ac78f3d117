"""How far the values of a layer are from those that they should be."""
import numpy as np


def as_recorded(values):
    """Whole numbers and truth values are recorded as float32."""
    return values if values.dtype.kind == "f" else values.astype(np.float32)


class Differences:
    """Of one layer over all batches."""

    def __init__(self):
        self.largest, self.scale, self.same = 0.0, 0.0, True

    def add(self, ours, theirs):
        ours, theirs = (as_recorded(values.reshape(len(values), -1)) for values in (ours, theirs))
        self.same = self.same and ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes()
        if ours.shape != theirs.shape or (np.isnan(ours) != np.isnan(theirs)).any():
            self.largest = np.inf
            return
        finite = np.isfinite(theirs)
        if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
            self.largest = np.inf
        self.largest = max(self.largest, np.abs(ours - theirs, where=finite, out=np.zeros_like(ours)).max(initial=0))
        self.scale = max(self.scale, np.abs(theirs[finite]).max(initial=0))

    def relative(self):
        return self.largest / self.scale if self.scale else float(self.largest)
