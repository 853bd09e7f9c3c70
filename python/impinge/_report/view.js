/* The 3D part of the page: frames are unpacked when they are shown, and handed to K3D. */
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const note = (text) => {
    $("view-note").textContent = text;
    $("view-note").hidden = false;
    $("view").hidden = true;
  };
  if (!document.createElement("canvas").getContext("webgl2")) {
    note("The 3D view needs WebGL 2, which this browser does not offer.");
    return;
  }

  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const inflated = (text) =>
    new Response(
      new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"))
    ).arrayBuffer();

  /* the other side of codec.py: rows of whole numbers, times `scale` */
  async function rows(text, columns, Type, scale) {
    const bytes = new Uint8Array(await inflated(text));
    const all = bytes.length / 4, n = all / columns, made = new Type(all);
    for (let c = 0; c < columns; c++)
      for (let i = 0, k = c * n, sum = 0; i < n; i++, k++) {
        sum += bytes[k] | bytes[k + all] << 8 | bytes[k + 2 * all] << 16 | bytes[k + 3 * all] << 24;
        made[i * columns + c] = sum * scale;
      }
    return made;
  }
  const array = (data, columns) => ({
    data, shape: columns ? [data.length / columns, columns] : [data.length],
  });

  const data = JSON.parse($("view-data").textContent);
  const meshes = data.meshes.map(() => null);
  const mesh = (k) => (meshes[k] = meshes[k] || rows(data.meshes[k], 3, Uint32Array, 1));

  async function objects(frame, base) {
    const points = await rows(frame.points, 3, Float32Array, data.step);
    const ends = await rows(frame.ends, 3, Float32Array, data.step);
    const dots = await rows(frame.dots, 3, Float32Array, data.step);
    const share = (await rows(frame.counts, 1, Float32Array, 1)).map(
      (count) => Math.log1p(count) / Math.log1p(data.most || 1));
    const few = ends.length <= 6 * TUBES;
    /* K3D keeps what it drew before, so that of none there is one which is hidden */
    const some = (data, least) => (data.length ? data : new Float32Array(3 * least));
    return [
      Object.assign({}, base.Mesh, {
        vertices: array(points, 3),
        indices: array(await mesh(frame.mesh), 3),
        triangles_attribute: array(share),
      }),
      Object.assign({}, base.Lines, {
        vertices: array(some(ends, 2), 3),
        indices: array(Uint32Array.from({ length: some(ends, 2).length / 3 }, (_, i) => i), 2),
        visible: ends.length > 0,
        shader: few ? "mesh" : "thick",
        radial_segments: 5,
        width: few ? Math.min(extent / 350, data.edge / 4) : Math.min(extent / 120, data.edge / 2),
      }),
      Object.assign({}, base.Points, {
        positions: array(some(dots, 1), 3),
        visible: dots.length > 0,
        shader: dots.length <= 3 * TUBES ? "mesh" : "3dSpecular",
        point_size: Math.max(extent / 70, Math.min(extent / 30, data.edge / 2)),
      }),
    ];
  }

  /* tubes and balls show where flat lines and dots would lie in a surface; more take long to make */
  const TUBES = 5000;
  const extent = Math.max(...data.high.map((h, c) => h - data.low[c])) || 1;
  /* all of the box is seen, from a corner above */
  function camera() {
    const far = Math.hypot(...data.high.map((h, c) => h - data.low[c])) * 2.2;
    const from = [0.55, -0.68, 0.48].map((c) => c * far);
    return [...from, 0, 0, 0, 0, 0, 1];
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const background = () => (dark.matches && !matchMedia("print").matches ? 0x1b1e23 : 0xffffff);

  async function start() {
    const source = new TextDecoder().decode(await inflated($("k3d").textContent));
    window.k3dCompressed = "";
    let lib = null;
    const define = (name, needs, make) => { lib = make(); };
    new Function("define", source)(define);
    const plot = await lib.CreateK3DAndLoadBinarySnapshot(
      bytesOf($("k3d-plot").textContent).buffer, $("canvas"));
    plot.setClearColor(background());
    dark.addEventListener("change", () => { plot.setClearColor(background()); plot.render(); });
    const base = {};
    Object.values(plot.getWorld().ObjectsListJson).forEach((o) => { base[o.type] = o; });
    plot.setCamera(camera());
    await follow(plot, base);
  }

  /* a picture of what is seen, for print */
  let waiting = 0;
  function picture(plot) {
    clearTimeout(waiting);
    waiting = setTimeout(() => plot.getScreenshot(1, true).then((canvas) => {
      $("view-print").src = canvas.toDataURL("image/png");
    }).catch(() => {}), 300);
  }

  /* the frame of the slider is shown; of those that it passes meanwhile only the last */
  async function follow(plot, base) {
    const slider = $("view-frame");
    let shown = -1, busy = false;
    async function show() {
      if (busy) return;
      busy = true;
      while (shown !== +slider.value) {
        shown = +slider.value;
        $("view-label").textContent = data.frames[shown].label;
        slider.setAttribute("aria-valuetext", data.frames[shown].label);
        await plot.load({ objects: await objects(data.frames[shown], base) });
      }
      busy = false;
      picture(plot);
      document.documentElement.dataset.shown = shown;
    }
    slider.max = data.frames.length - 1;
    slider.value = data.start;
    slider.disabled = data.frames.length < 2;
    slider.addEventListener("input", show);
    for (const event of ["pointerup", "wheel"])
      $("canvas").addEventListener(event, () => picture(plot), { passive: true });
    await show();
  }

  start().catch((error) => note("The 3D view could not be drawn: " + error.message));
})();
