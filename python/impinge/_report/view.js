/* The 3D view: frames are unpacked when they are shown, and handed to K3D. */
const FEW = 5000; /* tubes and balls show better than flat lines and dots; more take long to make */
const largest = (low, high) => Math.max(...high.map((h, c) => h - low[c])) || 1;
const extent = largest(data.low, data.high), seen = largest(...data.seen);
const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => dark.matches && !matchMedia("print").matches;
const state = { opacity: 0.5, heat: false, visible: data.colours.map(() => true), shown: -1, box: null, mark: null };
let plot = null, base = {};

const idOf = (group) => 10 + group;
const threeOf = (id) => plot.getWorld().ObjectsById[id];
const ink = () => (isDark() ? 0xffffff : 0x101418);
const array = (values, columns) => ({
  data: values, shape: columns ? [values.length / columns, columns] : [values.length],
});
const gathered = (values, which, columns, Type) => {
  const made = new Type(which.length * columns);
  for (let i = 0; i < which.length; i++)
    for (let c = 0; c < columns; c++) made[i * columns + c] = values[which[i] * columns + c];
  return made;
};

/* K3D keeps what it drew before, so that of none there is one which is hidden */
const some = (values, least) => (values.length ? values : new Float32Array(3 * least));

async function surfaces(frame) {
  const points = await rows(frame.points, 3, Float32Array, data.step);
  const share = (await rows(frame.counts, 1, Float32Array, 1)).map(
    (count) => Math.log1p(count) / Math.log1p(data.most || 1));
  return (await mesh(frame.mesh)).map((part, group) => Object.assign({}, base.Mesh, {
    id: idOf(group),
    vertices: array(some(gathered(points, part.vertices, 3, Float32Array), 3), 3),
    indices: array(part.indices.length ? part.indices : Uint32Array.of(0, 1, 2), 3),
    triangles_attribute: array(
      state.heat ? gathered(share, part.faces, 1, Float32Array) : new Float32Array(0)),
    color: state.heat ? 0xffffff : data.colours[group], /* which K3D multiplies with the heat */
    opacity: state.opacity,
    visible: state.visible[group] && part.faces.length > 0,
  }));
}

async function objects(frame) {
  const ends = await rows(frame.ends, 3, Float32Array, data.step);
  const dots = await rows(frame.dots, 3, Float32Array, data.step);
  state.box = around(ends, dots);
  const few = ends.length <= 6 * FEW;
  return [
    ...(await surfaces(frame)),
    Object.assign({}, base.Lines, {
      vertices: array(some(ends, 2), 3),
      indices: array(Uint32Array.from({ length: some(ends, 2).length / 3 }, (_, i) => i), 2),
      visible: ends.length > 0,
      color: ink(),
      shader: few ? "mesh" : "thick",
      radial_segments: 5,
      width: few ? Math.min(seen / 350, data.edge / 4) : Math.min(seen / 120, data.edge / 2),
    }),
    Object.assign({}, base.Points, {
      positions: array(some(dots, 1), 3),
      visible: dots.length > 0,
      color: ink(),
      shader: dots.length <= 3 * FEW ? "mesh" : "3dSpecular",
      point_size: seen / 90,
    }),
    marker(),
  ];
}

/* A red ball at the place that a link went to, while its frame is shown. */
const MARK = 5;
const marker = () => Object.assign({}, base.Points, {
  id: MARK,
  positions: array(Float32Array.from(state.mark ? state.mark.at : [0, 0, 0]), 3),
  visible: state.mark !== null && state.mark.index === state.shown,
  color: isDark() ? 0xff5a4f : 0xd0021b,
  shader: "mesh",
  point_size: seen / 60,
});

/* Contacts are drawn after all surfaces and through them. */
function lift() {
  for (const id of [base.Lines.id, base.Points.id, MARK]) {
    const three = threeOf(id);
    if (!three) continue;
    three.traverse((part) => {
      part.renderOrder = 1000;
      for (const material of [part.material].flat().filter(Boolean)) {
        Object.assign(material, { depthTest: false, depthWrite: false, transparent: true });
        material.needsUpdate = true;
      }
    });
  }
}

/* ---- camera */

function around(...lists) {
  const low = [1, 1, 1].map(() => Infinity), high = low.map(() => -Infinity);
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      low[i % 3] = Math.min(low[i % 3], list[i]);
      high[i % 3] = Math.max(high[i % 3], list[i]);
    }
  return low[0] <= high[0] ? [low, high] : [data.low, data.high];
}

const FROM = [0.55, -0.68, 0.48]; /* a corner above, as in still.py */
const unit = (v) => { const n = Math.hypot(...v) || 1; return v.map((c) => c / n); };
const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
const TAN = Math.tan(12.5 * Math.PI / 180); /* of half of what the camera sees, up and down */
const aspect = () => $("canvas").clientWidth / $("canvas").clientHeight || 1;

/* Looks at a point, from where the camera is, or from the corner. */
function look(middle, far, again) {
  const now = again && plot.getWorld().controls.object.position.toArray();
  const target = again && plot.getWorld().controls.target.toArray();
  const from = again ? unit(now.map((c, i) => c - target[i])) : unit(FROM);
  plot.setCamera([...middle.map((c, i) => c + from[i] * far), ...middle, 0, 0, 1]);
  document.documentElement.dataset.target = middle.map((c) => c.toPrecision(6)).join(" ");
  plot.render(true);
  picture();
}

