// A trace shows some hundred steps at a time. The next ones are fetched when the reader comes near the end; a click on the
// bar, and n and p for what failed, jump; a text that was cut is completed in its place.
const nearEnd = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) { nearEnd.unobserve(target); more(target); }
}, { rootMargin: "800px" });

async function more(link) {
  const page = await load(link.href), list = page && $("ol.trace", page), here = $("#trace ol.trace");
  if (!list || !here || !link.isConnected) return;
  const steps = [...list.children], next = $("a.later", page);
  here.append(...steps.map((step) => document.adoptNode(step)));
  for (const step of steps) prepare(step);
  $("#trace .last").textContent = $(".last", page).textContent;
  if (next) { link.href = next.getAttribute("href"); nearEnd.observe(link); } else link.remove();
}

async function toStep(address) {
  const at = new URL(address, location), found = () => document.getElementById(at.hash.slice(1));
  if (!found() && !await swap("trace", at.href)) return;
  history.replaceState(null, "", at);
  const step = found();
  if (!step) return;
  const details = $("details", step);
  if (details) details.open = true;
  step.scrollIntoView({ block: "start" });
  $("summary", step)?.focus({ preventScroll: true });
}

function failedFrom(by) {
  const list = $("#trace ol.trace");
  if (!list) return;
  const calls = JSON.parse(list.dataset.failed), now = Number(document.activeElement?.closest?.(".trace > li")?.id.slice(5)) || 0;
  const to = by > 0 ? calls.find((n) => n > now) : calls.findLast((n) => n < now);
  if (to === undefined) return;
  toStep(list.dataset.address + "call-" + to + "#call-" + to);
}

document.addEventListener("click", (event) => {
  const { target } = event, jump = target.closest(".run a, a.first-failed"), left = target.closest(".trace .left a");
  if (jump || left) event.preventDefault();
  if (jump) toStep(jump.href?.baseVal ?? jump.href);
  if (left) swap(left.closest("li").id, left.href);
});

onEach("a.later", (link) => nearEnd.observe(link));
