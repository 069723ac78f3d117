"""What an error says, in one line."""
import re

OF_TYPES = re.compile(r"\b(?:Half|BFloat16|Double|dtypes?|scalar type|[Ii]nput type)\b")
RAISED = re.compile(r"^[A-Za-z.]*(?:Error|Exception): *(.+)$", re.MULTILINE)


def reason(error):
    """TorchScript's interpreter says at the end what was raised, after the code; other errors begin with it."""
    text = str(error)
    raised = RAISED.findall(text)
    lines = [line.strip() for line in raised[-1:] or text.splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def advice_of_types(error):
    """What is to be said of a network whose pass fails because types do not fit; else nothing."""
    return ", its weights are taken as float32" if OF_TYPES.search(reason(error)) else ""
