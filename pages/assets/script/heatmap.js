// Heat maps of seeds: a byte a cell, drawn on a canvas of the size of its window. Pointer and arrow keys move to a cell and
// show its numbers, a click and Enter open its seed. The visible part is a table as well.
const heatWords = { "+": "PASS", "/": "WARN", x: "FAIL", "!": "failed seed", ".": "no value", "?": "not scored", _: "no seed" };
const heatClasses = { "+": "pass", "/": "warn", x: "fail", "!": "failed", ".": "none", "?": "open", _: "absent" };
const heatLevels = [4, 6, 9, 12, 18, 24];
const heatRuler = 18, heatName = 200, heatTable = 20, heatMost = 416;
let heatLevel = -1, heatLast = null;

preparations.push((root) => all(".heatmap", root).forEach(heatmap));

async function heatmap(figure) {
  if (figure.dataset.ready) return;
  figure.dataset.ready = "yes";
  // A page that follows what is recorded replaces its figure: the reader stays at the same cell.
  const before = heatLast?.figure.dataset.source === figure.dataset.source ? heatLast : null, focused = before && document.activeElement === before.canvas;
  let map = null;
  if (before) {
    // Until it is part of the page.
    await null;
    map = new HeatMap(figure, before.data, before);
    if (focused) map.canvas.focus({ preventScroll: true });
  }
  const data = await ask(figure.dataset.source);
  if (!data?.items.length || !data.seeds.length) return;
  if (map) map.renew(data); else new HeatMap(figure, data);
}

