// The tree of a lineage on a canvas: wheel or + and - zoom, drag or shift and arrows pan, arrows walk to the parent, the
// first child and the siblings, Enter opens a version in the panel.
function trees(root) {
  for (const figure of all("figure.tree", root)) if (!figure.dataset.drawn) tree(figure);
}

// The version that the reader chose, for a tree that has grown.
let chosen = "";

function tree(figure) {
  figure.dataset.drawn = "true";
  const data = JSON.parse($("script", figure).textContent), panel = $("#panel"), box = $(".picture", figure);
  const nodes = data.nodes.map(([name, mark, lane, height, path, words, ...parents], i) => ({ i, name, mark, lane, height, path, words, parents, children: [] }));
  for (const n of nodes) if (n.parents.length) nodes[n.parents[0]].children.push(n.i);
  const height = data.lanes.length * data.tall, canvas = make("canvas", height), small = nodes.length < 200 ? null : make("canvas", 56);
  const said = document.createElement("output"), bar = document.createElement("p");
  let width = 0, step = 0, left = 0, at = Math.max(0, nodes.findIndex((n) => n.name === chosen), nodes.findIndex((n) => n.mark === "h" && !chosen)), waiting = false;

  function make(name, tall) {
    const one = document.createElement(name);
    one.style.height = tall + "px";
    return one;
  }
  const x = (n) => 16 + (n.i + 0.5 - left) * step;
  const y = (n) => n.lane * data.tall + 16 + (data.tall - 26) * (100 - n.height) / 100;
  const least = () => (width - 32) / nodes.length;
  const clamp = (v, a, b) => Math.min(Math.max(v, a), Math.max(a, b));

  function place(newStep, newLeft) {
    step = clamp(newStep, Math.min(least(), 24), 96);
    left = clamp(newLeft, 0, nodes.length - (width - 32) / step);
    if (!waiting) { waiting = true; requestAnimationFrame(draw); }
  }
  const zoom = (by, px = x(nodes[at])) => {
    const under = left + (px - 16) / step, next = clamp(step * by, Math.min(least(), 24), 96);
    place(next, under - (px - 16) / next);
  };

  function context(one, tall) {
    const ratio = devicePixelRatio || 1;
    one.width = width * ratio; one.height = tall * ratio;
    const c = one.getContext("2d");
    c.scale(ratio, ratio);
    return c;
  }

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
    const a = x(n), b = y(n), r = { a: 4.5, h: 6, r: 5, o: 3, x: 2.5, f: 3.5 }[n.mark];
    if (a < -9 || a > width + 9) return;
    c.beginPath();
    c.fillStyle = c.strokeStyle = { a: ink.good, h: ink.accent, r: ink.text, o: ink.warning }[n.mark] ?? ink.dim;
    c.globalAlpha = n.mark === "x" || n.mark === "f" ? 0.6 : 1;
    if (n.mark === "x") { c.moveTo(a - r, b - r); c.lineTo(a + r, b + r); c.moveTo(a + r, b - r); c.lineTo(a - r, b + r); c.lineWidth = 1; c.stroke(); }
    else if (n.mark === "f") { c.moveTo(a, b - r); c.lineTo(a + r, b + r); c.lineTo(a - r, b + r); c.closePath(); c.stroke(); }
    else if (n.mark === "r") { c.moveTo(a, b - r); c.lineTo(a + r, b); c.lineTo(a, b + r); c.lineTo(a - r, b); c.fill(); }
    else { c.arc(a, b, r, 0, 7); if (n.mark === "o") { c.lineWidth = 1.5; c.stroke(); } else c.fill(); }
    c.globalAlpha = 1;
  }

  function draw() {
    waiting = false;
    const ink = inks(figure);
    const c = context(canvas, height);
    c.font = "12px system-ui, sans-serif";
    data.lanes.forEach((name, i) => {
      c.fillStyle = i % 2 ? ink.paper : ink.soft; c.fillRect(0, i * data.tall, width, data.tall);
    });
    const from = Math.floor(left) - 1, to = Math.ceil(left + width / step) + 1, seen = nodes.slice(Math.max(0, from), to), way = nodes.filter((n) => n.path);
    const crossing = step >= least() * 1.01 ? nodes.slice(to).filter((n) => n.parents.some((p) => p < to)) : [];
    edges(c, [...seen, ...crossing], ink.dim, 1, nodes.length > 1000 && step < 4 ? 0.12 : 0.35);
    edges(c, way, ink.accent, 3, 1);
    for (const kind of "fxoarh") for (const n of seen) if (n.mark === kind) mark(c, n, ink);
    c.fillStyle = ink.text;
    data.lanes.forEach((name, i) => c.fillText(name, 6, i * data.tall + 14));
    if (step >= 72) for (const n of seen) c.fillText(n.name, x(n) + 6, y(n) - 6, step - 8);
    c.strokeStyle = ink.text; c.lineWidth = 2; c.beginPath(); c.arc(x(nodes[at]), y(nodes[at]), 10, 0, 7); c.stroke();
    if (small) map(ink);
  }

  function map(ink) {
    const c = context(small, 56), per = width / nodes.length;
    c.fillStyle = ink.soft; c.fillRect(0, 0, width, 56);
    for (const n of nodes) {
      const faint = n.mark === "x" || n.mark === "f";
      c.fillStyle = n.path ? ink.accent : faint ? ink.line : ink.dim;
      c.fillRect(n.i * per, y(n) / height * 52, n.path ? 2.5 : 1.5, n.path ? 3 : 1.5);
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
    const address = figure.dataset.address + encodeURIComponent(nodes[at].name);
    const page = await load(address), main = page && $("main", page);
    if (!main) { location.assign(address); return; }
    const heading = document.createElement("h2"), way = document.createElement("a"), close = document.createElement("button");
    way.href = address; way.textContent = nodes[at].name;
    close.type = "button"; close.textContent = "Close";
    close.addEventListener("click", () => { panel.hidden = true; canvas.focus(); });
    heading.append(way, " ", close);
    for (const part of all(".trail, .tabs, h1, #news, .question, .actions, [popover]", main)) part.remove();
    for (const title of all("h2", main)) { const h3 = document.createElement("h3"); h3.append(...title.childNodes); title.replaceWith(h3); }
    for (const one of all("[id], [role=region]", main)) for (const name of ["id", "role", "aria-label"]) one.removeAttribute(name);
    panel.replaceChildren(heading, ...main.childNodes);
    panel.hidden = false;
    prepare(panel);
  }

  function nearest(event) {
    const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    let found = -1, best = 400;
    const middle = left + (px - 16) / step, reach = 20 / step + 1;
    for (const n of nodes.slice(Math.max(0, Math.floor(middle - reach)), Math.ceil(middle + reach))) {
      const d = (x(n) - px) ** 2 + (y(n) - py) ** 2;
      if (d < best) { best = d; found = n.i; }
    }
    return found;
  }

  const sibling = (by) => {
    const same = nodes[at].parents.length ? nodes[nodes[at].parents[0]].children : nodes.filter((n) => !n.parents.length).map((n) => n.i);
    return same[same.indexOf(at) + by] ?? at;
  };
  const child = () => nodes[at].children.find((i) => nodes[i].path) ?? nodes[at].children.find((i) => nodes[i].mark === "a") ?? nodes[at].children[0] ?? at;
  canvas.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const pan = (by) => place(step, left + by * width / step / 4);
    const keys = event.shiftKey && event.key.startsWith("Arrow") ? { ArrowLeft: () => pan(-1), ArrowRight: () => pan(1) } : {
      ArrowLeft: () => select(nodes[at].parents[0] ?? at), ArrowRight: () => select(child()), ArrowUp: () => select(sibling(-1)), ArrowDown: () => select(sibling(1)),
      Home: () => select(0), End: () => select(nodes.length - 1), Enter: open, "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: () => place(0, 0),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault(); event.stopPropagation();
    keys[event.key]();
  });
  canvas.addEventListener("wheel", (event) => {
    // The page scrolls until the tree has the focus.
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) place(step, left + (event.deltaX || event.deltaY) / step);
    else zoom(Math.exp(-event.deltaY / 300), event.clientX - canvas.getBoundingClientRect().left);
  }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = { from: event.clientX, left, moved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) { const i = nearest(event); canvas.title = i < 0 ? "" : nodes[i].words; return; }
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

  for (const [name, text, act] of [["Zoom in", "+", () => zoom(1.5)], ["Zoom out", "−", () => zoom(1 / 1.5)], ["Show all", "All", () => place(0, 0)]]) {
    const button = document.createElement("button");
    button.type = "button"; button.textContent = text; button.title = name; button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    bar.append(button, " ");
  }
  bar.className = "tools"; bar.append(said);
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", box.getAttribute("aria-label") + ". Arrows walk, Enter opens, + and - zoom");
  box.replaceChildren(canvas);
  box.classList.remove("scroll"); box.removeAttribute("tabindex"); box.removeAttribute("role"); box.removeAttribute("aria-label");
  if (small) { small.setAttribute("aria-hidden", "true"); box.append(small); }
  box.after(bar);
  new ResizeObserver(() => {
    const first = !width;
    width = box.clientWidth;
    if (first) step = clamp(least(), 24, 64), left = Math.max(0, at - (width - 32) / step / 2);
    place(first && least() < 24 ? least() : step, left);
    if (first) said.textContent = nodes[at].words;
  }).observe(box);
}

// The colors of the page as a canvas understands them: only a style resolves light-dark().
const inked = {};
function inks(figure) {
  const is = (document.documentElement.dataset.scheme ?? "") + matchMedia("(prefers-color-scheme: dark)").matches;
  if (inked[is]) return inked[is];
  const probe = document.createElement("span"), ink = {};
  figure.append(probe);
  for (const name of ["text", "dim", "line", "soft", "paper", "accent", "good", "warning"]) {
    probe.style.color = `var(--${name})`;
    ink[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return inked[is] = ink;
}
preparations.push(trees);
