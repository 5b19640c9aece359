// Heat maps of seeds: a byte a cell, drawn on a canvas of the size of its window. Pointer and arrow keys move to a cell and
// show its numbers, a click and Enter open its seed. The visible part is a table as well.
const heatLevels = [4, 6, 9, 12, 18, 24];
const heatRuler = 18, heatName = 280, heatTable = 20, heatMost = 416;
let heatLevel = -1;

onEach(".heatmap", (figure) => {
  const data = JSON.parse($("script", figure).textContent);
  if (data.items.length && data.seeds.length) figure.map = new HeatMap(figure, data);
});

class HeatMap {
  constructor(figure, data) {
    Object.assign(this, { figure, data, row: 0, column: 0, left: 0, top: 0, asked: 0, status: make("output", { className: "heat-status" }) });
    this.view = $(".heat-view", figure);
    this.space = $(".heat-space", figure);
    this.canvas = $("canvas", figure);
    this.details = $("details.heat-cells", figure);
    this.view.hidden = false;
    this.details.open = false;
    // Rows are as high as their names, unless there are very many.
    const rows = data.items.length, fitting = heatLevels.findLastIndex((level) => level * rows <= heatMost - heatRuler);
    this.height = heatLevels[heatLevel >= 0 ? heatLevel : Math.max(rows > 200 ? 0 : 3, fitting)];
    this.measure();
    const later = soon(() => this.draw());
    this.view.addEventListener("scroll", () => { this.left = this.view.scrollLeft; this.top = this.view.scrollTop; later(); });
    // Which draws at once, too.
    new ResizeObserver(() => { this.measure(); this.draw(); }).observe(this.view);
    onScheme(later);
    // Paper has the whole picture, in the width of a page.
    for (const name of ["beforeprint", "afterprint"]) addEventListener(name, () => { this.whole = name[0] === "b"; this.measure(); this.draw(); });
    this.details.addEventListener("toggle", () => this.list());
    this.canvas.addEventListener("pointermove", (event) => this.point(event) && this.show(true));
    this.canvas.addEventListener("click", (event) => this.point(event) && this.open());
    this.canvas.addEventListener("focus", () => this.show());
    const go = (rows, columns) => () => {
      this.go(this.row + rows, this.column + columns);
      this.reveal();
      this.show();
    };
    const level = (by) => { this.zoom(heatLevels.indexOf(this.height) + by); this.reveal(); };
    this.view.after(explore(this.canvas, this.canvas.ariaLabel, {
      ArrowLeft: go(0, -1), ArrowRight: go(0, 1), ArrowUp: go(-1, 0), ArrowDown: go(1, 0), Home: go(0, -1e9), End: go(0, 1e9), Enter: () => this.open(),
    }, (by) => level(Math.sign(by - 1)), () => level(-9), this.status));
  }

  go(row, column) {
    this.row = clamp(row, 0, this.data.items.length - 1);
    this.column = clamp(column, 0, this.data.seeds.length - 1);
  }

  // Takes what a newer page has: the reader stays at the same cell.
  take(figure) {
    const { items, seeds } = this.data, { name } = items[this.row], seed = seeds[this.column], tools = ".heat-tools";
    this.data = JSON.parse($("script", figure).textContent);
    this.go(this.data.items.findIndex((one) => one.name === name), this.data.seeds.indexOf(seed));
    $(tools, this.figure).replaceWith($(tools, figure).cloneNode(true));
    this.canvas.ariaLabel = $("canvas", figure).ariaLabel;
    this.cells(figure);
    this.list();
    this.measure();
    this.draw();
  }

  // Shows the part of the table that another page has.
  cells(page) {
    for (const part of [".note", ".scroll"]) {
      const fresh = $(".heat-cells " + part, page);
      if (fresh) $(part, this.details)?.replaceWith(fresh.cloneNode(true));
    }
  }

  zoom(level) {
    heatLevel = clamp(level, 0, heatLevels.length - 1);
    this.height = heatLevels[heatLevel];
    this.measure();
    this.draw();
  }

  measure() {
    const { items, seeds } = this.data;
    this.names = this.height >= 12 ? Math.min(heatName, this.view.clientWidth * 0.4) : 0;
    const room = (this.whole ? 720 : this.view.clientWidth) - this.names;
    this.width = Math.min(Math.max(this.height, 24), Math.max(this.whole ? 0 : this.height >= 12 ? this.height : 1, room / seeds.length));
    this.space.style.width = Math.floor(this.names + this.width * seeds.length) + "px";
    this.space.style.height = heatRuler + this.height * items.length + "px";
    this.view.style.height = Math.min(heatMost, heatRuler + this.height * items.length + (this.view.offsetHeight - this.view.clientHeight)) + "px";
  }

