// Pages work without this module. With it, tables answer without a new page, times are those of the reader, keys move
// through rows, and the page follows what is recorded. The server joins all files of this folder into one module, this one
// first: they share its names.

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

// What each new part of a page needs: the document at first, later a section or the main part that replaces another.
const preparations = [localTimes, commands];
function prepare(root) {
  for (const one of preparations) one(root);
}

// After all files of the module: they have added their preparations.
queueMicrotask(() => {
  scheme();
  prepare(document);
  follow();
});
