/* What a person operates: links to frames, the slider, switches. All of it needs the 3D view. */
const links = document.querySelectorAll("a[data-frame]");

/* the frame that is nearest to one of the input's */
function nearest(number) {
  let best = 0;
  data.frames.forEach((frame, i) => {
    if (Math.abs(frame.number - number) < Math.abs(data.frames[best].number - number)) best = i;
  });
  return best;
}

async function go(link) {
  const number = +link.dataset.frame, index = nearest(number);
  const found = data.frames[index].number;
  $("stage").scrollIntoView({ block: "nearest" });
  select(link);
  await show(index);
  $("view-frame").value = index;
  if (found !== number)
    tell(`Frame ${number} is not in this file, which has only some of the frames. The nearest one is shown: `
      + data.frames[index].label + ".");
  if (link.dataset.place && found === number) place(link.dataset.place.split(" ").map(Number));
  else near();
}

function select(link) {
  for (const old of document.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  (link.closest("tr") || link).setAttribute("aria-current", "true");
}

const tell = (text) => { $("view-label").textContent = text; };

/* A row does what its first link does, wherever it is clicked. */
function bindRow(row) {
  row.classList.add("goes");
  row.addEventListener("click", (event) => {
    if (!event.target.closest("a, details, button") && !getSelection().toString()) go(row.querySelector("a[data-frame]"));
  });
}

/* One of the bars is reached by Tab, the others from there by the arrow keys. */
function bindBars(group) {
  const bars = [...group.querySelectorAll("a")];
  bars.forEach((bar, i) => {
    bar.setAttribute("tabindex", bar.querySelector(".most") || (i === 0 && !group.querySelector(".most")) ? 0 : -1);
    bar.addEventListener("keydown", (event) => {
      const to = bars[i + { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
      if (!to) return;
      event.preventDefault();
      bars.forEach((other) => other.setAttribute("tabindex", other === to ? 0 : -1));
      to.focus();
    });
  });
}

function bindLinks() {
  document.documentElement.classList.add("has-view");
  for (const link of links) {
    link.setAttribute("href", "#view");
    link.addEventListener("click", (event) => { event.preventDefault(); go(link); });
  }
  document.querySelectorAll(".bars").forEach(bindBars);
  for (const row of document.querySelectorAll("tbody tr"))
    if (!row.classList.contains("more") && row.querySelector("a[data-frame]")) bindRow(row);
}

/* The slider follows what is shown, and the bar of that frame is marked. */
function follow(frame) {
  $("view-frame").setAttribute("aria-valuetext", frame.label);
  tell(frame.label[0].toUpperCase() + frame.label.slice(1));
  for (const bar of document.querySelectorAll(".bars a"))
    bar.classList.toggle("now", +bar.dataset.frame === frame.number);
}

function bindControls() {
  const slider = $("view-frame");
  slider.max = data.frames.length - 1;
  slider.value = data.start;
  slider.disabled = data.frames.length < 2;
  slider.addEventListener("input", () => show(+slider.value));
  document.addEventListener("shown", (event) => follow(event.detail));
  $("view-opacity").addEventListener("input", (event) => setOpacity(event.target.value / 100));
  $("view-colour").addEventListener("change", (event) => {
    state.heat = event.target.value === "contacts";
    $("view-heat").hidden = !state.heat;
    redraw();
  });
  $("view-whole").addEventListener("click", whole);
  $("view-near").addEventListener("click", near);
  for (const box of document.querySelectorAll("[data-group]"))
    box.addEventListener("change", () => setVisible(+box.dataset.group, box.checked));
}

function without(reason) {
  $("view-note").textContent = reason + (($("still") && " The picture above is of the frame with the most contacts.") || "");
  $("view-note").hidden = false;
  if ($("canvas")) $("canvas").hidden = true;
  $("controls").hidden = $("legend").hidden = true;
  if ($("still")) $("still").hidden = false;
}

if (!document.createElement("canvas").getContext("webgl2")) {
  without("The 3D view needs WebGL 2, which this browser does not offer.");
} else {
  bindControls();
  start().then(bindLinks).catch((error) => without("The 3D view could not be drawn: " + error.message + "."));
}
