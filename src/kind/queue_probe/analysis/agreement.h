// SPDX-License-Identifier: MIT
// Whether two ways to measure the same thing say the same: "agree", "disagree: by 800 ns". In documents it is that
// text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"

namespace aaco {

enum class AgreementKind : uint8_t { kUnknown, kAgree, kDisagree, kNotShown, kNoData };

struct Agreement {
  AgreementKind kind = AgreementKind::kUnknown;
  std::string note;
};

std::string agreement_text(const Agreement& agreement);
// Never fails: a text that names no kind is the note of an unknown one.
Agreement parse_agreement(std::string_view text);

void to_json(Json& json, const Agreement& agreement);
void from_json(const Json& json, Agreement& agreement);

}  // namespace aaco
