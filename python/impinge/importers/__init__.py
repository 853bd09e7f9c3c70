"""Files that other libraries read, as batches: VTK, meshio, and what is read here because both lose
something of it (STL, Gmsh, double-precision PLY).

A child process reads them, frame by frame, into one temporary VTKHDF file; from that the program
impinge makes the batch. So polygons are cut and vertices welded by the program alone, and a reader
that crashes, prints or brings libraries along does so in a process of its own.
"""
