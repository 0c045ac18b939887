// SPDX-License-Identifier: MIT
#include "report/headline/until_words.h"

#include <algorithm>

namespace aaco::report {

void put_until(const UntilFacts& facts, Headline& headline) {
  const bool is_complete = headline.quality_tone == Tone::kGood;
  if (facts.reached || !is_complete) {
    headline.quality += "; " + until_text(facts);
  } else {
    headline.quality = until_text(facts);
  }
  if (!facts.reached) {
    headline.quality_tone = std::max(headline.quality_tone, Tone::kWarning);
  }
}

}  // namespace aaco::report
