// Pages work without this module. With it, tables answer without a new page, times are those of the reader, keys move
// through rows, and the page follows what is recorded.

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const base = document.body.dataset.base ?? "";

// Times in the reader's zone, with UTC on hover.
function localTimes(root) {
  for (const t of all("time[datetime]", root)) {
    const at = new Date(t.dateTime);
    if (t.title || Number.isNaN(at.getTime())) continue;
    t.title = t.textContent.trim();
    t.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  }
}

// Light or dark: the choice of the system, or of the reader.
function scheme() {
  const button = $("#scheme"), root = document.documentElement;
  const kept = localStorage.getItem("track-scheme");
  if (kept) root.dataset.scheme = kept;
  if (!button) return;
  const isDark = () => (root.dataset.scheme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.scheme = isDark() ? "light" : "dark";
    localStorage.setItem("track-scheme", root.dataset.scheme);
    name();
  });
  name();
}

// Copies the text of commands.
function commands(root) {
  for (const code of all("code.command", root)) {
    if (code.nextElementSibling?.classList.contains("copy") || !navigator.clipboard) continue;
    const button = document.createElement("button");
    button.type = "button"; button.className = "copy"; button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    });
    code.after(" ", button);
  }
}

async function load(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" }, redirect: "follow" });
  if (response.redirected && new URL(response.url).pathname.endsWith("/login")) { location.assign(response.url); return null; }
  if (!response.ok) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function prepare(root) {
  localTimes(root);
  commands(root);
}

// Sorting, filtering and choosing columns changes one section: the reader stays where they are.
async function replaceSection(section, address) {
  const page = await load(address);
  const fresh = page && $("#" + CSS.escape(section.id), page);
  if (!fresh) { location.assign(address); return; }
  const open = Boolean($(".columns", section)?.open);
  section.replaceWith(document.adoptNode(fresh));
  if (open && $(".columns", fresh)) $(".columns", fresh).open = true;
  prepare(fresh);
  history.replaceState(null, "", address);
  for (const other of all("main section")) if (other !== fresh) syncAddresses(other, page);
}

// The links of other tables name the state of this one.
function syncAddresses(section, page) {
  const same = section.id && $("#" + CSS.escape(section.id), page);
  if (!same) return;
  for (const part of [".tools", "thead"]) {
    const mine = $(part, section), theirs = $(part, same);
    if (mine && theirs) mine.replaceWith(document.adoptNode(theirs));
  }
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target.closest("thead a, .columns a");
  if (link) {
    event.preventDefault();
    replaceSection(link.closest("section"), link.href);
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form.filter")) return;
  event.preventDefault();
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") params.append(name, value);
  replaceSection(form.closest("section"), location.pathname + (params.size ? "?" + params : ""));
});

// Keys: j and k move, Enter opens, x ticks, c compares what is ticked, / searches, ? lists the keys.
let current = null;
const rows = () => all("table.data tbody tr[data-href], table.data tbody tr[data-key]");

function move(by) {
  const list = rows();
  if (!list.length) return;
  const at = list.indexOf(current);
  current?.classList.remove("current");
  current = list[Math.min(list.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by))];
  current.classList.add("current");
  current.tabIndex = -1;
  current.focus({ preventScroll: true });
  current.scrollIntoView({ block: "nearest" });
}

function compareTicked() {
  const keys = [...new Set(all("tr.ticked").map((row) => row.dataset.key).filter(Boolean))];
  if (keys.length < 2) return;
  location.assign(base + "/compare?" + new URLSearchParams(keys.map((key) => ["scenario", key])));
}

function showKeys() {
  const dialog = document.createElement("dialog");
  dialog.append("j, k: next and previous row. Enter: open. x: tick. c: compare what is ticked. /: search. ?: this list. Escape closes it.");
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.metaKey || event.ctrlKey || event.altKey) return;
  const keys = {
    j: () => move(1), k: () => move(-1), c: compareTicked, "?": showKeys,
    x: () => current?.dataset.key && current.classList.toggle("ticked"),
    "/": () => $("#search")?.focus(),
    Enter: () => current && document.activeElement === current && current.dataset.href && location.assign(current.dataset.href),
  };
  if (!Object.hasOwn(keys, event.key)) return;
  if (event.key !== "Enter") event.preventDefault();
  keys[event.key]();
});

// What is recorded while the page is open. Rows that are new are announced, and shown when the reader wants them or is
// at the top; numbers that changed are marked for two seconds.
function follow() {
  const address = document.body.dataset.events, state = $("#live"), news = $("#news");
  if (!address || !state) return;
  const source = new EventSource(address);
  let last = new Date(), first = true, busy = false, again = false;
  const say = (text, kind) => { state.textContent = text; state.dataset.state = kind; };
  source.addEventListener("open", () => say("live", "live"));
  source.addEventListener("error", () => say("not connected; as of " + last.toLocaleTimeString(), "lost"));
  source.addEventListener("change", async () => {
    last = new Date();
    if (first) { first = false; return; }
    if (busy) { again = true; return; }
    busy = true;
    do {
      again = false;
      await refresh(news);
    } while (again);
    busy = false;
  });
  addEventListener("pagehide", () => source.close());
}

const count = (root) => all("table.data tbody tr", root).length;

async function refresh(news) {
  const page = await load(location.href);
  const fresh = page && $("main", page);
  if (!fresh) return;
  const more = count(fresh) - count($("main"));
  if (more > 0 && scrollY > 100) {
    news.replaceChildren();
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = more + (more === 1 ? " new row: show it" : " new rows: show them");
    button.addEventListener("click", () => { news.hidden = true; exchange(fresh); });
    news.append(button);
    news.hidden = false;
    return;
  }
  exchange(fresh);
}

function exchange(fresh) {
  const old = $("main"), before = new Map();
  for (const row of all("tr[data-href]", old)) before.set(row.dataset.href, all("td", row).map((cell) => cell.textContent));
  const ticked = new Set(all("tr.ticked", old).map((row) => row.dataset.key)), open = all("details", old).map((d) => d.open), at = current?.dataset.href;
  const typing = old.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
  if (typing) return;
  document.adoptNode(fresh);
  prepare(fresh);
  all("details", fresh).forEach((d, i) => { d.open = open[i] ?? d.open; });
  const y = scrollY;
  old.replaceWith(fresh);
  scrollTo({ top: y, behavior: "instant" });
  for (const row of all("tr[data-href], tr[data-key]", fresh)) {
    row.classList.toggle("ticked", ticked.has(row.dataset.key) && ticked.size > 0 && Boolean(row.dataset.key));
    if (at && row.dataset.href === at) { current = row; row.classList.add("current"); }
    const was = before.get(row.dataset.href);
    all("td", row).forEach((cell, i) => {
      if (was && was[i] !== cell.textContent) mark(cell);
    });
  }
}

function mark(cell) {
  cell.classList.add("changed");
  setTimeout(() => cell.classList.remove("changed"), 2000);
}

scheme();
prepare(document);
follow();
