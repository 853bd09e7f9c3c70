"""USD: instances, skeletons, visibility, purposes, groups and composition."""

import sys

import impinge
import numpy as np
from common import folder, main, raises

try:
    import h5py  # noqa: F401
    from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

import usd_files as made  # noqa: E402
from impinge.importers import usd, usd_skel  # noqa: E402
from impinge.importers.usd_mesh import HOLE  # noqa: E402
from test_usd import points_of, read, save  # noqa: E402
from usd_files import FACES, TRIANGLE, P, by_hand, mesh, put, skeleton, stage  # noqa: E402

T = np.array(TRIANGLE, np.float64)


# ---- instances


def test_scene_instances():
    """Prims that share a prototype, nested: each is an object, by the path of its proxy."""
    with folder() as where:
        of = stage(where)
        part = of.CreateClassPrim("/_part")
        mesh(of, "/_part/m", {0: TRIANGLE, 1: T + (0, 0, 1)})
        of.CreateClassPrim("/_pair")
        for k in range(2):
            inner = of.DefinePrim(f"/_pair/i{k}", "Xform")
            inner.GetReferences().AddInternalReference(part.GetPath())
            inner.SetInstanceable(True)
            UsdGeom.Xformable(inner).AddTranslateOp().Set((10 * k, 0, 0))
        for k in range(2):
            outer = of.DefinePrim(f"/World/p{k}", "Xform")
            outer.GetReferences().AddInternalReference("/_pair")
            outer.SetInstanceable(True)
            UsdGeom.Xformable(outer).AddTranslateOp().Set((0, 100 * k, 0))
        times, frames, said = read(of)
        assert len(times) == 2 and not said, said
        want = {f"/World/p{p}/i{i}/m": (10 * i, 100 * p, 0) for p in (0, 1) for i in (0, 1)}
        assert sorted(frames[0].names) == sorted(want)
        for k, frame in enumerate(frames):
            for name, shift in want.items():
                assert (points_of(frame, name) == T + (0, 0, k) + np.array(shift)).all(), name


def instancer(of, path, prototypes, indices, positions, time=None):
    one = UsdGeom.PointInstancer.Define(of, path)
    one.GetPrototypesRel().SetTargets(prototypes)
    put(one.GetProtoIndicesAttr(), indices, time)
    put(one.GetPositionsAttr(), positions, time)
    return one


def test_point_instances():
    """Positions, orientations and scales, the transform of the prototype, and who is invisible."""
    with folder() as where:
        of = stage(where)
        one = instancer(of, "/pi", ["/pi/a", "/pi/b"], [0, 1, 0, 1], [(k, 0, 0) for k in range(4)])
        one.GetOrientationsAttr().Set([Gf.Quath(1)] * 3 + [Gf.Quath(0, 0, 0, 1)])
        one.GetScalesAttr().Set([(1, 1, 1), (2, 2, 2), (1, 1, -1), (1, 1, 1)])
        one.GetInvisibleIdsAttr().Set([0])
        one.AddTranslateOp().Set((0, 0, 50))
        mesh(of, "/pi/a").AddTranslateOp().Set((0, 7, 0))
        made.xform(of, "/pi/b")
        mesh(of, "/pi/b/x", P, FACES).AddTranslateOp().Set((0, 0, 1))
        mesh(of, "/pi/b/y")
        mesh(of, "/pi/lonely")
        times, (found,), said = read(of)
        assert times is None
        assert sorted(found.names) == ["/pi[1]/x", "/pi[1]/y", "/pi[2]", "/pi[3]/x", "/pi[3]/y"]
        flat = np.concatenate([P[face] for face in FACES])
        assert (points_of(found, "/pi[2]") == (T + (0, 7, 0))[[0, 2, 1]] * (1, 1, -1) + (2, 0, 50)).all()
        assert (points_of(found, "/pi[1]/x") == 2 * (flat + (0.0, 0, 1)) + (1, 0, 50)).all()
        turned = (flat + (0.0, 0, 1)) * (-1, -1, 1) + (3, 0, 50)
        assert np.allclose(points_of(found, "/pi[3]/x"), turned, 0, 1e-6)
        assert said["a mesh below a PointInstancer and in no prototype, which is left out"] == 1