  draw() {
    const { canvas, width: w, height: h, names } = this, { items, seeds } = this.data, tall = heatRuler + h * items.length;
    const view = this.whole ? { clientWidth: names + w * seeds.length, clientHeight: tall, scrollLeft: 0, scrollTop: 0 } : this.view;
    const W = view.clientWidth, H = Math.min(view.clientHeight, tall), c = context(canvas, W, H);
    c.font = "11px system-ui, sans-serif";
    const colors = {}, marks = {};
    for (const key of all(".heat-key[data-cell]", this.figure)) {
      const style = getComputedStyle(key);
      colors[key.dataset.cell] = style.backgroundColor;
      marks[key.dataset.cell] = style.color;
    }
    const ink = inks().text, x0 = names - view.scrollLeft, y0 = heatRuler - view.scrollTop;
    const firstRow = Math.max(0, Math.floor(view.scrollTop / h)), firstColumn = Math.max(0, Math.floor(view.scrollLeft / w)), lastRow = Math.min(items.length, Math.ceil((view.scrollTop + H) / h)), lastColumn = Math.min(seeds.length, Math.ceil((view.scrollLeft + W) / w));
    const gap = w >= 6 && h >= 6 ? 1 : 0, paths = { "/": new Path2D(), x: new Path2D(), "!": new Path2D(), ">": new Path2D() };
    within(c, names, heatRuler, W, H);
    for (let r = firstRow; r < lastRow; r++) {
      const cells = items[r].cells, y = y0 + r * h;
      for (let i = firstColumn; i < lastColumn;) {
        const kind = cells[i];
        let end = i + 1;
        if (!gap) while (end < lastColumn && cells[end] === kind) end++;
        const x = x0 + i * w;
        c.fillStyle = colors[kind];
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
      within(c, 0, heatRuler, names, H);
      for (let r = firstRow; r < lastRow; r++) c.fillText(items[r].name, 0, y0 + (r + 0.5) * h, names - 8);
      c.restore();
    }
    c.textAlign = "center";
    for (let i = firstColumn, free = names; i < lastColumn; i++) {
      const x = x0 + (i + 0.5) * w, half = c.measureText(seeds[i]).width / 2;
      if (x - half < free || x + half > W) continue;
      c.fillText(seeds[i], x, 8);
      free = x + half + 8;
    }
  }

  // The cell under the pointer becomes the current one.
  point({ offsetX, offsetY }) {
    const column = Math.floor((offsetX - this.names + this.view.scrollLeft) / this.width), row = Math.floor((offsetY - heatRuler + this.view.scrollTop) / this.height);
    if (offsetX < this.names || !this.data.items[row] || !this.data.seeds[column]) return false;
    Object.assign(this, { row, column });
    return true;
  }

  // Scrolls until the current cell is visible.
  reveal() {
    const { view, width: w, height: h, row, column } = this, x = column * w, y = row * h;
    const W = view.clientWidth - this.names - w, H = view.clientHeight - heatRuler - h;
    view.scrollLeft = clamp(view.scrollLeft, x - W, x);
    view.scrollTop = clamp(view.scrollTop, y - H, y);
  }

  address(page) {
    const of = this.data.items[this.row];
    return base + page + "?" + new URLSearchParams({ scenario: of.scenario + "@" + of.configuration.slice(0, 10), seed: this.data.seeds[this.column] });
  }

  open() {
    if (!"_>".includes(this.data.items[this.row].cells[this.column])) location.assign(this.address("/show/seed"));
  }

  // Says what the current cell is, and a moment later its numbers.
  show(pointed) {
    const of = this.data.items[this.row], kind = of.cells[this.column], text = of.name + ", seed " + this.data.seeds[this.column] + ": " + ($(`[data-cell="${kind}"]`, this.figure)?.textContent);
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
    const seed = await ask(address);
    if (!seed) return "";
    if (this.data.by !== "metrics") return `, score ${seed.total_score?.toFixed(4) ?? "none"}; ${seed.n_fail} FAIL, ${seed.n_warn} WARN`;
    const m = seed.metrics.find((one) => one.name === name);
    return !m ? "" : m.value === null ? ", " + m.reason : `, value ${m.value}, score ${m.score?.toFixed(4) ?? "none"}; target ${m.target}`;
  }

  // The table of the part around the current cell, unless it shows all.
  async list() {
    const { items, seeds } = this.data;
    if (!this.details.open || Math.max(items.length, seeds.length) <= heatTable) return;
    const address = new URL(location), before = (at) => Math.max(0, at - heatTable / 2);
    for (const [name, value] of [["row.heatmap", before(this.row)], ["seed.heatmap", before(this.column)], ["part.page", this.figure.closest("section").id]]) address.searchParams.set(name, value);
    const page = await load(address, true);
    if (page) this.cells(page);
  }
}

function heatMark(path, kind, x, y, w, h) {
  const half = Math.min(w, h) * 0.28, cx = x + w / 2, cy = y + h / 2;
  for (const up of { "/": [half], ">": [0] }[kind] ?? [half, -half]) {
    path.moveTo(cx - half, cy + up);
    path.lineTo(cx + half, cy - up);
  }
}
