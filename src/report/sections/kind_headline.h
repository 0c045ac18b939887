// SPDX-License-Identifier: MIT
// Headlines of sessions, from what their reports say already: the key figures and the remarks of the first section.
#pragma once

#include <string>
#include <vector>

#include "report/headline/headline.h"
#include "report/report_model.h"

namespace aaco::report {

// "median step 8.655 ms, 95 % [8.6 ms, 8.7 ms]", or why there is none.
std::string figure_words(const KeyFigure& figure);
std::string figure_words(const std::vector<KeyFigure>& figures);  // one behind the other

// Of sections that are made: warnings among the remarks of the first are what its quality is.
Headline headline_with(std::string figure, const std::vector<Section>& sections);

}  // namespace aaco::report
