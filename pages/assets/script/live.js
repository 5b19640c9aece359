// What is recorded while the page is open. Rows that are new are announced, and shown when the reader wants them or is
// at the top; numbers that changed are marked for two seconds. A page that nobody sees waits until somebody does, and
// one that changes all the time is fetched for a tenth of the time at most. No event tells that a process has ended: a page
// that shows processes is fetched every 15 s. So is a page after events that name others alone: some changes have no name.
function follow() {
  const address = document.body.dataset.events, state = $("#live");
  if (!address || !state) return;
  const source = new EventSource(address);
  const shows = JSON.parse(document.body.dataset.shows ?? "null"), isOther = ({ scenario, lineage }) => !shows.includes(scenario ?? lineage ?? null);
  let last = new Date(), first = true, busy = false, again = false, late = false;
  const say = (text, kind) => { if (state.dataset.state !== kind) { state.textContent = text; state.dataset.state = kind; } };
  const change = async () => {
    again = true;
    if (busy || document.hidden) return;
    busy = true;
    while (again && !document.hidden) {
      again = late = false;
      const began = performance.now();
      await refresh();
      await Promise.all(coming);
      await new Promise((wake) => setTimeout(wake, Math.max(1000, 9 * (performance.now() - began))));
    }
    busy = false;
  };
  source.addEventListener("open", () => say("live", "live"));
  source.addEventListener("error", () => say("not connected; as of " + last.toLocaleTimeString(), "lost"));
  source.addEventListener("change", ({ data }) => {
    const { all, changed } = JSON.parse(data);
    last = new Date();
    if (first) first = false; else if (shows && !all && changed[0] && changed.every(isOther)) late = true; else change();
  });
  setInterval(() => { if (late || $("[data-again]")) change(); }, 15e3);
  document.addEventListener("visibilitychange", () => { if (again) change(); });
  addEventListener("pagehide", () => source.close());
}

const rowsOf = (root) => all("table.data tbody tr[data-href]", root);

// "12 new seeds", counted by table; empty if there are no new rows.
function newRows(fresh) {
  const known = new Set(rowsOf($("main")).map((row) => row.dataset.href)), counts = {};
  for (const row of rowsOf(fresh)) {
    if (!known.has(row.dataset.href)) { const name = row.closest("table").dataset.name; counts[name] = (counts[name] ?? 0) + 1; }
  }
  return Object.entries(counts).map(([name, n]) => n + " new " + (n === 1 ? name.replace(/s$/, "") : name).replaceAll("_", " ")).join(", ");
}

// Whether exchanging the main part would take something away from the reader.
function reads() {
  const old = $("main");
  return scrollY > 100 || all(".scroll.long", old).some((box) => box.scrollTop > 0) || $(":popover-open", old) ||
    (old.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) || !getSelection().isCollapsed;
}

async function refresh() {
  const address = location.href, page = await load(address, true), fresh = page && $("main", page), news = $("#news");
  if (!fresh || location.href !== address) return;
  const added = newRows(fresh);
  if (!reads()) { exchange(fresh); return; }
  update(fresh);
  if (!added) return;
  news.replaceChildren(make("button", { type: "button", textContent: added + ": show", onclick: () => { exchange(fresh); scrollTo({ top: 0 }); } }));
  news.hidden = false;
}

