// SPDX-License-Identifier: MIT
#include "report/plot/style.h"

#include <algorithm>

#include "report/plot/chart.h"

namespace aaco::plot {

// The hues of Okabe and Ito (told apart with any colour vision), darkened for paper and lightened for the dark ground
// so that each keeps a contrast of at least 3 to its ground.
std::string light_properties() {
  return "--ground:#fff;--ink:#1c2128;--soft:#5b6570;--line:#d5dae0;--grid:#eceff2;--band:#5b65701a;"
         "--s0:#0068ad;--s1:#c46a00;--s2:#00835f;--s3:#b5548c;--s4:#c23b00;--s5:#2c93cc;--s6:#7a6f00;--s7:#5a4fb3;"
         "--s8:#8a939d;";
}

std::string dark_properties() {
  return "--ground:#14181d;--ink:#e4e8ec;--soft:#9aa5b1;--line:#39424d;--grid:#242b33;--band:#9aa5b122;"
         "--s0:#58aeea;--s1:#f0a83c;--s2:#35c79b;--s3:#e693c0;--s4:#f5854f;--s5:#8fd3f7;--s6:#d3c84e;--s7:#a79cf0;"
         "--s8:#77828e;";
}

std::string plot_rules() {
  std::string rules =
      ".plot text{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica "
      "Neue',Arial,sans-serif;fill:var(--soft);"
      "font-variant-numeric:tabular-nums}"
      ".plot .cat,.plot .leg,.plot .val{fill:var(--ink)}.plot .ttl{font-size:13px;font-weight:600;fill:var(--ink)}"
      ".plot .axis{stroke:var(--line);fill:none;shape-rendering:crispEdges}"
      ".plot .grid{stroke:var(--grid);fill:none;shape-rendering:crispEdges}"
      ".plot .ln{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}"
      ".plot .dots{fill:none;stroke:currentColor;stroke-width:3.2;stroke-linecap:round;opacity:.7}"
      ".plot .rng{fill:none;stroke:currentColor;opacity:.35}"
      ".plot .mk{fill:currentColor;stroke:var(--ground);stroke-width:1}"
      ".plot .fill{fill:currentColor;opacity:.16}.plot .area{fill:currentColor;opacity:.55}"
      ".plot .bar{fill:currentColor}.plot .span{fill:currentColor;stroke:var(--ground);stroke-width:.6}"
      ".plot .thin{fill:currentColor;opacity:.75}"
      ".plot .wsk{fill:none;stroke:var(--ink);stroke-width:1;opacity:.75}"
      ".plot .in{fill:var(--ground);font-size:10px;pointer-events:none}"
      ".plot .band{fill:var(--band)}.plot .tint{fill:currentColor;opacity:.12}"
      ".plot .nm{paint-order:stroke;stroke:var(--ground);stroke-width:3px;stroke-linejoin:round}"
      ".plot .note{stroke:currentColor;stroke-dasharray:4 3;fill:none}"
      ".plot .none{font-size:13px}";
  for (int colour = 0; colour <= kMuted; ++colour) {
    const std::string name = colour_class(colour);
    rules += ".plot ." + name + "{color:var(--" + name + ")}";
  }
  return rules;
}

std::string colour_class(int colour) { return "s" + std::to_string(std::clamp(colour, 0, kMuted)); }

}  // namespace aaco::plot
