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
