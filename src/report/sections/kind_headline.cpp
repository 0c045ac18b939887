// SPDX-License-Identifier: MIT
#include "report/sections/kind_headline.h"

#include <fmt/format.h>
#include <utility>

namespace aaco::report {

std::string figure_words(const KeyFigure& figure) {
  const Cell& cell = figure.value.cell;
  const bool interval = cell.number && cell.number->interval;
  return interval ? fmt::format("{} {}", figure.label, line_of(cell))
                  : fmt::format("{} {}{}", figure.label, shown_text(cell),
                                figure.detail.empty() ? "" : fmt::format(" ({})", figure.detail));
}

std::string figure_words(const std::vector<KeyFigure>& figures) {
  std::string text;
  for (const KeyFigure& figure : figures) {
    text += (text.empty() ? "" : "; ") + figure_words(figure);
  }
  return text;
}

Headline headline_with(std::string figure, const std::vector<Section>& sections) {
  Headline headline{.figure = std::move(figure)};
  std::vector<std::pair<std::string, Tone>> doubts;
  for (const Block& block : sections.empty() ? std::vector<Block>() : sections.front().blocks) {
    const auto* const remark = std::get_if<Paragraph>(&block);
    if (remark != nullptr && (remark->tone == Tone::kWarning || remark->tone == Tone::kBad)) {
      doubts.emplace_back(remark->text, remark->tone);
    }
  }
  set_quality(doubts, headline);
  return headline;
}

}  // namespace aaco::report
