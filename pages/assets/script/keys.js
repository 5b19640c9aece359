// Keys: j and k move, Enter opens, x ticks, c compares what is ticked, / searches, ? lists the keys.
let current = null, comparison = "";
const ticked = new Set();
preparations.push((root) => { for (const row of root.matches?.("tr[data-key]") ? [root] : all("tr[data-key]", root)) row.classList.toggle("ticked", ticked.has(row.dataset.key)); });
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

function tick() {
  const key = current?.dataset.key;
  if (!key) return;
  if (!ticked.delete(key)) ticked.add(key);
  comparison = current.closest("table").dataset.compare;
  for (const row of all("tr[data-key]")) row.classList.toggle("ticked", ticked.has(row.dataset.key));
}

function compareTicked() {
  const keys = [...ticked];
  if (keys.length < 2) return;
  const [path, name] = comparison.split("?");
  location.assign(base + path + "?" + new URLSearchParams(keys.map((key) => [name, key])));
}

function showKeys() {
  const dialog = document.createElement("dialog");
  dialog.append("j, k: next and previous row. Enter: open. x: tick. c: compare what is ticked. n, p: next and previous failed call of a trace. /: search. ?: this list. Escape closes it.");
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.metaKey || event.ctrlKey || event.altKey) return;
  const keys = {
    j: () => move(1), k: () => move(-1), c: compareTicked, "?": showKeys,
    x: tick,
    "/": () => $("#search")?.focus(),
    Enter: () => current && document.activeElement === current && current.dataset.href && location.assign(current.dataset.href),
  };
  if (!Object.hasOwn(keys, event.key)) return;
  if (event.key !== "Enter") event.preventDefault();
  keys[event.key]();
});
