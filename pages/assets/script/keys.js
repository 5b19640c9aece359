// Keys: j and k move, Enter opens, x ticks, c compares what is ticked, / searches, ? lists the keys.
let current = null, comparison = "";
const ticked = new Set();
const showTicks = (root) => { for (const row of [root, ...all("tr[data-key]", root)]) row.classList?.toggle("ticked", ticked.has(row.dataset.key)); };
preparations.push(showTicks);
const rows = () => all("table.data tbody tr[data-href], table.data tbody tr[data-key]");

function move(by) {
  const list = rows();
  if (!list.length) return;
  const at = list.indexOf(current);
  current?.classList.remove("current");
  current = list[clamp(at < 0 && by < 0 ? list.length : at + by, 0, list.length - 1)];
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
  showTicks(document);
}

function compareTicked() {
  const keys = [...ticked];
  if (keys.length < 2) return;
  const [path, name] = comparison.split("?");
  location.assign(base + path + "?" + new URLSearchParams(keys.map((key) => [name, key])));
}

onKeys(document, {
  j: () => move(1), k: () => move(-1), c: compareTicked, "?": () => $("#keys")?.showModal(), x: tick, n: () => failedFrom(1), p: () => failedFrom(-1),
  "/": () => $("#search")?.focus(),
  Enter: () => current && document.activeElement === current && current.dataset.href ? location.assign(current.dataset.href) : false,
});
