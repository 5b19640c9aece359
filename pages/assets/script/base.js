// Pages work without this module. With it, tables answer without a new page, times are those of the reader, keys move
// through rows, and the page follows what is recorded. The server joins all files of this folder into one module, this one
// first: they share its names.

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const base = document.body.dataset.base ?? "";

// Times as spans up to now, of a week at most, or as dates; on hover the time in the reader's zone, and in UTC.
const units = [["day", 864e5], ["hour", 36e5], ["minute", 6e4]];
const spans = new Intl.RelativeTimeFormat("en", { style: "short" });
function localTimes(root) {
  for (const t of all("time[datetime]", root)) {
    const at = new Date(t.dateTime), ago = Date.now() - at;
    if (Number.isNaN(ago)) continue;
    const [unit, length] = units.find(([, length]) => ago >= length) ?? [];
    t.title = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" }) + "\n" + at.toISOString().replace("T", " ").slice(0, 19) + " UTC";
    t.textContent = ago < 0 || ago > 7 * 864e5 ? at.toLocaleDateString(undefined, { dateStyle: "medium" }) : unit ? spans.format(-Math.floor(ago / length), unit) : "now";
  }
}
setInterval(() => localTimes(document), 6e4);

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

// Commands get a button that copies them. Whatever has data-copy copies that.
function commands(root) {
  for (const code of all("code.command", root)) {
    if (code.nextElementSibling?.classList.contains("copy")) continue;
    const button = document.createElement("button");
    button.type = "button"; button.className = "copy"; button.textContent = "Copy"; button.dataset.copy = code.textContent;
    code.after(" ", button);
  }
}

document.addEventListener("click", async (event) => {
  const from = event.target.closest("[data-copy]");
  if (!from || !navigator.clipboard) return;
  await navigator.clipboard.writeText(from.dataset.copy);
  from.classList.add("copied");
  setTimeout(() => from.classList.remove("copied"), 2000);
});

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

// What the API answers; null for a problem.
async function ask(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  return response.ok ? response.json() : null;
}

function wait(on) { document.documentElement.classList.toggle("waiting", on); }
for (const kind of ["click", "submit"]) {
  addEventListener(kind, (event) => {
    const link = kind === "click" ? event.target.closest("a[href]:not([download])") : event.target;
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.hash) return;
    const slow = setTimeout(() => wait(true), 300);
    addEventListener("pagehide", () => { clearTimeout(slow); wait(false); }, { once: true });
  });
}

// What each new part of a page needs: the document at first, later a section or the main part that replaces another.
const preparations = [localTimes, commands, rest];
function prepare(root) {
  for (const one of preparations) one(root);
}

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