class HeatMap {
  constructor(figure, data, before) {
    Object.assign(this, { figure, data, row: before?.row ?? 0, column: before?.column ?? 0, left: before?.left ?? 0, top: before?.top ?? 0, known: new Map(), asked: 0 });
    heatLast = this;
    this.view = $(".heat-view", figure);
    this.space = $(".heat-space", figure);
    this.canvas = $("canvas", figure);
    this.status = $(".heat-status", figure);
    this.details = $("details.heat-cells", figure);
    this.view.hidden = false;
    this.details.open = false;
    for (const button of all("[data-zoom]", figure)) {
      button.hidden = false;
      button.addEventListener("click", () => { this.zoom(heatLevels.indexOf(this.height) + Number(button.dataset.zoom)); this.reveal(); });
    }
    const most = Math.floor((heatMost - heatRuler) / data.items.length);
    this.zoom(heatLevel >= 0 ? heatLevel : Math.max(0, heatLevels.findLastIndex((level) => level <= most)), true);
    const later = () => { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.draw(); }); };
    this.view.scrollTo(this.left, this.top);
    this.view.addEventListener("scroll", () => { this.left = this.view.scrollLeft; this.top = this.view.scrollTop; later(); });
    new ResizeObserver(() => { this.measure(); later(); }).observe(this.view);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
    new MutationObserver(later).observe(document.documentElement, { attributeFilter: ["data-scheme"] });
    this.details.addEventListener("toggle", () => this.list());
    this.canvas.addEventListener("pointermove", (event) => this.point(event) && this.show(true));
    this.canvas.addEventListener("click", (event) => this.point(event) && this.open());
    this.canvas.addEventListener("focus", () => this.show());
    this.canvas.addEventListener("blur", later);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  renew(data) {
    this.data = data;
    this.row = Math.min(this.row, data.items.length - 1);
    this.column = Math.min(this.column, data.seeds.length - 1);
    this.known.clear();
    this.measure();
    this.draw();
  }

  zoom(level, quiet) {
    level = Math.min(heatLevels.length - 1, Math.max(0, level));
    this.height = heatLevels[level];
    if (!quiet) heatLevel = level;
    this.measure();
    this.draw();
  }

  measure() {
    const { items, seeds } = this.data;
    this.names = this.height >= 12 ? Math.min(heatName, this.view.clientWidth * 0.4) : 0;
    const room = this.view.clientWidth - this.names;
    this.width = Math.min(Math.max(this.height, 24), Math.max(this.height >= 12 ? this.height : 1, room / seeds.length));
    this.space.style.width = Math.floor(this.names + this.width * seeds.length) + "px";
    this.space.style.height = heatRuler + this.height * items.length + "px";
    this.view.style.height = Math.min(heatMost, heatRuler + this.height * items.length + (this.view.offsetHeight - this.view.clientHeight)) + "px";
  }

  draw() {
    const { view, canvas, width: w, height: h, names } = this, { items, seeds } = this.data;
    const W = view.clientWidth, H = Math.min(view.clientHeight, heatRuler + h * items.length), scale = devicePixelRatio || 1;
    canvas.width = W * scale;
    canvas.height = H * scale;
    canvas.style.width = W + "px";
    canvas.style.height = H + "px";
    const c = canvas.getContext("2d");
    c.scale(scale, scale);
    c.font = "11px system-ui, sans-serif";
    const colours = {}, marks = {};
    for (const key of all(".heat-key[data-cell]", this.figure)) {
      const style = getComputedStyle(key);
      colours[key.dataset.cell] = style.backgroundColor;
      marks[key.dataset.cell] = style.color;
    }
    const ink = getComputedStyle(this.figure).color, x0 = names - view.scrollLeft, y0 = heatRuler - view.scrollTop;
    this.firstRow = Math.max(0, Math.floor(view.scrollTop / h));
    this.firstColumn = Math.max(0, Math.floor(view.scrollLeft / w));
    const lastRow = Math.min(items.length, Math.ceil((view.scrollTop + H) / h)), lastColumn = Math.min(seeds.length, Math.ceil((view.scrollLeft + W) / w));
    const gap = w >= 6 && h >= 6 ? 1 : 0, paths = { "/": new Path2D(), x: new Path2D(), "!": new Path2D() };
    c.save();
    c.beginPath();
    c.rect(names, heatRuler, W, H);
    c.clip();
    for (let r = this.firstRow; r < lastRow; r++) {
      const cells = items[r].cells, y = y0 + r * h;
      for (let i = this.firstColumn; i < lastColumn;) {
        const kind = cells[i];
        let end = i + 1;
        if (!gap) while (end < lastColumn && cells[end] === kind) end++;
        const x = x0 + i * w;
        c.fillStyle = colours[kind];
        c.fillRect(x, y, (end - i) * w - gap, h - gap);
        if (gap && paths[kind]) heatMark(paths[kind], kind, x, y, w - gap, h - gap);
        i = end;
      }
    }
    c.lineWidth = 1.3;
    for (const kind in paths) {
      c.strokeStyle = marks[kind];
      c.stroke(paths[kind]);
    }
    c.strokeStyle = ink;
    c.lineWidth = 2;
    c.strokeRect(x0 + this.column * w, y0 + this.row * h, Math.max(3, w - gap), Math.max(3, h - gap));
    c.restore();
    c.fillStyle = ink;
    c.textBaseline = "middle";
    if (names) {
      c.save();
      c.beginPath();
      c.rect(0, heatRuler, names - 6, H);
      c.clip();
      for (let r = this.firstRow; r < lastRow; r++) c.fillText(heatShort(c, items[r].name, names - 8), 0, y0 + (r + 0.5) * h);
      c.restore();
    }
    c.textAlign = "center";
    for (let i = this.firstColumn, free = names; i < lastColumn; i++) {
      const x = x0 + (i + 0.5) * w, half = c.measureText(seeds[i]).width / 2;
      if (x - half < free || x + half > W) continue;
      c.fillText(seeds[i], x, 8);
      free = x + half + 8;
    }
  }

  // The cell under the pointer becomes the current one.
  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - this.names + this.view.scrollLeft) / this.width);
    const row = Math.floor((event.clientY - box.top - heatRuler + this.view.scrollTop) / this.height);
    if (event.clientX - box.left < this.names || !this.data.items[row] || column >= this.data.seeds.length || column < 0) return false;
    Object.assign(this, { row, column });
    return true;
  }

  key(event) {
    const rows = this.data.items.length, columns = this.data.seeds.length, page = 10;
    const to = {
      ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-page, 0], PageDown: [page, 0],
      Home: [0, -columns], End: [0, columns],
    }[event.key];
    if (event.key === "Enter") this.open();
    if (!to || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    this.row = Math.min(rows - 1, Math.max(0, this.row + to[0]));
    this.column = Math.min(columns - 1, Math.max(0, this.column + to[1]));
    this.reveal();
    this.show();
  }

  // Scrolls until the current cell is visible.
  reveal() {
    const { view, width: w, height: h, row, column } = this, x = column * w, y = row * h;
    const W = view.clientWidth - this.names - w, H = view.clientHeight - heatRuler - h;
    view.scrollLeft = Math.min(x, Math.max(view.scrollLeft, x - W));
    view.scrollTop = Math.min(y, Math.max(view.scrollTop, y - H));
  }

  address(page) {
    const of = this.data.items[this.row];
    return base + page + "?" + new URLSearchParams({ scenario: of.scenario + "@" + of.configuration.slice(0, 10), seed: this.data.seeds[this.column] });
  }

  open() {
    if (this.data.items[this.row].cells[this.column] !== "_") location.assign(this.address("/show/seed"));
  }

  // Says what the current cell is, and a moment later its numbers.
  show(pointed) {
    const of = this.data.items[this.row], kind = of.cells[this.column], text = of.name + ", seed " + this.data.seeds[this.column] + ": " + heatWords[kind];
    this.draw();
    this.status.textContent = text;
    this.canvas.title = pointed ? text : "";
    const asked = ++this.asked;
    if (kind === "_") return;
    setTimeout(async () => {
      if (asked !== this.asked) return;
      const numbers = await this.numbers(this.address("/api/v1/show/seed"), of.name);
      if (asked === this.asked && numbers) this.status.textContent = text + numbers;
    }, 120);
  }

  async numbers(address, name) {
    if (!this.known.has(address)) {
      this.known.set(address, ask(address));
    }
    const seed = await this.known.get(address);
    if (!seed) return "";
    if (this.data.by !== "metrics") return (seed.total_score === undefined ? "" : ", score " + seed.total_score.toFixed(4)) + `; ${seed.n_fail} FAIL, ${seed.n_warn} WARN`;
    const m = seed.metrics.find((one) => one.name === name);
    return !m ? "" : m.value === null ? ", " + m.reason : `, value ${m.value}, score ${m.score === null ? "none" : m.score.toFixed(4)}; target ${m.target}`;
  }

  // The table of the visible part.
  list() {
    if (!this.details.open) return;
    const { items, seeds } = this.data, row = this.row, column = this.column;
    const r0 = Math.max(0, Math.min(row - heatTable / 2, items.length - heatTable)), c0 = Math.max(0, Math.min(column - heatTable / 2, seeds.length - heatTable));
    const table = $("table", this.details), head = document.createElement("tr"), body = document.createElement("tbody");
    const cell = (to, tag, text, name) => { const e = document.createElement(tag); e.textContent = text; if (name) e.className = name; to.append(e); return e; };
    cell(head, "th", "").scope = "col";
    for (const seed of seeds.slice(c0, c0 + heatTable)) cell(head, "th", seed).scope = "col";
    for (this.row = r0; this.row < Math.min(items.length, r0 + heatTable); this.row++) {
      const line = document.createElement("tr"), of = items[this.row];
      cell(line, "th", of.name).scope = "row";
      for (this.column = c0; this.column < Math.min(seeds.length, c0 + heatTable); this.column++) {
        const kind = of.cells[this.column], at = cell(line, "td", kind === "_" ? heatWords[kind] : "", "heat-" + heatClasses[kind]);
        if (kind !== "_") cell(at, "a", heatWords[kind]).href = this.address("/show/seed");
      }
      body.append(line);
    }
    Object.assign(this, { row, column });
    $("thead", table).replaceChildren(head);
    for (const old of all("tbody", table)) old.remove();
    table.append(body);
  }
}

function heatMark(path, kind, x, y, w, h) {
  const half = Math.min(w, h) * 0.28, cx = x + w / 2, cy = y + h / 2;
  path.moveTo(cx - half, cy + half);
  path.lineTo(cx + half, cy - half);
  if (kind === "/") return;
  path.moveTo(cx - half, cy - half);
  path.lineTo(cx + half, cy + half);
}

function heatShort(c, text, room) {
  if (c.measureText(text).width <= room) return text;
  let n = text.length;
  while (n > 4 && c.measureText(text.slice(0, n) + "…").width > room) n--;
  return text.slice(0, n) + "…";
}