def test_point_instances_in_time():
    """Instances that come and go, by their ids; and held or moved between samples."""
    with folder() as where:
        of = stage(where)
        one = instancer(of, "/pi", ["/p"], [0, 0], [(0, 0, 0), (1, 0, 0)], 0)
        for time, ids in ((0, [5, 9]), (2, [9, 5]), (4, [9])):
            put(one.GetIdsAttr(), ids, time)
        put(one.GetProtoIndicesAttr(), [0, 0], 2)
        put(one.GetPositionsAttr(), [(4, 0, 0), (8, 0, 0)], 2)
        put(one.GetProtoIndicesAttr(), [0], 4)
        put(one.GetPositionsAttr(), [(6, 0, 0)], 4)
        prototype = of.OverridePrim("/hidden")  # shown by instances alone
        prototype = mesh(of, "/hidden/p")
        one.GetPrototypesRel().SetTargets([prototype.GetPath()])
        of.GetPrimAtPath("/hidden").SetSpecifier(Sdf.SpecifierOver)
        move = mesh(of, "/other").AddTranslateOp().GetAttr()
        for time in (0, 1, 4):
            put(move, (0, 0, time), time)
        for between, x in (("interpolated", 2), ("held", 0)):
            _, frames, _ = read(of, between=between)
            names = [sorted(f.names[1:]) if f.names[0] == "/other" else sorted(f.names[:-1]) for f in frames]
            assert names == [["/pi[5]", "/pi[9]"]] * 3 + [["/pi[9]"]], names
            assert [points_of(f, "/pi[5]")[0, 0] for f in frames[:3]] == [0, x, 8]
        put(one.GetIdsAttr(), [3, 3], 0)
        _, frames, said = read(of)
        assert "/pi[1]" in frames[0].names and said[usd.AGAIN] == 1, said


def test_held_velocities():
    """Velocities of instances move them on, unless they are held."""
    with folder() as where:
        of = stage(where)
        one = instancer(of, "/pi", ["/pi/m"], [0], [(0, 0, 0)], 0)
        put(one.GetPositionsAttr(), [(1, 0, 0)], 24)
        for time in (0, 24):
            put(one.GetVelocitiesAttr(), [(8, 0, 0)], time)
        mesh(of, "/pi/m", {0: TRIANGLE, 12: TRIANGLE})
        _, frames, _ = read(of)
        assert [f.points[0, 0] for f in frames] == [0, 4, 1]
        _, frames, _ = read(of, between="held")
        assert [f.points[0, 0] for f in frames] == [0, 0, 1]


def test_nested_instancers():
    with folder() as where:
        of = stage(where)
        instancer(of, "/out", ["/out/mid"], [0, 0], [(0, 0, 0), (0, 100, 0)])
        made.xform(of, "/out/mid").AddScaleOp().Set((2, 2, 2))
        instancer(of, "/out/mid/in", ["/out/mid/in/m"], [0, 0], [(0, 0, 0), (10, 0, 0)])
        mesh(of, "/out/mid/in/m")
        instancer(of, "/top", ["/out/mid/in"], [0], [(0, 0, 5)])
        _, (found,), _ = read(of)
        for i in (0, 1):
            for k in (0, 1):
                at = points_of(found, f"/out[{i}]/in[{k}]")
                assert (at == 2 * (T + (10 * k, 0, 0)) + (0, 100 * i, 0)).all()
            assert (points_of(found, f"/top[0][{i}]") == T + (10 * i, 0, 5)).all()
        assert len(found.names) == 6


