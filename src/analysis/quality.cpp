// SPDX-License-Identifier: MIT
#include "analysis/quality.h"

#include "base/enum_words.h"

namespace aaco {

namespace {

constexpr EnumWords<QualityKind, 8> kWords{
    {"", "measured", "lower bound", "upper bound", "inconclusive", "suspect", "invalid", "no data"}};
constexpr std::string_view kBeforeNote = ": ";

}  // namespace

const char* quality_kind_name(QualityKind kind) { return kWords.of(kind); }

std::string quality_text(const Quality& quality) {
  std::string text = kWords.of(quality.kind);
  if (!text.empty() && !quality.note.empty()) {
    text += kBeforeNote;
  }
  return text + quality.note;
}

Quality parse_quality(std::string_view text) {
  const size_t end = text.find(kBeforeNote);
  const auto kind = kWords.parse(text.substr(0, end));
  if (!kind || *kind == QualityKind::kUnknown) {
    return {QualityKind::kUnknown, std::string(text)};
  }
  return {*kind, end == std::string_view::npos ? "" : std::string(text.substr(end + kBeforeNote.size()))};
}

bool is_plain(const Quality& quality) { return quality.kind == QualityKind::kMeasured && quality.note.empty(); }

Quality with_note(const Quality& quality, const std::string& note) {
  return {quality.kind, quality.note.empty() ? note : quality.note + "; " + note};
}

void to_json(Json& json, const Quality& quality) { json = quality_text(quality); }

void from_json(const Json& json, Quality& quality) { quality = parse_quality(json.get_ref<const std::string&>()); }

}  // namespace aaco
