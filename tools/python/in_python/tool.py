"""How a tool ends."""
import os
import sys


def end(main):
    """With main's exit code; a file that cannot be used, or Ctrl-C, is a message, not a traceback."""
    name = os.path.basename(sys.argv[0])
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(f"{name}: interrupted")
    except OSError as error:
        sys.exit(f"{name}: {error.filename}: {error.strerror}" if error.filename else f"{name}: {error}")
