"""The style of the page: light and dark, without anything from elsewhere. Pure."""

STYLE = """
:root { color-scheme: light dark;
  --ground:#f7f7f5; --card:#ffffff; --ink:#1d2024; --soft:#667079; --line:#e3e5e8; --grid:#eceef0;
  --good:#1f9d63; --good-2:#5cba8d; --bad:#d0453b; --warn:#d9962b; --own:#8b78c9; --ready:#3f7fbf; --ready-2:#6aa0d6;
  --start:#b9cfe4; --bar-ink:#fff; --shadow:0 1px 2px rgb(20 25 30 / 6%), 0 6px 24px rgb(20 25 30 / 5%); }
@media (prefers-color-scheme: dark) { :root {
  --ground:#14171a; --card:#1c2024; --ink:#e6e9ec; --soft:#96a0aa; --line:#2c3237; --grid:#262b30;
  --good:#3cc384; --good-2:#2b8f62; --bad:#f0685d; --warn:#e6ad4b; --own:#a796e0; --ready:#5c9ddb; --ready-2:#3f78ad;
  --start:#33485c; --bar-ink:#0f1214; --shadow:none; } }
* { box-sizing:border-box }
body { margin:0; background:var(--ground); color:var(--ink);
  font:15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif }
main { max-width:1180px; margin:0 auto; padding:36px 24px 64px }
header { display:flex; align-items:flex-start; gap:22px; margin-bottom:26px }
.seal { flex:none; width:62px; height:62px }
.seal circle { fill:none; stroke-width:5 } .seal path { fill:none; stroke-width:6; stroke-linecap:round; stroke-linejoin:round }
.well .seal * { stroke:var(--good) } .ill .seal * { stroke:var(--bad) } .part .seal * { stroke:var(--warn) }
h1 { font-size:27px; line-height:1.2; margin:2px 0 4px; letter-spacing:-.01em; font-weight:650 }
h2 { font-size:16px; margin:0 0 2px; font-weight:650 }
p { margin:0 } .sub, .lead { color:var(--soft) } .lead { font-size:13.5px; margin-bottom:12px }
code { font:12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap:anywhere }
.tiles { display:grid; grid-template-columns:repeat(auto-fit, minmax(150px, 1fr)); gap:12px; margin-bottom:16px }
.tile, section { background:var(--card); border:1px solid var(--line); border-radius:12px; box-shadow:var(--shadow) }
.tile { padding:13px 16px 11px } .tile b { display:block; font-size:25px; font-weight:650; letter-spacing:-.02em;
  line-height:1.25; font-variant-numeric:tabular-nums } .tile span { color:var(--soft); font-size:13px }
section { padding:18px 20px 16px; margin-bottom:16px }
svg { display:block; width:100%; height:auto; overflow:visible }
svg text { fill:var(--ink); font:12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
svg .tick, svg .note { fill:var(--soft); font-size:11.5px } svg .tick { text-anchor:middle }
svg .host { font-weight:600; font-size:13.5px }
.grid { stroke:var(--grid) } .rule { stroke:var(--line) }
.healed { stroke:var(--good); stroke-width:1.5; stroke-dasharray:4 4 }
.starting { fill:var(--start) } .ready.odd { fill:var(--ready) } .ready.even { fill:var(--ready-2) }
.wait { fill:none; stroke:var(--warn); stroke-width:1.2; stroke-dasharray:3 3 }
.parked { fill:url(#hatch); stroke:var(--warn); stroke-width:.8 }
.hatch-ground { fill:var(--card) } .hatch-line { stroke:var(--warn); stroke-width:2.4 }
.blow { fill:var(--warn) } .crash path { stroke:var(--bad); stroke-width:2.2; stroke-linecap:round }
.crash path { paint-order:stroke } svg .generation { fill:var(--bar-ink); text-anchor:middle; font-size:11px; pointer-events:none }
.ok { fill:var(--good-2) } .own { fill:var(--own) } .lost { fill:var(--bad) } .refused { fill:var(--warn) }
.dot { fill:var(--ready); fill-opacity:.55; stroke:var(--ready); stroke-width:1 } .median { stroke:var(--bad); stroke-width:2 }
svg .in-bar { fill:var(--bar-ink); font-size:11.5px; pointer-events:none }
.ready:hover, .dot:hover, .endings rect:hover, .timeline g:hover rect { filter:brightness(1.12) saturate(1.2) }
.legend { display:flex; flex-wrap:wrap; gap:6px 18px; color:var(--soft); font-size:12.5px; margin-top:10px }
.legend i { display:inline-block; width:12px; height:12px; border-radius:3px; margin-right:6px; vertical-align:-1px }
ul.rules { list-style:none; margin:8px 0 0; padding:0; display:grid; grid-template-columns:repeat(auto-fit, minmax(440px, 1fr)); gap:0 28px }
.rules li { padding:7px 0; border-top:1px solid var(--line); display:flex; gap:10px }
.rules .mark { flex:none; font-weight:700; color:var(--good) } .rules .no .mark { color:var(--bad) }
.rules .none .mark, .rules .none small { color:var(--warn) } .rules .mark { width:14px; text-align:center }
.rules b { font-weight:600 } .rules small { color:var(--soft); display:block; font-size:13px }
.rules .no small { color:var(--bad) } .rules .off .mark { color:var(--soft) }
table { border-collapse:collapse; width:100%; font-size:13.5px; font-variant-numeric:tabular-nums }
th { text-align:left; color:var(--soft); font-weight:500; font-size:12.5px } th, td { padding:5px 12px 5px 0; border-bottom:1px solid var(--line) }
td.n, th.n { text-align:right } .scroll { max-height:420px; overflow:auto } .scroll th { position:sticky; top:0; background:var(--card) }
details { margin-top:8px } summary { cursor:pointer; color:var(--soft); font-size:13.5px }
pre { background:var(--ground); border:1px solid var(--line); border-radius:8px; padding:10px 12px; overflow:auto; margin:8px 0 0;
  font:12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; max-height:320px }
footer { color:var(--soft); font-size:13px; margin-top:22px; display:flex; flex-wrap:wrap; gap:4px 22px }
@media (max-width:700px) { main { padding:20px 12px } ul.rules { grid-template-columns:1fr } section { padding:14px 12px; overflow-x:auto }
  section svg { min-width:720px } header { gap:14px } h1 { font-size:22px } }
@media print { body { background:#fff } .tile, section { box-shadow:none; break-inside:avoid } .scroll { max-height:none } }
"""
"""For the one ``<style>`` of the page."""
