// Pages work without this module. With it, tables answer without a new page, times are those of the reader, keys move
// through rows, and the page follows what is recorded. The server joins all files of this folder into one module, this one
// first: they share its names.

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const base = document.body.dataset.base ?? "";

// An element with properties and children.
function make(name, properties, ...children) {
  const one = Object.assign(document.createElement(name), properties);
  one.append(...children);
  return one;
}

// What an element does at keys. Keys of fields and of the browser, and keys that a part of the element took, are left
// alone; so is a key whose function returns false.
function onKeys(element, keys) {
  element.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const name = (event.shiftKey && event.key.startsWith("Arrow") ? "Shift" : "") + event.key;
    if (Object.hasOwn(keys, name) && keys[name]() !== false) event.preventDefault();
  });
}

// Makes a picture explorable by keys. Returns the buttons that zoom, and the words for the place where the reader is.
function explore(picture, ariaLabel, keys, zoom, whole, said) {
  Object.assign(picture, { tabIndex: 0, role: "application", ariaLabel });
  onKeys(picture, { "+": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: whole, ...keys });
  const button = (textContent, title, onclick) => make("button", { type: "button", textContent, title, onclick });
  return make("p", { className: "tools" }, button("+", "Zoom in", () => zoom(1.5)), button("−", "Zoom out", () => zoom(1 / 1.5)), button("All", "Show all", whole), said);
}

// A canvas of a size in CSS pixels.
function context(canvas, width, height) {
  const ratio = devicePixelRatio || 1, c = canvas.getContext("2d");
  for (const [name, pixels] of [["width", width], ["height", height]]) {
    canvas[name] = pixels * ratio;
    canvas.style[name] = pixels + "px";
  }
  c.scale(ratio, ratio);
  return c;
}

// Returns a function that draws with the next frame, however often it is called.
function soon(draw) {
  let frame = 0;
  return () => { frame ||= requestAnimationFrame(() => { frame = 0; draw(); }); };
}

// Draws within a rectangle alone, until the context is restored.
function within(c, ...rectangle) {
  c.save();
  c.beginPath();
  c.rect(...rectangle);
  c.clip();
}

const clamp = (v, a, b) => Math.min(Math.max(v, a), Math.max(a, b));

// Keeps something in the address, which says all of the state of the page; null takes it away.
function remember(name, value) {
  const address = new URL(location), kept = address.searchParams;
  if (kept.get(name) === value) return;
  if (value) kept.set(name, value); else kept.delete(name);
  history.replaceState(null, "", address);
}
const remembered = (name) => new URLSearchParams(location.search).get(name);

const medium = { dateStyle: "medium" };

// Times as spans up to now, of a week at most, or as dates; in sentences as they are. On hover the time in the reader's zone, and in UTC.
const units = [["day", 864e5], ["hour", 36e5], ["minute", 6e4]];
const spans = new Intl.RelativeTimeFormat("en", { style: "short" });
function localTimes(root) {
  for (const t of all("time[datetime]", root)) {
    const at = new Date(t.dateTime), ago = Date.now() - at;
    if (Number.isNaN(ago)) continue;
    const [unit, length] = units.find(([, length]) => ago >= length) ?? [];
    t.title = at.toLocaleString(undefined, { ...medium, timeStyle: "medium" }) + "\n" + at.toISOString().replace("T", " ").slice(0, 19) + " UTC";
    t.textContent = "exact" in t.dataset ? at.toLocaleString(undefined, { ...medium, timeStyle: "short" }) : ago < 0 || ago > 7 * 864e5 ? at.toLocaleDateString(undefined, medium) : unit ? spans.format(-Math.floor(ago / length), unit) : "now";
  }
}
setInterval(() => localTimes(document), 6e4);

const darkened = matchMedia("(prefers-color-scheme: dark)");

// Light or dark: the choice of the system, or of the reader.
function scheme() {
  const button = $("#scheme"), { dataset } = document.documentElement, kept = localStorage.getItem("track-scheme");
  if (kept) dataset.scheme = kept;
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    dataset.scheme = (dataset.scheme ?? (darkened.matches ? "dark" : "")) === "dark" ? "light" : "dark";
    localStorage.setItem("track-scheme", dataset.scheme);
  });
}

// Whatever has data-copy copies that.
document.addEventListener("click", async (event) => {
  const from = event.target.closest("[data-copy]");
  if (!from || !navigator.clipboard) return;
  await navigator.clipboard.writeText(from.dataset.copy);
  flash(from, "copied");
});

function flash(element, name) {
  element.classList.add(name);
  setTimeout(() => element.classList.remove(name), 2000);
}

// Fetches a page, or a part of one. One that takes more than 0.3 s shows that it is on its way.
async function load(address, quiet = false) {
  const slow = quiet || setTimeout(() => wait(true), 300);
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    if (response.redirected && new URL(response.url).pathname.endsWith("/login")) { location.assign(response.url); return null; }
    if (!response.ok) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    // The connection is lost, which the page says.
    return null;
  } finally {
    if (!quiet) { clearTimeout(slow); wait(false); }
  }
}

// Puts the part of a page that has an id in the place of the one that is shown. Returns the page; null if the browser goes
// there instead.
async function swap(id, address, more = "") {
  const page = await load(address + more), fresh = page?.getElementById(id), old = document.getElementById(id);
  if (!fresh || !old) { location.assign(address); return null; }
  const open = $(".columns:popover-open", old);
  old.replaceWith(document.adoptNode(fresh));
  if (open) $(".columns", fresh)?.showPopover();
  prepare(fresh);
  return page;
}

// Calls a function when colors change.
function onScheme(change) {
  darkened.addEventListener("change", change);
  new MutationObserver(change).observe(document.documentElement, { attributeFilter: ["data-scheme"] });
}

// The colors of the page as a canvas understands them: only a style resolves light-dark().
const inked = {};
function inks() {
  const is = (document.documentElement.dataset.scheme ?? "") + darkened.matches;
  if (inked[is]) return inked[is];
  const probe = make("span"), ink = {};
  document.body.append(probe);
  for (const name of ["text", "dim", "line", "soft", "paper", "faint", "accent", "good", "warning", "bad"]) {
    probe.style.color = `var(--${name})`;
    ink[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return inked[is] = ink;
}

// What the API answers; null for a problem.
async function ask(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  return response.ok ? response.json() : null;
}

function wait(on) { document.documentElement.classList.toggle("waiting", on); }
addEventListener("beforeunload", () => {
  const slow = setTimeout(() => wait(true), 300);
  addEventListener("pagehide", () => { clearTimeout(slow); wait(false); }, { once: true });
});

// What each new part of a page needs: the document at first, later a section or the main part that replaces another.
const preparations = [localTimes, rest];
function prepare(root) {
  for (const one of preparations) one(root);
}
const prepared = new WeakSet();
const onEach = (selector, change) => preparations.push((root) => all(selector, root).forEach((one) => { if (!prepared.has(one)) change(prepared.add(one) && one); }));

// Parts that take long come after the page. What was there before stays until then.
const coming = [];
function rest(root) {
  for (const box of all("[data-later]", root)) coming.push(load(box.dataset.later).then((page) => {
    if (!page) return;
    keepParts(box, page);
    box.replaceChildren(...page.body.childNodes);
    prepare(box);
  }));
}

// After all files of the module: they have added their preparations.
queueMicrotask(() => {
  scheme();
  prepare(document);
  follow();
});
