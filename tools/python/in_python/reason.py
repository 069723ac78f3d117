"""What an error says, in one line."""
import re

RAISED = re.compile(r"^[A-Za-z.]*(?:Error|Exception): *(.+)$", re.MULTILINE)


def reason(error):
    """TorchScript's interpreter says at the end what was raised, after the code; other errors begin with it."""
    text = str(error)
    raised = RAISED.findall(text)
    lines = [line.strip() for line in raised[-1:] or text.splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
