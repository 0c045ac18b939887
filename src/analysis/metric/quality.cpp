// SPDX-License-Identifier: MIT
#include "analysis/metric/quality.h"

#include <utility>

#include "base/text/enum_words.h"

namespace aaco {

namespace {

constexpr EnumWords<QualityKind, 8> kWords{
    {"", "measured", "lower bound", "upper bound", "inconclusive", "suspect", "invalid", "no data"}};

}  // namespace

const char* quality_kind_name(QualityKind kind) { return kWords.word(kind); }

std::string quality_text(const Quality& quality) { return kWords.noted(quality.kind, quality.note); }

Quality parse_quality(std::string_view text) {
  auto [kind, note] = kWords.parse_noted(text);
  return {kind, std::move(note)};
}

bool is_plain(const Quality& quality) { return quality.kind == QualityKind::kMeasured && quality.note.empty(); }

Quality with_note(const Quality& quality, const std::string& note) {
  return {quality.kind, quality.note.empty() ? note : quality.note + "; " + note};
}

}  // namespace aaco
