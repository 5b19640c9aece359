// Keys: j and k move, Enter opens, x ticks, c compares what is ticked, / searches, ? lists the keys.
let current = null;

// Ticks belong to the address. Those of rows that are not in the document now are sent too.
const ticks = "tick.page", ticked = new Set(new URLSearchParams(location.search).getAll(ticks));
onEach("input.tick", (box) => box.checked = ticked.has(box.value));
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".tick")) return;
  ticked[target.checked ? "add" : "delete"](target.value);
  const address = new URL(location);
  address.searchParams.delete(ticks);
  for (const key of ticked) address.searchParams.append(ticks, key);
  history.replaceState(history.state, "", address);
});
document.addEventListener("formdata", ({ target, formData }) => {
  if (!target.matches(".compare")) return;
  formData.delete(target.dataset.name);
  for (const key of ticked) formData.append(target.dataset.name, key);
});
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

// The marks of a chart are links, of which one is a tab stop: arrows lead to the others.
function mark(by) {
  const from = document.activeElement.closest(".track-chart a"), list = from ? [...from.ownerSVGElement.querySelectorAll("a")] : [], to = list[list.indexOf(from) + by];
  if (!to) return false;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

onKeys(document, {
  ArrowLeft: () => mark(-1), ArrowRight: () => mark(1),
  j: () => move(1), k: () => move(-1), c: () => ticked.size > 1 && $("form.compare")?.requestSubmit(), "?": () => $("#keys")?.showModal(), x: () => current?.querySelector(".tick")?.click(), n: () => failedFrom(1), p: () => failedFrom(-1),
  "/": () => $("#search")?.focus(),
  Enter: () => current && document.activeElement === current && current.dataset.href ? location.assign(current.dataset.href) : false,
});
