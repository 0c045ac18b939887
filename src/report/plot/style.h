// SPDX-License-Identifier: MIT
// Colours and text styles of the plots, shared by the stand-alone files and the pages that plots lie in.
#pragma once

#include <string>

namespace aaco::plot {

// Custom properties for light and for dark, without a selector: "--ink:#1b1f24;...".
std::string light_properties();
std::string dark_properties();
// Rules for the classes that svg.cpp and marks.cpp use.
std::string plot_rules();
// The class of a colour of chart.h: "s0".
std::string colour_class(int colour);

}  // namespace aaco::plot