// Puts what changed into parts that are shown: their words, their pictures and their rows. What the reader looks at, has
// selected or has the focus on stays where it is.
function update(fresh) {
  const main = $("main"), seen = all("section", main).find((one) => one.getBoundingClientRect().bottom > 0)?.id, top = () => document.getElementById(seen)?.getBoundingClientRect().top ?? 0, before = top();
  const held = (part) => part.contains(document.activeElement) || !getSelection().isCollapsed && getSelection().containsNode(part, true);
  const old = all("#news ~ p, #news ~ .facts", main), now = all("#news ~ p, #news ~ .facts", fresh).map((one) => one.cloneNode(true));
  if (!old.some(held)) {
    if (old.length === now.length) old.forEach((one, i) => { if (textOf(one) !== textOf(now[i])) { one.replaceWith(now[i]); prepare(now[i]); flash(now[i], "changed"); } });
    else { for (const one of old) one.remove(); $("#news").after(...now); localTimes($("main")); }
  }
  main.toggleAttribute("data-again", fresh.hasAttribute("data-again"));
  let last = null;
  for (const one of all("section[id]", fresh)) {
    const mine = document.getElementById(one.id), map = mine && $(".heatmap", mine)?.map, other = $(".heatmap", one);
    if (map && other) map.take(other);
    else if (!one.closest("[data-later]") && (mine ? mine.dataset.sum !== one.dataset.sum && !held(mine) : one.id)) {
      const copy = one.cloneNode(true);
      if (mine) { keepParts(mine, copy); mine.replaceWith(copy); } else if (last) last.after(copy); else main.append(copy);
      prepare(copy);
    } else if (mine) updateRows(mine, one);
    last = document.getElementById(one.id);
  }
  scrollBy({ top: top() - before, behavior: "instant" });
}

// Rows that lead nowhere have no name: they are known by their place.
function updateRows(old, fresh) {
  const list = (root) => all("table.data tbody tr", root).map((row, i) => [row.dataset.href ?? i, row]), now = new Map(list(fresh));
  if (!$("[data-href]", old) && list(old).length !== now.size) $("tbody", old)?.replaceWith($("tbody", fresh)?.cloneNode(true) ?? "");
  else for (const [name, row] of list(old)) if (now.has(name)) changeCells(row, now.get(name), true);
}

// The words of a part, with its times as they were recorded.
function textOf(part) {
  if (!$("time", part)) return part.textContent;
  const copy = part.cloneNode(true);
  for (const t of all("time", copy)) t.textContent = t.dateTime;
  return copy.textContent;
}

// Marks the cells of a row that differ from those of another; they take the content of the others if they are to.
function changeCells(row, other, take) {
  if (row.cells.length !== other?.cells.length) return;
  [...row.cells].forEach((cell, i) => {
    if (textOf(cell) === textOf(other.cells[i])) return;
    if (take) { cell.replaceChildren(...other.cells[i].cloneNode(true).childNodes); prepare(cell); }
    flash(cell, "changed");
  });
}

// What a reader has unfolded, zoomed or fetched stays as it is while its data does.
function keepParts(old, fresh) {
  for (const one of all("[data-keep]", fresh)) {
    const mine = all("[data-keep]", old).find((m) => m.dataset.keep === one.dataset.keep);
    if (mine) one.replaceWith(mine);
  }
}

const details = (root) => all("details", root).filter((d) => !d.closest("[data-keep]"));

function exchange(fresh) {
  const old = $("main"), before = new Map(rowsOf(old).map((row) => [row.dataset.href, row]));
  const open = details(old).map((d) => d.open), at = current?.dataset.href, focused = document.activeElement === current;
  document.adoptNode(fresh);
  details(fresh).forEach((d, i) => { d.open = open[i] ?? d.open; });
  const y = scrollY, active = document.activeElement;
  for (const one of all(".heatmap", fresh)) {
    const mine = all(".heatmap", old).find((m) => m.map && m.dataset.source === one.dataset.source);
    if (mine) { mine.map.take(one); one.replaceWith(mine); }
  }
  keepParts(old, fresh);
  old.replaceWith(fresh);
  prepare(fresh);
  for (const { map } of all(".heatmap", fresh)) map?.view.scrollTo(map.left, map.top);
  if (active.isConnected && active !== document.activeElement) active.focus({ preventScroll: true });
  scrollTo({ top: y, behavior: "instant" });
  for (const row of rowsOf(fresh)) {
    if (at && row.dataset.href === at) { current = row; row.classList.add("current"); row.tabIndex = -1; if (focused) row.focus({ preventScroll: true }); }
    changeCells(row, before.get(row.dataset.href));
  }
}
