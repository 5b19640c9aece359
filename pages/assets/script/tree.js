// The tree of a lineage on a canvas: wheel or + and - zoom, drag or shift and arrows pan, arrows walk to the parent, the
// first child and the siblings, Enter opens a version in the panel.
// The version that the reader chose, for a tree that has grown. The address names the one that is open.
const opened = "open.tree";
let chosen = remembered(opened) ?? "";

// Marks by their letters: their color, their shape, and whether only its outline is drawn.
const disc = (r) => new Path2D(`M0-${r}a${r} ${r} 0 1 0 .01 0z`);
const treeMarks = {
  a: ["good", disc(4.5)], h: ["accent", disc(6)], o: ["warning", disc(3), true],
  r: ["text", new Path2D("M0-5l5 5-5 5-5-5z")], x: ["dim", new Path2D("M-2.5-2.5l5 5m0-5l-5 5"), true], f: ["dim", new Path2D("M0-3.5l3.5 7h-7z"), true], e: ["bad", new Path2D("M-3.5-3.5v7h7v-7zl7 7m0-7l-7 7"), true],
};

function tree(figure) {
  const data = JSON.parse($("script", figure).textContent), panel = $("#panel");
  let box = $(".picture", figure);
  const nodes = data.nodes.map(([name, mark, lane, height, path, words, ...parents], i) => ({ i, name, mark, lane, height, path, words: words.startsWith(",") ? name + words : words, parents, children: [] }));
  for (const n of nodes) if (n.parents.length) nodes[n.parents[0]].children.push(n.i);
  const height = data.lanes.length * data.tall, canvas = make("canvas"), small = nodes.length < 200 ? null : make("canvas"), said = make("output");
  let width = 0, step = 0, left = 0, at = Math.max(0, nodes.findIndex((n) => n.name === chosen), nodes.findIndex((n) => n.mark === "h" && !chosen));

  const redraw = soon(draw), x = (n) => 16 + (n.i + 0.5 - left) * step;
  const y = (n) => n.lane * data.tall + 16 + (data.tall - 26) * (100 - n.height) / 100;
  const least = () => (width - 32) / nodes.length, fit = (v) => clamp(v, Math.min(least(), 24), 96);

  function place(newStep, newLeft) {
    step = fit(newStep);
    left = clamp(newLeft, 0, nodes.length - (width - 32) / step);
    redraw();
  }
  const zoom = (by, px = x(nodes[at])) => {
    const under = left + (px - 16) / step, next = fit(step * by);
    place(next, under - (px - 16) / next);
  };

  function edges(c, list, ink, line, alpha) {
    c.strokeStyle = ink; c.lineWidth = line; c.globalAlpha = alpha;
    c.beginPath();
    for (const n of list) {
      n.parents.forEach((p, k) => {
        if (n.path && line === 1 && k === 0 || line > 1 && k > 0) return;
        const from = nodes[p], px = x(from), nx = x(n), bend = Math.min(60, (nx - px) / 2);
        if (nx < 0 || px > width) return;
        c.moveTo(px, y(from)); c.bezierCurveTo(px + bend, y(from), nx - bend, y(n), nx, y(n));
      });
    }
    c.stroke(); c.globalAlpha = 1;
  }

  function mark(c, n, ink) {
    const a = x(n), b = y(n), [color, shape, open] = treeMarks[n.mark];
    if (a < -9 || a > width + 9) return;
    c.fillStyle = c.strokeStyle = ink[color];
    c.globalAlpha = color === "dim" ? 0.6 : 1;
    c.lineWidth = 1.2;
    c.translate(a, b);
    if (open) c.stroke(shape); else c.fill(shape);
    c.translate(-a, -b);
    c.globalAlpha = 1;
  }

  function draw() {
    const ink = inks(), c = context(canvas, width, height);
    c.font = "12px system-ui, sans-serif";
    data.lanes.forEach((name, i) => {
      c.fillStyle = i % 2 ? ink.paper : ink.soft; c.fillRect(0, i * data.tall, width, data.tall);
    });
    const faint = nodes.length > 1000 && step < 4 ? 0.12 : 0.35;
    edges(c, nodes, ink.dim, 1, faint);
    edges(c, nodes.filter((n) => n.path), ink.accent, 3, 1);
    for (const kind of "fxoarh") for (const n of nodes) if (n.mark === kind) mark(c, n, ink);
    c.fillStyle = ink.text;
    data.lanes.forEach((name, i) => c.fillText(name, 6, i * data.tall + 14));
    if (step >= 72) for (const n of nodes.slice(left, left + width / step + 1)) c.fillText(n.name, x(n) + 6, y(n) - 6, step - 8);
    c.strokeStyle = ink.text; c.lineWidth = 2; c.beginPath(); c.arc(x(nodes[at]), y(nodes[at]), 10, 0, 7); c.stroke();
    if (small) map(ink);
  }

  function map(ink) {
    const c = context(small, width, 56), per = width / nodes.length;
    c.fillStyle = ink.soft; c.fillRect(0, 0, width, 56);
    for (const n of nodes) {
      c.fillStyle = ink[n.path ? "accent" : treeMarks[n.mark][0] === "dim" ? "line" : "dim"];
      c.fillRect(n.i * per, y(n) / height * 52, 2, 2);
    }
    c.strokeStyle = ink.text; c.lineWidth = 1.5;
    c.strokeRect(left * per + 1, 1, Math.min(width, (width - 32) / step * per) - 2, 54);
  }

  function select(i, reveal = true) {
    at = i;
    chosen = nodes[i].name;
    said.textContent = nodes[i].words;
    place(step, !reveal || x(nodes[i]) > 24 && x(nodes[i]) < width - 24 ? left : i - (width - 32) / step / 2);
  }

  async function open() {
    const address = figure.dataset.address + encodeURIComponent(nodes[at].name), page = await load(address + "&part.page=panel");
    if (!page) { location.assign(address); return; }
    const close = make("button", { type: "button", textContent: "Close", onclick: () => { panel.hidden = true; remember(opened, null); canvas.focus(); } });
    remember(opened, nodes[at].name);
    panel.replaceChildren(make("h2", {}, make("a", { href: address, textContent: nodes[at].name }), " ", close), ...page.body.childNodes);
    panel.hidden = false;
    prepare(panel);
  }

  function nearest({ offsetX, offsetY }) {
    let found = -1, best = 400;
    for (const n of nodes) {
      const d = (x(n) - offsetX) ** 2 + (y(n) - offsetY) ** 2;
      if (d < best) { best = d; found = n.i; }
    }
    return found;
  }

  const sibling = (by) => {
    const same = nodes[at].parents.length ? nodes[nodes[at].parents[0]].children : nodes.filter((n) => !n.parents.length).map((n) => n.i);
    return same[same.indexOf(at) + by] ?? at;
  };
  const child = () => nodes[at].children.find((i) => nodes[i].path) ?? nodes[at].children.find((i) => nodes[i].mark === "a") ?? nodes[at].children[0] ?? at;
  const pan = (by) => place(step, left + by * width / step / 4);
  const bar = explore(canvas, figure.dataset.words, {
    ShiftArrowLeft: () => pan(-1), ShiftArrowRight: () => pan(1),
    ArrowLeft: () => select(nodes[at].parents[0] ?? at), ArrowRight: () => select(child()), ArrowUp: () => select(sibling(-1)), ArrowDown: () => select(sibling(1)),
    Home: () => select(0), End: () => select(nodes.length - 1), Enter: () => { open(); },
  }, zoom, () => place(0, 0), said);
  canvas.addEventListener("wheel", (event) => {
    // The page scrolls until the tree has the focus.
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), event.offsetX);
  }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = { from: event.clientX, left, moved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) { canvas.title = nodes[nearest(event)]?.words ?? ""; return; }
    drag.moved ||= Math.abs(event.clientX - drag.from) > 4;
    if (drag.moved) place(step, drag.left - (event.clientX - drag.from) / step);
  });
  canvas.addEventListener("pointerup", (event) => {
    const i = drag?.moved ? -1 : nearest(event);
    drag = null;
    if (i >= 0) { select(i, false); open(); }
  });
  const jump = (event) => { if (event.buttons) place(step, event.offsetX / width * nodes.length - (width - 32) / step / 2); };
  small?.addEventListener("pointerdown", jump);
  small?.addEventListener("pointermove", jump);

  box.replaceWith(box = make("div", { className: "picture" }, canvas));
  if (small) { small.setAttribute("aria-hidden", "true"); box.append(small); }
  box.after(bar);
  onScheme(redraw);
  if (chosen && nodes[at].name === remembered(opened)) open();
  new ResizeObserver(() => {
    const first = !width;
    width = box.clientWidth;
    if (first) step = clamp(least(), 24, 64), left = Math.max(0, at - (width - 32) / step / 2);
    place(first && least() < 24 ? least() : step, left);
    if (first) said.textContent = nodes[at].words;
  }).observe(box);
}

onEach("figure.tree", tree);
