"use strict";
document.addEventListener("click", (event) => {
  const step = event.target.closest("button.step");
  if (!step || !step.hasAttribute("aria-controls")) return;
  const open = step.getAttribute("aria-expanded") !== "true";
  step.setAttribute("aria-expanded", String(open));
  document.getElementById(step.getAttribute("aria-controls")).hidden = !open;
});
const filter = document.getElementById("filter");
if (filter) {
  const cards = [...document.querySelectorAll("article")];
  const apply = () => {
    const wanted = [...new FormData(filter)].filter(([, value]) => value !== "");
    let shown = 0;
    for (const card of cards) {
      card.hidden = !wanted.every(([name, value]) => card.dataset[name] === value);
      if (!card.hidden) shown += 1;
      document.querySelector(`[data-finding="${card.id}"]`).hidden = card.hidden;
    }
    document.getElementById("none").hidden = shown !== 0;
    filter.querySelector("output").textContent = `${shown} of ${cards.length}`;
  };
  filter.addEventListener("change", apply);
  filter.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
