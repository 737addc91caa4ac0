"""What makes the charts of a page answer: a small script that only adds to pictures which are complete without it.

A mark that is pointed at or tapped is read out below its chart or tree; an entry of the key shows and hides its marks.
It writes texts only, loads nothing, and runs under a policy that allows it by its digest.
"""

SCRIPT = """
const tidy = text => text.replace(/-?\\d+\\.\\d{3,}/g, number => String(Number(Number(number).toPrecision(4))));
const words = (at, drawn) => {
  for (; at && at !== drawn; at = at.parentElement) {
    if (at.getAttribute("role") === "graphics-symbol" && at.hasAttribute("aria-label"))
      return at.getAttribute("aria-roledescription") === "line mark" ? "" : tidy(at.getAttribute("aria-label"));
    const title = at.querySelector(":scope > title");
    if (title) return title.textContent;
  }
  return "";
};
for (const figure of document.querySelectorAll("figure.chart, figure.plot, figure.tree")) {
  const drawn = figure.querySelector(":scope > svg");
  if (!drawn) continue;
  const said = document.createElement("p");
  said.className = "said";
  said.setAttribute("aria-live", "polite");
  said.textContent = "\\u00a0";
  figure.append(said);
  const tell = event => {
    const heard = words(event.target, drawn);
    if (heard) said.textContent = heard;
  };
  drawn.addEventListener("pointerover", tell);
  drawn.addEventListener("click", tell);
  const below = figure.nextElementSibling;
  const key = figure.querySelector(".legend") || (below && below.matches(".legend") ? below : null);
  for (const entry of key ? key.querySelectorAll("span") : []) {
    const colour = entry.querySelector("rect").getAttribute("fill");
    const marks = [...drawn.querySelectorAll("[role=graphics-symbol], [data-series]")].filter(
      mark => ["fill", "stroke", "data-series"].some(name => mark.getAttribute(name) === colour));
    if (!marks.length) continue;
    const toggle = () => {
      const shown = entry.getAttribute("aria-pressed") !== "true";
      entry.setAttribute("aria-pressed", String(shown));
      for (const mark of marks) mark.classList.toggle("off", !shown);
    };
    entry.setAttribute("role", "button");
    entry.setAttribute("tabindex", "0");
    entry.setAttribute("aria-pressed", "true");
    entry.addEventListener("click", toggle);
    entry.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); }
    });
  }
}
"""
