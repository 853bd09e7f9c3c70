/* The other side of codec.py. */
const $ = (id) => document.getElementById(id);
const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const inflated = (text) =>
  new Response(
    new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"))
  ).arrayBuffer();

/* rows of whole numbers, times `scale` */
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

const data = JSON.parse($("view-data").textContent);

/* Faces of one group after another, with vertices of their own: what K3D draws as an object. */
const meshes = data.meshes.map(() => null);
const mesh = (k) => (meshes[k] = meshes[k] || parted(data.meshes[k]));
async function parted(packed) {
  const corners = await rows(packed.faces, 3, Uint32Array, 1);
  const groups = await rows(packed.groups, 1, Uint32Array, 1);
  return data.colours.map((_, group) => {
    const faces = [], vertices = [], number = new Map(), indices = [];
    groups.forEach((of, face) => {
      if (of !== group) return;
      faces.push(face);
      for (let c = 3 * face; c < 3 * face + 3; c++) {
        if (!number.has(corners[c])) {
          number.set(corners[c], vertices.length);
          vertices.push(corners[c]);
        }
        indices.push(number.get(corners[c]));
      }
    });
    return { faces, vertices, indices: Uint32Array.from(indices) };
  });
}
