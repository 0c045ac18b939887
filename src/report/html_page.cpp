// SPDX-License-Identifier: MIT
#include "report/html_page.h"

#include <cstdint>
#include <string_view>

#include "base/files/file.h"
#include "report/plot/style.h"

namespace aaco::report {

namespace {

constexpr std::string_view kRules = R"css(
*{box-sizing:border-box}
html{background:var(--ground);color:var(--ink);scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;
font-variant-numeric:tabular-nums}
a{color:inherit;text-decoration-color:var(--line);text-underline-offset:3px}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--s0);outline-offset:2px}
.page{display:grid;grid-template-columns:196px minmax(0,1fr);max-width:1640px;margin:0 auto}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:26px 8px 26px 20px;font-size:13px}
nav a{display:block;padding:3px 8px;border-left:2px solid var(--line);color:var(--soft);text-decoration:none}
nav a:hover{color:var(--ink);border-color:var(--s0)}
main{padding:24px 32px 64px 24px;min-width:0}
header{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:flex-start;justify-content:space-between;margin-bottom:22px}
h1{font-size:25px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:18px;margin:0 0 12px;padding-top:20px;border-top:1px solid var(--line);display:flex;flex-wrap:wrap;
gap:4px 10px;align-items:center}
h2 a{text-decoration:none}
h3{font-size:14px;margin:0 0 6px;overflow-wrap:anywhere}
section{margin-bottom:34px;scroll-margin-top:8px}
p{margin:0 0 10px;max-width:82ch;overflow-wrap:anywhere}
ul{margin:0 0 12px;padding-left:20px;max-width:82ch;overflow-wrap:anywhere}
.sub,.foot,figcaption,.under{color:var(--soft);font-size:13px;overflow-wrap:anywhere}
.under{margin:4px 0 16px}
.headline{border:1px solid var(--line);border-left:4px solid var(--s0);border-radius:6px;padding:14px 18px 6px;margin:0 0 26px}
.headline .answer{font-size:18px;font-weight:600;line-height:1.35;max-width:none}
.headline ol{margin:0 0 8px;padding-left:22px}.headline .quality{color:var(--soft);max-width:none}
.headline .quality b{display:inline-block;width:9px;height:9px;border-radius:5px;background:var(--tone);overflow:hidden;
text-indent:20px;white-space:nowrap;margin-right:3px}
.timebar{display:flex;height:18px;border-radius:3px;overflow:hidden;background:var(--grid);margin:0 0 6px}
.timebar i,.legend i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:13px;margin:0 0 10px}
.legend i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px}
.c0{background:var(--s0)}.c1{background:var(--s1)}.c2{background:var(--s2)}.c3{background:var(--s3)}.c4{background:var(--s4)}
.c5{background:var(--s5)}.c6{background:var(--s6)}.c7{background:var(--s7)}.c8{background:var(--s8)}
input.more{position:absolute;opacity:0;width:1px;height:1px}tbody.rest{display:none}
input.more:checked+.scroll tbody.rest{display:table-row-group}
label.more{display:inline-block;cursor:pointer;color:var(--soft);font-size:13px;text-decoration:underline;
text-underline-offset:3px;margin:0 0 10px}label.more span+span{display:none}
input.more:checked~label.more span{display:none}input.more:checked~label.more span+span{display:inline}
input.more:focus-visible~label.more{outline:2px solid var(--s0)}
.badges{display:flex;flex-wrap:wrap;gap:6px}
header .badges{margin-top:8px}
.badge{display:inline-block;font-size:12px;font-weight:500;line-height:1.5;padding:1px 9px;border-radius:10px;
border:1px solid var(--line);color:var(--ink)}
.good{--tone:var(--s2)}.warning{--tone:var(--s1)}.bad{--tone:var(--s4)}.neutral{--tone:var(--line)}
.badge.good,.badge.warning,.badge.bad{border-color:var(--tone);
background:color-mix(in srgb,var(--tone) 12%,transparent)}
.remark{border-left:3px solid var(--tone);padding:6px 12px;background:color-mix(in srgb,var(--tone) 8%,transparent)}
td.good,td.warning,td.bad{color:var(--tone)}
button{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:6px;padding:3px 10px;cursor:pointer}
button:hover{border-color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(176px,1fr));gap:10px;margin:0 0 16px}
.figure{border:1px solid var(--line);border-top:3px solid var(--tone);border-radius:6px;padding:9px 13px 10px}
.figure b{display:block;font-size:19px;font-weight:600;line-height:1.3;letter-spacing:-.01em;overflow-wrap:break-word}
.figure span{display:block;color:var(--soft);font-size:12px;line-height:1.4;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:0 0 8px}.fold .under,.fold .scroll:last-child{margin-bottom:4px}
table{border-collapse:collapse;width:100%;font-size:13px}
caption{text-align:left;font-weight:600;padding:0 0 6px}
th{font-weight:600;text-align:left;color:var(--soft);border-bottom:1px solid var(--line);padding:4px 10px 4px 0;
vertical-align:bottom}
td{padding:4px 10px 4px 0;border-bottom:1px solid var(--grid);vertical-align:top;overflow-wrap:break-word;min-width:52px;
max-width:420px}
td.w{white-space:nowrap}td.long{overflow-wrap:anywhere}
td.n,th.n{text-align:right;padding-left:10px}td.n{white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
td.n.wrap{white-space:normal}.figure b.w{white-space:nowrap}
.n+:not(.n){padding-left:14px}
tbody tr:hover td{background:var(--band)}
.sort th{cursor:pointer}.sort th[aria-sort=ascending]::after{content:" \2191"}
.sort th[aria-sort=descending]::after{content:" \2193"}
.meter{display:inline-block;width:64px;height:8px;border-radius:2px;background:var(--grid);margin-right:8px;vertical-align:1px}
.meter i{display:block;height:100%;border-radius:2px;background:var(--s0)}
td small{display:block;color:var(--soft);font-size:12px}
td details{font-size:12px;color:var(--soft)}
summary{cursor:pointer}
td summary{font-size:13px;color:var(--ink)}
td details p{margin:2px 0 4px 14px}
.fold{border:1px solid var(--line);border-radius:6px;padding:7px 14px;margin:0 0 12px}
.fold>summary{font-weight:600}.fold[open]>summary{margin-bottom:10px}
.facts{display:grid;grid-template-columns:minmax(120px,max-content) minmax(0,1fr);gap:2px 18px;margin:0 0 12px;font-size:13px}
.facts dt{color:var(--soft);overflow-wrap:anywhere}.facts dd{margin:0;overflow-wrap:anywhere}
.finding{border:1px solid var(--line);border-left:3px solid var(--s0);border-radius:6px;padding:11px 15px;margin:0 0 10px}
.finding h3{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center}
.finding p{margin:4px 0 0}
.nums{display:flex;flex-wrap:wrap;gap:2px 22px;margin:2px 0 4px;font-size:13px}
.nums dt{display:inline;color:var(--soft)}.nums dd{display:inline;margin:0 0 0 6px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,310px),1fr));gap:6px 26px}.tight{margin-bottom:4px}
figure{margin:0 0 20px;min-width:0}
figcaption{margin:0 0 4px}figcaption b{color:var(--ink);display:block;font-size:14px}
.draw{overflow-x:auto}
.draw svg{display:block;width:100%;height:auto;max-width:1400px}
.draw.wide svg{min-width:640px}.draw.half svg{min-width:300px}
pre{font:12.5px/1.5 ui-monospace,'SF Mono',Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;
border:1px solid var(--line);border-radius:6px;padding:9px 13px;margin:0 0 12px;background:var(--band)}
@media(max-width:820px){.page{display:block}main{padding:16px}
nav{position:static;max-height:none;padding:12px 16px 0;display:flex;flex-wrap:wrap;gap:2px 4px}
nav a{border-left:0;border-bottom:1px solid var(--line);padding:2px 6px}
.figures{grid-template-columns:repeat(auto-fit,minmax(165px,1fr))}.facts{grid-template-columns:1fr}
.facts dd{margin:0 0 5px}h1{font-size:21px}}
@media(max-width:1120px){table{font-size:12px}td,th{padding-right:6px}td.n,th.n{padding-left:4px}td.n{white-space:normal}td.n.w{white-space:nowrap}
td small{font-size:11px}.n+:not(.n){padding-left:8px}td{min-width:40px}.meter{width:36px;margin-right:5px}}
@media(max-width:1400px){.dense{font-size:12px}.dense td,.dense th{padding-right:4px;padding-left:4px;min-width:0}}
@media(max-width:860px){.dense{font-size:10px}table{font-size:11px}td,th{padding-right:3px}td.n,th.n{padding-left:3px}td{min-width:28px}}
@media print{table{font-size:10px}.dense{font-size:8.5px}td,th{padding:2px 3px;min-width:0}nav,#theme,label.more{display:none}tbody.rest{display:table-row-group}.page{display:block}main{padding:0}body{font-size:11px}
figure,.finding,.figure,tr{break-inside:avoid}.scroll,.draw{overflow:visible}.draw svg{min-width:0!important}h2{break-after:avoid}}
)css";