def test_bad_instancers():
    with folder() as where:
        for k, (prototypes, indices, positions, text) in enumerate((
            (["/p"], [0, 1], [(0, 0, 0)] * 2, "there is no prototype 1; it has 1"),
            (["/none"], [0], [(0, 0, 0)], "there is no prototype /none"),
            (["/p"], [0, 0], [(0, 0, 0)], "are of another number than protoIndices"),
            (["/pi"], [0], [(0, 0, 0)], "it is below its own prototype"),
        )):  # fmt: skip
            of = stage(where, f"{k}.usda")
            mesh(of, "/p")
            instancer(of, "/pi", prototypes, indices, positions)
            what = str(raises(impinge.InputError, read, of))
            assert text in what and "/pi" in what and "\n" not in what, what


def test_instancers_in_instances():
    """Prototypes of a proxy are those of its instance, and so are GeomSubsets."""
    with folder() as where:
        of = stage(where)
        of.CreateClassPrim("/_set")
        one = instancer(of, "/_set/pi", ["/_set/pi/m"], [0], [(0, 0, 1)], 0)
        put(one.GetPositionsAttr(), [(0, 0, 2)], 24)
        part = mesh(of, "/_set/pi/m", {0: P, 6: P, 24: P}, FACES)
        UsdGeom.Subset.CreateGeomSubset(part, "tip", "face", Vt.IntArray([2]))
        user = of.DefinePrim("/a", "Xform")
        user.GetReferences().AddInternalReference("/_set")
        user.SetInstanceable(True)
        UsdGeom.Xformable(user).AddTranslateOp().Set((0, 5, 0))
        _, frames, _ = read(of, True)
        assert frames[0].names == ["/a/pi[0]", "/a/pi[0]/tip"]
        flat = np.concatenate([P[face] for face in FACES[:2]])
        heights = [1, 1.25, 2]
        for frame, z in zip(frames, heights):
            assert (points_of(frame, "/a/pi[0]") == flat + (0.0, 5, z)).all()
        put(one.GetVelocitiesAttr(), [(1, 0, 0)], 0)
        what = str(raises(impinge.InputError, read, of, between="held"))
        assert "/a/pi.velocities: within an instance velocities cannot be held" in what
        instancer(of, "/pj", ["/_set"], [0], [(0, 0, 0)])
        part = mesh(of, "/_set/free")
        part.SetResetXformStack(True)
        what = str(raises(impinge.InputError, read, of))
        assert "/_set/free: it resets its transform within a prototype" in what


# ---- skeletons


def test_skeleton():
    """Points as the joints say, below a moved root, never those at rest."""
    shifts = {1: (0, 0, 0), 2: (0, 0, 8), 4: (16, 0, 0)}
    with folder() as where:
        of = stage(where)
        rest = skeleton(of, "/R", shifts)
        UsdGeom.Xformable(of.GetPrimAtPath("/R")).AddTranslateOp().Set((100, 0, 0))
        # its own transform does not move a skinned mesh
        UsdGeom.Xformable(of.GetPrimAtPath("/R/skin")).AddTranslateOp().Set((0, 55, 0))
        times, frames, said = read(of)
        assert [round(t * 24) for t in times] == list(shifts)
        for frame, shift in zip(frames, shifts.values()):
            want = rest.astype(np.float64) + (100, 0, 0)
            want[3:] += shift
            assert frame.names == ["/R/skin"] and (frame.points == want).all(), frame.points
        assert said == {usd.CURVED: 1}, said


def test_skeleton_as_baked():
    """The same as UsdSkel.BakeSkinning makes of it, of joints that turn."""
    with folder() as where:
        of = stage(where)
        skeleton(of, "/R", {0: (0, 0, 0), 6: (3, 1, 2)}, {0: 0, 6: 0.75})
        moves = UsdSkel.Animation.Get(of, "/R/moves")
        turn = Gf.Quatf(0.8, 0.6, 0, 0)
        put(moves.GetRotationsAttr(), [turn, turn], 6)
        skin = of.GetPrimAtPath("/R/skin")
        weights = UsdGeom.PrimvarsAPI(skin)
        weights.GetPrimvar("skel:jointIndices").Set([0, 1] * 6)
        weights.GetPrimvar("skel:jointIndices").SetElementSize(2)
        weights.GetPrimvar("skel:jointWeights").Set([0.25, 0.75] * 6)
        weights.GetPrimvar("skel:jointWeights").SetElementSize(2)
        _, frames, _ = read(of)
        assert UsdSkel.BakeSkinning(Usd.PrimRange(of.GetPseudoRoot()))
        world = UsdGeom.Xformable(skin).ComputeLocalToWorldTransform(6)
        baked = by_hand(UsdGeom.Mesh(skin).GetPointsAttr().Get(6), world)
        assert np.allclose(frames[1].points, baked, 0, 1e-6) and abs(baked[:, 2]).max() > 1


