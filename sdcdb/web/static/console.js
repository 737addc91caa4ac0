"use strict";
(function () {
  const editor = document.querySelector(".editor");

  document.querySelectorAll("form[data-confirm]").forEach(function (form) {
    form.addEventListener("submit", function (event) {
      if (!window.confirm(form.dataset.confirm)) event.preventDefault();
    });
  });
  if (!editor) return;

  const area = document.getElementById("sql");
  const colours = document.getElementById("colours");
  const list = document.getElementById("completions");
  const form = document.getElementById("ask");
  const outcome = document.getElementById("outcome");
  const WORDS = ("SELECT DISTINCT FROM JOIN LEFT ON USING WHERE AND OR NOT IN BETWEEN LIKE ILIKE IS NULL CASE WHEN THEN ELSE END GROUP BY " +
    "HAVING ORDER ASC DESC LIMIT OFFSET WITH AS UNION ALL FILTER ROLLUP CUBE GROUPING SETS COUNT SUM AVG MIN MAX ROUND COALESCE CAST EXTRACT").split(" ");
  const TOKEN = /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*'?)|("(?:[^"]|"")*"?)|\b(\d+(?:\.\d+)?)\b|([A-Za-z_]\w*)|([\s\S])/g;
  const known = new Set(WORDS);

  function span(kind, text) {
    const made = document.createElement("span");
    made.className = kind;
    made.textContent = text;
    return made;
  }

  function colour() {
    const parts = document.createDocumentFragment();
    for (const [whole, comment, text, name, number, word] of area.value.matchAll(TOKEN)) {
      if (comment) parts.append(span("com", whole));
      else if (text) parts.append(span("str", whole));
      else if (number) parts.append(span("num", whole));
      else if (word && known.has(word.toUpperCase())) parts.append(span("kw", whole));
      else parts.append(whole);
      void name;
    }
    parts.append("\n");
    colours.replaceChildren(parts);
    colours.scrollTop = area.scrollTop;
  }

  // Completion: tables behind FROM and JOIN, columns, and words.
  const tables = [...document.querySelectorAll("[data-table]")].map(function (table) {
    return { name: table.dataset.table, columns: [...table.querySelectorAll("[data-column]")].map((c) => c.dataset.column) };
  });
  const plain = /^[a-z_][a-z0-9_]*$/;
  const quoted = (name) => (plain.test(name) ? name : '"' + name.replaceAll('"', '""') + '"');
  let chosen = 0;

  function candidates(before) {
    const word = /"?\w*$/.exec(before)[0];
    const start = word.replace('"', "").toLowerCase();
    const fits = (name) => name.toLowerCase().startsWith(start) && name.toLowerCase() !== start;
    if (/\b(from|join)\s+"?\w*$/i.test(before)) return { word, found: tables.filter((t) => fits(t.name)).map((t) => [quoted(t.name), "table"]) };
    const named = tables.filter((t) => new RegExp("\\b" + t.name.replace(/\W/g, "\\$&") + "\\b", "i").test(area.value));
    const columns = [...new Set((named.length ? named : tables).flatMap((t) => t.columns))];
    const found = columns.filter(fits).map((c) => [quoted(c), "column"]);
    if (start) found.push(...tables.filter((t) => fits(t.name)).map((t) => [quoted(t.name), "table"]), ...WORDS.filter(fits).map((w) => [w, ""]));
    return { word, found: found.slice(0, 12) };
  }

  function close() { list.hidden = true; area.removeAttribute("aria-activedescendant"); }

  function offer(forced) {
    const before = area.value.slice(0, area.selectionStart);
    const { word, found } = candidates(before);
    if (!found.length || (!forced && word.length < 2)) return close();
    chosen = 0;
    list.replaceChildren(...found.map(function ([name, kind], n) {
      const item = document.createElement("li");
      item.id = "completion-" + n;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(n === 0));
      item.append(name, span("soft", kind));
      item.addEventListener("mousedown", function (event) { event.preventDefault(); chosen = n; take(); });
      return item;
    }));
    const lines = before.split("\n").length;
    list.style.top = Math.min(lines * 1.5 + 0.9, area.clientHeight / 16) + "rem";
    list.style.left = "1rem";
    list.hidden = false;
    area.setAttribute("aria-activedescendant", "completion-0");
  }

  function move(by) {
    const items = [...list.children];
    chosen = (chosen + by + items.length) % items.length;
    items.forEach((item, n) => item.setAttribute("aria-selected", String(n === chosen)));
    items[chosen].scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", "completion-" + chosen);
  }

  function take() {
    const { word, found } = candidates(area.value.slice(0, area.selectionStart));
    const at = area.selectionStart - word.length;
    if (found[chosen]) area.setRangeText(found[chosen][0], at, area.selectionStart, "end");
    close();
    colour();
  }

  async function send(action) {
    const data = new FormData(form);
    data.set("action", action);
    const buttons = form.querySelectorAll("button");
    buttons.forEach((button) => { button.disabled = true; });
    outcome.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch("/", { method: "POST", body: data, headers: { "X-Fragment": "1" }, redirect: "manual" });
      if (answer.type === "opaqueredirect") { window.location.assign("/login"); return; }
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      outcome.replaceChildren(...made.body.childNodes);
    } catch (problem) {
      outcome.replaceChildren(span("bad", "The server cannot be reached."));
      void problem;
    } finally {
      outcome.removeAttribute("aria-busy");
      buttons.forEach((button) => { button.disabled = false; });
    }
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    send(event.submitter ? event.submitter.value : "ask");
  });
  outcome.addEventListener("click", function (event) {
    const button = event.target.closest("button[data-sql]");
    if (!button) return;
    event.preventDefault();
    area.value = button.dataset.sql;
    colour();
    area.focus();
    send("explain");
  });
  area.addEventListener("input", function () { colour(); offer(false); });
  area.addEventListener("scroll", function () { colours.scrollTop = area.scrollTop; });
  area.addEventListener("blur", close);
  area.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); close(); send("ask"); return; }
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); offer(true); return; }
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
    else if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); take(); }
    else if (event.key === "Escape") { event.preventDefault(); close(); }
  });
  editor.classList.add("coloured");
  colour();
}());
