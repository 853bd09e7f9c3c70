"""Files of other formats, as batches: by VTK and meshio, or read here where both lose something of
them. What carries geometry and is not read is an error; all else that is left out is counted.

A child process reads them, frame by frame, into one temporary VTKHDF file; from that the program
impinge makes the batch. So polygons are cut and vertices welded by the program alone, and a reader
that crashes, prints or brings libraries along does so in a process of its own.
"""
