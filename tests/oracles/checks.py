"""What the oracles in Python share: what is not as it should be, and whether anything was not."""

failed = 0


def expect(ok, text):
    global failed
    if not ok:
        print("FAILED:", text)
        failed += 1


def status():
    """What the process ends with."""
    return 1 if failed else 0
