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
  const ticked = new Set(all("tr.ticked", old).map((row) => row.dataset.key)), open = all("details", old).map((d) => d.open), at = current?.dataset.href, focused = document.activeElement === current;
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
    if (at && row.dataset.href === at) { current = row; row.classList.add("current"); row.tabIndex = -1; if (focused) row.focus({ preventScroll: true }); }
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