def test_blend_shapes():
    """With joints, and alone."""
    with folder() as where:
        of = stage(where)
        rest = skeleton(of, "/R", {0: (0, 0, 0)}, {0: 0, 3: 0.5, 6: 1})
        for joints in (True, False):
            _, frames, _ = read(of)
            assert len(frames) == 3
            for frame, height in zip(frames, (0, 2, 4)):
                want = rest.copy()
                want[1, 2] = height
                assert (frame.points == want).all(), (joints, frame.points)
            skin = of.GetPrimAtPath("/R/skin")
            for name in ("jointIndices", "jointWeights"):
                UsdGeom.PrimvarsAPI(skin).RemovePrimvar(f"skel:{name}")
        UsdGeom.Mesh(skin).GetPointsAttr().Clear()
        assert "there is no point 5; it has 0" in str(raises(impinge.InputError, read, of))


def test_skeleton_instanced():
    """Below instances, and below the prototype of a PointInstancer."""
    with folder() as where:
        of = stage(where)
        of.CreateClassPrim("/_body")
        rest = skeleton(of, "/_body/R", {0: (0, 0, 0), 1: (0, 0, 8)})
        one = of.DefinePrim("/a", "Xform")
        one.GetReferences().AddInternalReference("/_body")
        one.SetInstanceable(True)
        UsdGeom.Xformable(one).AddTranslateOp().Set((0, 0, 1))
        instancer(of, "/pi", ["/_body"], [0], [(0, 20, 0)])
        _, frames, _ = read(of)
        want = rest.astype(np.float64)
        want[3:] += (0, 0, 8)
        assert (points_of(frames[1], "/a/R/skin") == want + (0, 0, 1)).all()
        assert (points_of(frames[1], "/pi[0]/R/skin") == want + (0, 20, 0)).all()


def test_skeleton_not_applied():
    """USD skins nothing without a SkelRoot, which is said."""
    with folder() as where:
        of = stage(where)
        rest = skeleton(of, "/R", {0: (0, 0, 0), 1: (0, 0, 8)})
        of.GetPrimAtPath("/R").SetTypeName("Xform")
        _, frames, said = read(of)
        assert (frames[0].points == rest).all() and said[usd_skel.UNBOUND] == 1, said


# ---- what is shown


def test_visibility():
    """Never, and at some times, of the prim or above it."""
    with folder() as where:
        of = stage(where)
        mesh(of, "/a/m", {0: TRIANGLE, 1: TRIANGLE, 2: TRIANGLE})
        made.xform(of, "/a")
        eye = UsdGeom.Imageable(of.GetPrimAtPath("/a")).GetVisibilityAttr()
        put(eye, "inherited", 0)
        put(eye, "invisible", 1.5)
        mesh(of, "/b/m")
        UsdGeom.Imageable(made.xform(of, "/b")).MakeInvisible()
        mesh(of, "/c")
        times, frames, said = read(of)
        assert [round(t * 24, 3) for t in times] == [0, 1, 1.5, 2]
        assert [f.names for f in frames] == [["/a/m", "/c"]] * 2 + [["/c"]] * 2
        assert said[usd.NEVER] == said[usd.SOMETIMES] == 1, said
        impinge.convert(save(of), f"{where}/out.vtkhdf", quiet=True)
        with impinge.open(f"{where}/out.vtkhdf") as batch:
            assert [len(f.triangles) for f in batch] == [2, 2, 1, 1]


