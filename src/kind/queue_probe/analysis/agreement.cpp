// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/agreement.h"

#include <utility>

#include "base/text/enum_words.h"

namespace aaco {

namespace {

constexpr EnumWords<AgreementKind, 5> kWords{{"", "agree", "disagree", "not shown", "no data"}};

}  // namespace

std::string agreement_text(const Agreement& agreement) { return kWords.noted(agreement.kind, agreement.note); }

Agreement parse_agreement(std::string_view text) {
  auto [kind, note] = kWords.parse_noted(text);
  return {kind, std::move(note)};
}

}  // namespace aaco
