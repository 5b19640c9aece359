// Sorting, filtering and choosing columns changes one section: the reader stays where they are.
async function replaceSection(id, address) {
  const page = await swap(id, address, $("[data-later] #" + CSS.escape(id)) ? "&later.page=shown" : "");
  if (!page) return;
  history.replaceState(null, "", address);
  for (const other of all("main section")) if (other.id !== id) syncAddresses(other, page);
}

// The links of other tables name the state of this one.
function syncAddresses(section, page) {
  const same = page.getElementById(section.id);
  if (!same) return;
  for (const part of [".tools", ".columns", "thead"]) {
    const mine = $(part, section), theirs = $(part, same);
    if (mine && theirs) mine.replaceWith(document.adoptNode(theirs));
  }
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target.closest("thead a, .columns a, .tools a:not(.first-failed), a.only");
  if (link) {
    event.preventDefault();
    replaceSection(link.closest("section").id, link.href);
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form.filter")) return;
  event.preventDefault();
  replaceSection(form.closest("section").id, location.pathname + "?" + new URLSearchParams(new FormData(form)));
});

// A long table shows some hundred of its rows: those near the part that the reader sees. Pages of rows are fetched as the
// reader comes near them, and forgotten when many others were seen. Empty rows stand for all others: each row is as high.
const near = 20, keep = 15;
onEach(".scroll.long", (box) => {
  const more = $("a.more", box.parentElement);
  if (more && !box.windowed) new Window(box, more);
});

class Window {
  constructor(box, more) {
    box.windowed = this;
    this.box = box;
    this.body = $("tbody", box);
    const rows = [...this.body.rows], table = $("table", box);
    // Widths are rounded, and one that is too small would cut the text that set it.
    for (const one of [...all("thead th", box), table]) one.style.width = one.offsetWidth + 1 + "px";
    box.classList.add("windowed");
    this.height = rows[0].offsetHeight;
    this.pages = [{ address: location.href, rows, count: rows.length, next: more.href }];
    this.above = spacer(); this.below = spacer();
    more.parentElement.hidden = true;
    box.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("td");
      if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent;
    });
    box.addEventListener("scroll", soon(() => this.draw()));
    this.draw();
  }

  // Rows of the pages that are seen, between empty ones as high as the others.
  draw() {
    const top = this.box.scrollTop / this.height - near, bottom = top + this.box.clientHeight / this.height + 2 * near;
    const seen = [];
    let at = 0, above = 0, below = 0;
    for (const page of this.pages) {
      if (at + page.count <= top) above += page.count;
      else if (at >= bottom) below += page.count;
      else seen.push(page);
      at += page.count;
    }
    const shown = seen.map((page) => page.rows ? "r" + page.address : "").join();
    if (shown !== this.shown) {
      this.shown = shown;
      // Rows that stay are not touched: the browser lays out the others alone.
      const { body } = this, wanted = [this.above, ...seen.flatMap((page) => page.rows ?? spacer(page.count * this.height)), this.below];
      for (const row of [...body.rows]) if (!wanted.includes(row)) row.remove();
      wanted.forEach((row, i) => { if (body.rows[i] !== row) body.insertBefore(row, body.rows[i]); });
    }
    this.above.firstChild.style.height = above * this.height + "px";
    this.below.firstChild.style.height = below * this.height + "px";
    const address = at < bottom + near && this.pages.at(-1).next, missing = seen.find((page) => !page.rows) ?? (address && { address, count: 0 });
    if (missing) this.fetch(missing);
  }

  async fetch(page) {
    if (this.busy) return;
    this.busy = true;
    if (!page.count) this.pages.push(page);
    const section = this.box.closest("section"), address = new URL(page.address);
    address.searchParams.set("part.page", section.id);
    const part = await load(address);
    this.busy = false;
    if (!part) { if (!page.count) this.pages.pop(); return; }
    const body = $("tbody", part);
    prepare(body);
    page.rows = [...body.rows];
    page.count = page.rows.length;
    page.next = $("a.more", part)?.href;
    const now = this.pages.indexOf(page);
    this.pages.forEach((old, i) => { if (i && Math.abs(i - now) > keep) old.rows = null; });
    this.draw();
  }
}

// An empty row that is as high as others together.
function spacer(height = 0) {
  const cell = make("td", { colSpan: 1000 });
  cell.style.height = height + "px";
  return make("tr", { className: "space", ariaHidden: "true" }, cell);
}
