"""How an audit's page looks, light and dark, and its one script: the search."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d8dee4; --soft: #57606a; --bad: #c62828;
  --warn: #e08600; --good: #2e7d32; --card: #f6f8fa; --c1: #c62828; --c2: #e08600; --c3: #b59f00; --c4: #2e7d32;
  --c5: #0277bd; --c6: #6a4fb3; --c7: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #14181d; --line: #30363d; --soft: #9198a1;
  --bad: #ff6b60; --warn: #ffb454; --good: #6fcf79; --card: #1c2128; --c1: #ff6b60; --c2: #ffb454; --c3: #e3cf5b;
  --c4: #6fcf79; --c5: #62b5f0; --c6: #b39ddb; --c7: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.25rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0 .8rem; }
.soft { color: var(--soft); } .bad { color: var(--bad); } .good { color: var(--good); }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
.cards div { background: var(--card); border-radius: 8px; padding: .6rem .9rem; min-width: 8rem; flex: 1; }
.cards b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; } td.n, th.n { text-align: right; white-space: nowrap; }
td.c { white-space: nowrap; } td code { display: block; min-width: 16rem; }
code { font: .85em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
figure.plot { margin: .5rem 0; overflow-x: auto; }
figure.plot svg { display: block; width: 100%; min-width: 34rem; height: auto; }
.legend span { display: inline-block; margin-right: 1rem; color: var(--soft); font-size: .9rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .35rem; }
input[type=search] { width: 100%; padding: .55rem .75rem; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; } summary { cursor: pointer; }
ol { margin: .4rem 0; padding-left: 1.6rem; }
.tag { border-radius: 4px; padding: 0 .4rem; font-size: .85rem; color: var(--paper); }
.tag.direct, .tag.exact { background: var(--bad); } .tag.interval { background: var(--warn); }
.tag.cae { background: var(--good); }
[hidden] { display: none; }
"""
SCRIPT = """
document.getElementById('search').addEventListener('input', function (event) {
  const words = event.target.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  document.querySelectorAll('[data-row]').forEach(function (row) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(function (word) { return text.includes(word); });
    if (!row.hidden) { shown += 1; }
  });
  document.getElementById('shown').textContent = words.length ? shown + ' match' : '';
});
"""
