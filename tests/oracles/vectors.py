"""Vectors of numbers of any type, such as fractions: what the oracles in Python share."""


def minus(p, q):
    return tuple(x - y for x, y in zip(p, q))


def cross(u, v):
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def dot(u, v):
    return sum(x * y for x, y in zip(u, v))
