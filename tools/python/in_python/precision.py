"""Weights in the precision that the program has them in."""
import torch


def in_precision(network, precision=torch.float32):
    """float32: as in the program, where doubles stay beside parameters of float32, since they are meant then. float64: all
    are doubles. Complex and whole numbers stay."""
    meant = precision == torch.float32 and any(weight.dtype == torch.float32 for weight in network.parameters())

    def converted(weight):
        stays = not weight.is_floating_point() or (weight.dtype == torch.float64 and meant)
        return weight if stays else weight.to(precision)
    return network._apply(converted)