def test_purpose():
    with folder() as where:
        of = stage(where)
        for name in ("default", "render", "proxy", "guide"):
            made.xform(of, f"/{name}")
            of.GetPrimAtPath(f"/{name}").GetAttribute("purpose").Set(name)
            mesh(of, f"/{name}/m")
        _, (found,), said = read(of)
        assert found.names == ["/default/m", "/render/m"]
        assert said == {
            f"a mesh of purpose {name}, which is left out (--purpose)": 1 for name in ("proxy", "guide")
        }
        _, (found,), _ = read(of, purpose=("proxy", "guide"))
        assert found.names == ["/proxy/m", "/guide/m"]


def test_others_are_counted():
    """By their type; cages, holes and faces without area, too."""
    with folder() as where:
        of = stage(where)
        for k in range(2):
            UsdGeom.Sphere.Define(of, f"/s{k}")
        UsdGeom.BasisCurves.Define(of, "/curves")
        UsdGeom.NurbsPatch.Define(of, "/patch")
        of.DefinePrim("/odd", "SomeThing")
        mesh(of, "/gone")
        of.GetPrimAtPath("/gone").SetActive(False)
        one = mesh(of, "/a", P, [*FACES, [0, 1], [2]], "catmullClark")
        one.GetHoleIndicesAttr().Set([1])
        _, (found,), said = read(of)
        assert said == {
            "a prim of type Sphere, which is no mesh, and is left out": 2,
            "a prim of type BasisCurves, which is no mesh, and is left out": 1,
            "a prim of type NurbsPatch, which is no mesh, and is left out": 1,
            "a prim of type SomeThing, which usd-core does not know, and is left out": 1,
            "an inactive prim, which is left out with what is below it": 1,
            usd.CAGE.format("catmullClark"): 1,
            HOLE: 1,
        }, said
        assert found.ids.tolist() == [0, 2] and found.skipped == 2


def test_materials_missing():
    """A layer of MaterialX has no geometry: what is not found of it is said, and no more."""
    with folder() as where:
        of = stage(where)
        mesh(of, "/a")
        mesh(of, "/empty", (), ())
        of.DefinePrim("/look").GetReferences().AddReference("./none.mtlx")
        file = save(of)
        _, (found,), said = read(file)
        assert found.names == ["/a"]
        assert any("usd-core: " in what and "none.mtlx" in what for what in said), said


def test_tetrahedra():
    with folder() as where:
        of = stage(where)
        for name in ("a", "b"):
            solid = UsdGeom.TetMesh.Define(of, f"/{name}")
            solid.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(P))
            solid.GetTetVertexIndicesAttr().Set([(0, 1, 2, 4), (0, 2, 3, 4)])
        solid.GetOrientationAttr().Set("leftHanded")
        _, (found,), _ = read(of)
        assert set(found.types) == {10} and found.names == ["/a", "/b"]
        corners = found.corners.reshape(-1, 4).tolist()
        assert corners[:2] == [[0, 1, 2, 4], [0, 2, 3, 4]] and corners[2] == [5, 9, 7, 6]


# ---- groups


def test_subsets():
    """Objects by --groups; without it they are named in a warning."""
    with folder() as where:
        of = stage(where)
        one = mesh(of, "/a", P, FACES)
        bind = UsdGeom.Subset.CreateGeomSubset
        bind(one, "skin", "face", Vt.IntArray([1]), "materialBind")
        bind(one, "bone", "face", Vt.IntArray([1, 2]), "parts")
        bind(one, "tips", "point", Vt.IntArray([0]))
        instancer(of, "/pi", ["/a"], [0, 0], [(0, 0, 5), (0, 0, 6)])
        _, (found,), said = read(of, True)
        assert [found.names[k] for k in found.objects[:3]] == ["/a", "/a/skin", "/a/bone"]
        places = [[f"/pi[{k}]{rest}" for rest in ("", "/skin", "/bone")] for k in (0, 1)]
        assert [found.names[k] for k in found.objects[3:]] == sum(places, [])
        assert said[usd.ODD] == 1
        out = f"{where}/out.vtkhdf"
        impinge.convert(save(of), out, groups=True, quiet=True)
        with impinge.open(out) as batch:
            assert set(batch.names.values()) == {"/a", "/a/skin", "/a/bone", *sum(places, [])}
        _, (found,), _ = read(of)
        assert found.names == ["/a", "/pi[0]", "/pi[1]"]
        from impinge.importers import notes

        assert "2 groups not told apart: /a/skin, /a/bone; --groups" in notes.text()
        UsdGeom.Subset.Get(of, "/a/bone").GetIndicesAttr().Set([7])
        what = raises(impinge.InputError, read, of, True)
        assert "/a/bone: there is no face 7; the mesh has 3" in str(what)


