"""python -m impinge: the command impinge."""

from .program import main

main()
