"""newton's TriMeshCollisionDetector on meshes of numpy arrays: its pairs, in buffers that hold all of them. Arrays and
results stay on its device."""

import numpy as np
import warp as wp
from pair_sets import dropped, offsets

wp.config.log_level = wp.LOG_WARNING  # before newton starts it

import newton  # noqa: E402
from newton._src.geometry.tri_mesh_collision import TriMeshCollisionDetector  # noqa: E402

TRIANGLE_ROOM, VERTEX_ROOM, EDGE_ROOM = 8, 16, 32  # places of a row by default


class Mesh:
    """The model of a mesh, made once: detectors take points of their own."""

    def __init__(self, points, triangles):
        builder = newton.ModelBuilder()
        builder.add_cloth_mesh(
            *(), pos=wp.vec3(0.0, 0.0, 0.0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, 0.0),
            vertices=points, indices=triangles.ravel(), density=1.0,
        )  # fmt: skip
        self.model = builder.finalize()
        self.device = self.model.device
        if self.model.tri_count != len(triangles):
            raise ValueError(f"newton has {self.model.tri_count} of {len(triangles)} triangles")

    def detector(self, points, **options):
        positions = wp.array(points, dtype=wp.vec3, device=self.device)
        return TriMeshCollisionDetector(self.model, vertex_positions=positions, **options)

    def edge_ends(self):
        return self.model.edge_indices.numpy()[:, 2:]


def room_for(counts, device):
    """Zeros for so many records, and where the rows begin."""
    begins = offsets(counts)
    zeros = wp.zeros(max(1, int(begins[-1])), dtype=wp.int32, device=device)
    return zeros, wp.array(begins, dtype=wp.int32, device=device)


def complete(counts, room):
    if (counts.numpy() > np.asarray(room)).any():
        raise RuntimeError("newton found more in a second run than in the first")


class Meeting:
    """Triangles that meet."""

    def __init__(self, mesh, points):
        self.mesh = mesh
        self.detector = mesh.detector(points)
        self.detector.bvh_edges = None  # this query does not need a tree of edges: it costs no time
        self.rebuilt()
        self.counts = self.detector.triangle_intersecting_triangles_count.numpy()
        self.dropped = dropped(self.counts, TRIANGLE_ROOM)
        made = room_for(self.counts, mesh.device)
        self.detector.triangle_intersecting_triangles, self.detector.triangle_intersecting_triangles_offsets = made

    def rebuilt(self):
        self.detector.rebuild()
        self._find()

    def refitted(self):
        self.detector.refit_triangles()
        self._find()

    def _find(self):
        self.detector.triangle_triangle_intersection_detection()
        wp.synchronize_device(self.mesh.device)

    def records(self):
        """Numbers of two triangles, each pair twice."""
        self.rebuilt()
        complete(self.detector.triangle_intersecting_triangles_count, self.counts)
        found = self.detector.triangle_intersecting_triangles.numpy()[: self.counts.sum()]
        return np.repeat(np.arange(len(self.counts)), self.counts), found


class Near:
    """Vertices and faces, and two edges, nearer than a radius."""

    def __init__(self, mesh, points, radius, **options):
        self.mesh, self.radius = mesh, radius
        self.detector = mesh.detector(points, init_collision_info=True, **options)
        self.rebuilt()
        info = self.detector.collision_info
        self.of_vertices = info.vertex_colliding_triangles_count.numpy()
        self.of_edges = info.edge_colliding_edges_count.numpy()
        self.dropped = dropped(self.of_vertices, VERTEX_ROOM), dropped(self.of_edges, EDGE_ROOM)
        for name, counts in (("vertex_colliding_triangles", self.of_vertices), ("edge_colliding_edges", self.of_edges)):
            records, begins = room_for(counts, mesh.device)
            pairs = wp.zeros(2 * records.size, dtype=wp.int32, device=mesh.device)
            setattr(info, name, pairs)
            setattr(info, name + "_offsets", begins)
            setattr(info, name + "_buffer_sizes", wp.array(counts, dtype=wp.int32, device=mesh.device))

    def rebuilt(self):
        self.detector.rebuild()
        self._find()

    def refitted(self):
        self.detector.refit()
        self._find()

    def _find(self):
        self.detector.vertex_triangle_collision_detection(self.radius)
        self.detector.edge_edge_collision_detection(self.radius)
        wp.synchronize_device(self.mesh.device)

    def records(self):
        """Numbers of a vertex and a face, once each; of two edges of `Mesh.edge_ends`, twice."""
        self.rebuilt()
        info = self.detector.collision_info
        complete(info.vertex_colliding_triangles_count, self.of_vertices)
        complete(info.edge_colliding_edges_count, self.of_edges)
        faces = info.vertex_colliding_triangles.numpy()[: 2 * self.of_vertices.sum()].reshape(-1, 2)
        edges = info.edge_colliding_edges.numpy()[: 2 * self.of_edges.sum()].reshape(-1, 2)
        return faces, edges