/* From where a ball is seen wholly. */
const away = (radius) => radius * Math.max(1, 1 / aspect()) / TAN;

function fit([low, high], again, wider = 1) {
  const middle = low.map((c, i) => (c + high[i]) / 2);
  const radius = Math.hypot(...high.map((c, i) => c - low[i])) / 2 * wider;
  look(middle, away(Math.max(radius, extent / 20)), again);
}

/* From the corner, as near as all points of the frame that lie in the box are seen. */
async function first(frame, [low, high]) {
  const points = await rows(frame.points, 3, Float32Array, data.step), inside = [];
  for (let i = 0; i < points.length; i += 3) {
    const at = [points[i], points[i + 1], points[i + 2]];
    if (at.every((c, k) => c >= low[k] && c <= high[k])) inside.push(...at);
  }
  const [least, most] = inside.length ? around(inside) : [low, high];
  const middle = least.map((c, i) => (c + most[i]) / 2);
  const back = unit(FROM), right = unit([-back[1], back[0], 0]);
  const up = [-back[2] * right[1], back[2] * right[0], back[0] * right[1] - back[1] * right[0]];
  let far = 0;
  for (let i = 0; i < inside.length; i += 3) {
    const at = middle.map((c, k) => inside[i + k] - c);
    const needs = Math.max(Math.abs(dot(at, right)) / aspect(), Math.abs(dot(at, up))) / TAN;
    far = Math.max(far, dot(at, back) + needs);
  }
  look(middle, 1.06 * (far || away(extent / 2)), false);
}

const whole = () => fit([data.low, data.high], false);
const near = () => fit(state.box, true, 1.3);
/* in coordinates of the input */
async function place(at) {
  state.mark = { at: at.map((c, i) => c - data.centre[i]), index: state.shown };
  await plot.load({ objects: [marker()] });
  lift();
  look(state.mark.at, away(Math.max(seen / 6, 6 * data.edge)), true);
}

/* ---- what is shown */

/* Of the frames that are asked for while one is being made only the last is shown. */
let wanted = -1, working = null;
function show(index) {
  wanted = index;
  working = working || (async () => {
    while (state.shown !== wanted) {
      state.shown = wanted;
      await draw();
    }
    working = null;
  })();
  return working;
}

async function draw() {
  const frame = data.frames[state.shown];
  await plot.load({ objects: await objects(frame) });
  lift();
  plot.render(true);
  picture();
  const root = document.documentElement;
  root.dataset.shown = state.shown;
  root.dataset.frame = frame.number;
  document.dispatchEvent(new CustomEvent("shown", { detail: frame }));
}

/* Makes all anew: K3D does not change how a surface gets its colours. */
function redraw() {
  const now = state.shown;
  data.colours.forEach((_, group) => plot.removeObject(idOf(group)));
  state.shown = -1;
  return show(now);
}

function setVisible(group, on) {
  state.visible[group] = on;
  const three = threeOf(idOf(group)), json = plot.getWorld().ObjectsListJson[idOf(group)];
  if (three) three.visible = json.visible = on && json.indices.data.length > 0;
  plot.render(true);
  picture();
}

function setOpacity(value) {
  state.opacity = value;
  data.colours.forEach((_, group) => threeOf(idOf(group))?.traverse((part) => {
    for (const material of [part.material].flat().filter(Boolean)) {
      Object.assign(material, { opacity: value, transparent: value < 1, depthWrite: value === 1 });
      material.needsUpdate = true;
    }
  }));
  plot.render(true);
  picture();
}

/* a picture of what is seen, for print, where the canvas is not */
let waiting = 0;
function picture() {
  clearTimeout(waiting);
  if (state.shown < 0 || matchMedia("print").matches) return;
  waiting = setTimeout(() => plot.getScreenshot(1, true).then((canvas) => {
    $("view-print").src = canvas.toDataURL("image/png");
  }).catch(() => {}), 300);
}

function setScheme() {
  plot.setClearColor(isDark() ? 0x1b1e23 : 0xffffff);
  plot.setLabelColor(isDark() ? 0xe4e7ec : 0x1d2129);
  plot.setAxesHelperColors(isDark() ? [0xff6b5e, 0x5fd068, 0x7fa8ff] : [0xc0392b, 0x1e8449, 0x1f4fd8]);
}

async function start() {
  const source = new TextDecoder().decode(await inflated($("k3d").textContent));
  window.k3dCompressed = "";
  let lib = null;
  const define = (name, needs, make) => { lib = make(); };
  new Function("define", source)(define);
  $("canvas").hidden = false;
  plot = await lib.CreateK3DAndLoadBinarySnapshot(bytesOf($("k3d-plot").textContent).buffer, $("canvas"));
  Object.values(plot.getWorld().ObjectsListJson).forEach((o) => { base[o.type] = o; });
  await plot.removeObject(base.Mesh.id);
  setScheme();
  dark.addEventListener("change", () => { setScheme(); redraw(); });
  await first(data.frames[data.start], data.seen);
  await show(data.start);
  if ($("still")) $("still").hidden = true;
  for (const id of ["still-label"]) if ($(id)) $(id).hidden = true;
  for (const id of ["controls", "legend"]) $(id).hidden = false;
  for (const event of ["pointerup", "wheel"])
    $("canvas").addEventListener(event, picture, { passive: true });
}
