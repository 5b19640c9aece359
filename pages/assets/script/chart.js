// Line charts: uPlot draws what the server has written as data, in the place of its picture. The words for the place under
// the pointer or the keys stand below. On paper and without scripts the picture stays.
onEach("[data-chart]", lineChart);
const plots = {};

// Points as outlines of a path that is 10 pixels wide.
const outlines = (path, a) => (u, i, from, to) => {
  const fill = new Path2D();
  for (let k = from; k <= to; k++) if (u.data[i][k] != null) fill.addPath(path, { a, d: a, e: u.valToPos(u.data[0][k], "x", true), f: u.valToPos(u.data[i][k], "y", true) });
  return { fill, stroke: fill };
};

async function lineChart(figure) {
  const from = figure.dataset.chart, written = $("script", from ? await load(from, true) ?? figure : figure), old = plots[figure.id];
  if (!written || !window.uPlot || !figure.isConnected) return;
  const { options, text, half, words, links, lines, areas, bars, heights, changes, x } = JSON.parse(written.textContent);
  const box = make("div"), said = make("output"), first = x[0], last = x.at(-1), zoomed = "zoom." + figure.id;
  let at = old?.cursor.idx ?? x.length - 1, chosen = 0;
  const line = () => lines[chosen - 1];
  const far = (u, i) => Math.hypot(u.valToPos(x[i], "x") - u.cursor.left, u.valToPos(heights[i], "y") - u.cursor.top);
  const say = () => { said.textContent = words[at] + (line()?.href ? "; " + line().label + ": " + (line().data[at] ?? "none") : ""); };

  // Intervals, and where the level changes.
  function marks({ ctx, bbox: { left, top, width, height }, valToPos }) {
    const X = (v) => valToPos(v, "x", true), Y = (v) => valToPos(v, "y", true), cap = 4 * devicePixelRatio, ink = inks();
    const draw = (color, x1, y1, x2, y2) => { ctx.strokeStyle = color; ctx.beginPath(); ctx.moveTo(x1, y1); ctx.lineTo(x2, y2); ctx.stroke(); };
    within(ctx, left, top, width, height);
    ctx.lineWidth = 0.4 * cap;
    for (const [x1, y1, x2, y2, cut, faint] of bars) {
      const w = x1 === x2 ? cap : 0, h = cap - w, color = ink[faint ? "dim" : "accent"];
      draw(color, X(x1), Y(y1), X(x2), Y(y2));
      // An end that is cut is the head of an arrow.
      for (const [a, b, back] of [[X(x1), Y(y1), 1.5 * (cut & 1)], [X(x2), Y(y2), -0.75 * (cut & 2)]]) {
        for (const side of [-1, 1]) draw(color, a, b, a + side * w + back * h, b + side * h - back * w);
      }
    }
    for (const v of changes) draw(ink.bad, X(v), top, X(v), top + height);
    ctx.restore();
  }

  // The address keeps the part of the chart that is shown.
  function keep(u) {
    const { min, max } = u.scales.x;
    remember(zoomed, min <= first && max >= last ? null : min + ".." + max);
  }
  const [min, max] = remembered(zoomed)?.split("..").map(Number) ?? [first, last], { axes } = options;
  Object.assign(options.scales.x, { min, max, range: (u, a, b) => [a <= first ? first - half : a, b >= last ? last + half : b] });
  for (const axis of axes) {
    axis.stroke = () => inks().dim;
    axis.grid = axis.ticks = { stroke: () => inks().line, width: 1 };
    axis.values = (u, ticks) => ticks.map((v) => axis.names ? axis.names[v] : +v.toPrecision(12));
  }
  // Points have their heights: the nearest one counts, in both directions.
  if (heights) options.cursor.dataIdx = (u, k) => k ? at : at = x.reduce((best, _, i) => far(u, i) < far(u, best) ? i : best, at);
  old?.destroy();
  figure.classList.add("drawn");
  figure.append(box);
  const plot = plots[figure.id] = new uPlot({
    ...options, width: box.clientWidth,
    series: [{}, ...lines.map((one) => {
      const color = () => one.ink ? inks()[one.href && one === line() ? "bad" : one.ink] : "transparent";
      return { ...one, show: old?.series.find(({ label }) => label === one.label)?.show ?? true, stroke: color, points: { show: !!one.dots, size: one.dots, fill: color, ...one.shape && { width: 1.5, fill: one.hollow ? () => inks().paper : color, paths: outlines(new Path2D(one.shape), one.dots / 10 * devicePixelRatio) } }, ...one.steps && { paths: uPlot.paths.stepped({ align: one.steps }) } };
    })],
    bands: areas.map((one) => ({ ...one, fill: () => inks()[one.ink].replace(")", ", 0.18)") })),
    hooks: {
      draw: [marks], setScale: [keep],
      setCursor: [(u) => { at = u.cursor.idxs[0] ?? at; say(); }],
      setSeries: [(u, i, { focus }) => { if (focus && (i ?? 0) !== chosen) { chosen = i ?? 0; u.redraw(false); } }],
    },
  }, [x, ...lines.map((one) => one.data)], box);

  // What the legend names can be hidden.
  for (const key of all(".plot-key button", figure)) {
    const named = plot.series.filter((one) => one.label === key.textContent), mark = () => { key.ariaPressed = named[0].show; };
    key.onclick = () => { for (const one of named) plot.setSeries(plot.series.indexOf(one), { show: !one.show }); mark(); };
    mark();
  }
  const show = (min, max) => plot.setScale("x", { min: Math.max(first, min), max: Math.min(last, max) });
  const zoom = (by) => { const { min, max } = plot.scales.x; show(x[at] - (x[at] - min) / by, x[at] + (max - x[at]) / by); };
  const go = (by, up) => () => {
    const { min, max } = plot.scales.x, wide = (max - min) / 2;
    at = clamp(at + by, 0, x.length - 1);
    if (x[at] < min || x[at] > max) show(x[at] - wide, x[at] + wide);
    if (up) do chosen = (chosen + up + lines.length + 1) % (lines.length + 1); while (chosen && !line().ink);
    // After uPlot has changed its scale. It chooses the line that is nearest to its cursor, which may be another one.
    const wanted = chosen;
    queueMicrotask(() => {
      plot.setCursor({ left: plot.valToPos(x[at], "x"), top: plot.valToPos(heights?.[at] ?? (line() ?? lines[0]).data[at] ?? 0, "y") });
      chosen = wanted;
      plot.redraw(false);
      say();
    });
  };
  const open = () => { const to = line()?.href ?? links[at]; if (to) location.assign(to); };
  plot.over.addEventListener("click", open);
  figure.append(explore(plot.over, text, {
    ArrowLeft: go(-1), ArrowRight: go(1), ArrowUp: go(0, -1), ArrowDown: go(0, 1), Home: go(-1e9), End: go(1e9), Enter: open,
  }, zoom, () => show(first, last), said));
  say();
  onScheme(() => plot.redraw(false));
  new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: options.height })).observe(box);
}
