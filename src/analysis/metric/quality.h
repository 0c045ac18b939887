// SPDX-License-Identifier: MIT
// How far a value may be believed, with a note: "measured", "suspect: 120 % of the measured roof", "no data: needs
// --telemetry". In documents it is that text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"

namespace aaco {

enum class QualityKind : uint8_t {
  kUnknown,  // not said
  kMeasured,
  kLowerBound,
  kUpperBound,
  kInconclusive,  // too few processes for an interval
  kSuspect,       // beyond what the machine can do or the clock can resolve: shown, and no evidence
  kInvalid,       // what was measured is not what the value means
  kNoData
};
const char* quality_kind_name(QualityKind kind);  // "measured", ...; "" where it is not known

struct Quality {
  QualityKind kind = QualityKind::kUnknown;
  std::string note;

  friend bool operator==(const Quality&, const Quality&) = default;
};

// "measured" or "measured: note".
std::string quality_text(const Quality& quality);
// Never fails: a text that names no kind is the note of an unknown one.
Quality parse_quality(std::string_view text);

// Measured, and nothing has to be said about it.
bool is_plain(const Quality& quality);
// The same with one note more.
Quality with_note(const Quality& quality, const std::string& note);

void to_json(Json& json, const Quality& quality);
void from_json(const Json& json, Quality& quality);

}  // namespace aaco
