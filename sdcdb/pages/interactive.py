"""What makes the charts of a page answer: a small script that only adds to pictures which are complete without it.

A mark that is pointed at or tapped is read out below its chart; an entry of the key shows and hides its marks. It
writes texts only, loads nothing, and runs under a policy that allows it by its digest.
"""

SCRIPT = """
const tidy = text => text.replace(/-?\\d+\\.\\d{3,}/g, number => String(Number(Number(number).toPrecision(4))));
for (const figure of document.querySelectorAll("figure.chart")) {
  const drawn = figure.querySelector(":scope > svg");
  if (!drawn) continue;
  const said = document.createElement("p");
  said.className = "said";
  said.setAttribute("aria-live", "polite");
  said.textContent = "\\u00a0";
  figure.append(said);
  const tell = event => {
    const mark = event.target.closest("[role=graphics-symbol][aria-label]");
    const many = mark && mark.getAttribute("aria-roledescription") === "line mark";
    if (mark && !many) said.textContent = tidy(mark.getAttribute("aria-label"));
  };
  drawn.addEventListener("pointerover", tell);
  drawn.addEventListener("click", tell);
  for (const entry of figure.querySelectorAll(".legend span")) {
    const colour = entry.querySelector("rect").getAttribute("fill");
    const marks = [...drawn.querySelectorAll("[role=graphics-symbol]")].filter(
      mark => mark.getAttribute("fill") === colour || mark.getAttribute("stroke") === colour);
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