# ---- composition


def test_variants_and_payloads():
    """The variant that is selected, and what a payload brings."""
    with folder() as where:
        other = stage(where, "other.usda")
        mesh(other, "/m", P, FACES)
        other.SetDefaultPrim(other.GetPrimAtPath("/m"))
        save(other)
        of = stage(where)
        prim = of.DefinePrim("/p")
        prim.GetPayloads().AddPayload("./other.usda")
        sets = of.DefinePrim("/v").GetVariantSets().AddVariantSet("size")
        for name, scale in (("small", 1), ("large", 10)):
            sets.AddVariant(name)
            sets.SetVariantSelection(name)
            with sets.GetVariantEditContext():
                mesh(of, "/v/m", T * scale)
        _, (found,), said = read(of)
        assert found.names == ["/p", "/v/m"] and not said
        assert (points_of(found, "/v/m") == T * 10).all()
        sets.SetVariantSelection("small")
        _, (found,), _ = read(of)
        assert (points_of(found, "/v/m") == T).all()


def test_missing_layers():
    """What is not found may be geometry: an error, in one line."""
    with folder() as where:
        for k, add in enumerate((
            lambda of: of.DefinePrim("/r").GetReferences().AddReference("./none.usda"),
            lambda of: of.DefinePrim("/r").GetPayloads().AddPayload("./none.usda"),
            lambda of: of.GetRootLayer().subLayerPaths.append("./none.usda"),
        )):  # fmt: skip
            of = stage(where, f"{k}.usda")
            mesh(of, "/a")
            add(of)
            what = str(raises(impinge.InputError, read, of))
            assert what.startswith(f"{where}/{k}.usda: ") and "none.usda" in what, what
            assert "\n" not in what and "usd-core" not in what, what


def test_clips():
    """Values from other layers, by UsdClipsAPI; one that is missing is said."""
    with folder() as where:
        for k in (1, 2):
            of = stage(where, f"clip.{k}.usda")
            mesh(of, "/m", {k: T + k})
            save(of)
        shape = stage(where, "shape.usda")
        mesh(shape, "/m", ())
        save(shape)
        of = stage(where)
        prim = of.DefinePrim("/m", "Mesh")
        prim.GetReferences().AddReference("./shape.usda", "/m")
        clips = Usd.ClipsAPI(prim)
        clips.SetClipAssetPaths([Sdf.AssetPath(f"./clip.{k}.usda") for k in (1, 2)])
        clips.SetClipPrimPath("/m")
        clips.SetClipActive([(1, 0), (2, 1)])
        clips.SetClipTimes([(1, 1), (2, 2)])
        clips.SetClipManifestAssetPath(Sdf.AssetPath("./manifest.usda"))
        sheet = stage(where, "manifest.usda")
        UsdGeom.Mesh.Define(sheet, "/m").GetPointsAttr()
        sheet.GetPrimAtPath("/m").CreateAttribute("points", Sdf.ValueTypeNames.Point3fArray)
        save(sheet)
        times, frames, said = read(of)
        assert [round(t * 24) for t in times] == [1, 2]
        assert [f.points[0, 0] for f in frames] == [1, 2] and not said, said
        clips.SetClipAssetPaths([Sdf.AssetPath(f"./clip.{k}.usda") for k in (1, 9)])
        what = str(raises(impinge.InputError, read, of))
        assert "/m: there is no point 2; it has 0 (usd-core: " in what and "clip.9" in what, what


if __name__ == "__main__":
    main(globals())
