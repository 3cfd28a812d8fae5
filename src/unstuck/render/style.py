"""How a page of HTML looks: light and dark, on a phone, in print."""

from __future__ import annotations

_LIGHT = (
    "--bg:#fff;--fg:#1d2126;--dim:#5c6470;--line:#dde1e6;--card:#fafbfc;--red:#c62828;--amber:#9a5b00;--green:#1b7f3b;--blue:#0b5cad;"
    "--on:#fff"
)
_DARK = (
    "--bg:#14171a;--fg:#dfe3e7;--dim:#98a1ab;--line:#2c3238;--card:#1a1e22;--red:#ff7b72;--amber:#e3a53c;--green:#56c271;--blue:#6cb2ff;"
    "--on:#14171a"
)
STYLE = (
    f":root{{color-scheme:light dark;{_LIGHT}}}@media(prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
    "*{box-sizing:border-box}"
    "body{font:15px/1.5 system-ui,'Noto Sans CJK SC',sans-serif;max-width:70em;margin:0 auto;padding:1.2em;color:var(--fg);"
    "background:var(--bg);overflow-wrap:anywhere}"
    "h1{font-size:1.35em;line-height:1.3;margin:.2em 0}h2{font-size:1.05em;margin:.1em 0 .5em}p,ul{margin:0}ul{padding-left:1.2em}"
    ".d{color:var(--dim)}a{color:var(--blue)}.m,code{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:.9em}"
    "table{border-collapse:collapse;width:100%;margin:1em 0}td,th{padding:.35em .6em;border-bottom:1px solid var(--line);"
    "text-align:left;vertical-align:top}th{font-weight:600;color:var(--dim);font-size:.85em}.g th{padding-top:1em;letter-spacing:.03em}"
    ".k,.s{white-space:nowrap}.s{text-align:right;color:var(--dim)}"
    ".b{border-radius:3px;padding:.05em .45em;font-size:.8rem;font-weight:600;color:var(--on);background:var(--red);white-space:nowrap}"
    ".b.likely{background:var(--amber)}.b.open{background:var(--dim)}"
    "section{border:1px solid var(--line);border-left:4px solid var(--red);border-radius:6px;background:var(--card);padding:.8em 1em;"
    "margin:1em 0}section.likely{border-left-color:var(--amber)}section.open,section.n{border-left-color:var(--dim)}"
    "dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.5em 1.2em;margin:0}"
    "dt{text-transform:uppercase;color:var(--dim);font-weight:600;font-size:.9em;padding-top:.05em}dd{margin:0;display:grid;gap:.3em;min-width:0}"
    ".dont{color:var(--red)}.fix{color:var(--green)}.next{color:var(--blue)}"
    ".r{font-weight:600;color:var(--dim)}.r.reversible{color:var(--green)}.r.disrupts{color:var(--amber);font-weight:700}"
    ".r.loses-data{color:var(--red);font-weight:700}"
    ".c{background:var(--bg);border:1px solid var(--line);border-radius:4px;padding:.35em .6em}"
    ".h{color:var(--blue);font-weight:600;font-size:.9em;user-select:none;-webkit-user-select:none}"
    "code{white-space:pre-wrap;user-select:all;-webkit-user-select:all}"
    "details{margin-top:.7em}summary{cursor:pointer;color:var(--dim)}details ul{columns:24em auto;margin-top:.3em}li{break-inside:avoid}"
    "@media(max-width:640px){body{padding:.7em}dl{grid-template-columns:minmax(0,1fr);gap:.15em}dd{margin-bottom:.6em}"
    "section{padding:.6em .7em}thead{display:none}tr{display:grid;grid-template-columns:auto auto minmax(0,1fr) auto;gap:0 .5em;"
    "border-bottom:1px solid var(--line);padding:.4em 0}td,th{border:0;padding:.1em 0}td:nth-child(4){grid-column:1/-1;grid-row:2}"
    "td.s{grid-row:1;grid-column:4}.g{border:0}.g th{grid-column:1/-1}}"
    f"@media print{{:root{{color-scheme:light;{_LIGHT}}}body{{font-size:10.5pt;max-width:none;padding:0}}tr,.c{{break-inside:avoid}}"
    "h1,h2,dt,.g{break-after:avoid}.b,.b.likely,.b.open{color:var(--fg);background:none;border:1px solid}"
    "details::details-content{content-visibility:visible;block-size:auto}a{color:inherit;text-decoration:none}}"
)