// Rows without a number go last when sorting downwards by a column of numbers.
constexpr std::string_view kScript = R"js(
(()=>{const root=document.documentElement;
document.getElementById('theme').addEventListener('click',()=>{
const now=root.dataset.theme||(matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light');
root.dataset.theme=now==='dark'?'light':'dark'});
const key=cell=>cell.dataset.v!==undefined?Number(cell.dataset.v):cell.textContent;
const compare=(a,b)=>typeof a==='number'&&typeof b==='number'?a-b:String(a).localeCompare(String(b));
for(const table of document.querySelectorAll('table.sort'))for(const head of table.tHead.rows[0].cells){
head.tabIndex=0;
const sort=()=>{const down=head.getAttribute('aria-sort')!=='descending';
for(const other of table.tHead.rows[0].cells)other.removeAttribute('aria-sort');
head.setAttribute('aria-sort',down?'descending':'ascending');
const bodies=[...table.tBodies];const counts=bodies.map(body=>body.rows.length);
const rows=bodies.flatMap(body=>[...body.rows]);
rows.sort((a,b)=>compare(key(a.cells[head.cellIndex]),key(b.cells[head.cellIndex]))*(down?-1:1));
bodies.forEach((body,i)=>body.append(...rows.splice(0,counts[i])))};
head.addEventListener('click',sort);
head.addEventListener('keydown',event=>{if(event.key==='Enter'||event.key===' '){event.preventDefault();sort()}})}
addEventListener('beforeprint',()=>{for(const fold of document.querySelectorAll('details'))fold.open=true});
})()
)js";

int hex_digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::string base64_of_hex(const std::string& hex) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < hex.size(); at += 6) {
    uint32_t group = 0;
    for (size_t i = 0; i < 6; ++i) {
      group = group << 4 | static_cast<uint32_t>(at + i < hex.size() ? hex_digit(hex[at + i]) : 0);
    }
    const size_t bytes = std::min(hex.size() - at, size_t{6}) / 2;
    for (size_t i = 0; i < 4; ++i) {
      text += i <= bytes ? kAlphabet[group >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace

std::string page_style() {
  return ":root{color-scheme:light;" + plot::light_properties() +
         "}@media(prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;" +
         plot::dark_properties() + "}}:root[data-theme=dark]{color-scheme:dark;" + plot::dark_properties() +
         "}@media print{:root,:root:not([data-theme=light]){color-scheme:light;" + plot::light_properties() + "}}" +
         std::string(kRules) + plot::plot_rules();
}

std::string page_script() { return std::string(kScript); }

std::string content_policy(const std::string& script) {
  return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64_of_hex(sha256_of(script)) +
         "'; base-uri 'none'; form-action 'none'";
}

}  // namespace aaco::report
