// SPDX-License-Identifier: MIT
// An answer for people: as text, and as a Markdown comment that a reviewer understands in ten seconds.
#pragma once

#include <string>

#include "guard/judgement/guard_answer.h"

namespace aaco {

// For a terminal.
std::string answer_text(const GuardAnswer& answer);

// Verdict, interval, cause, and the interval drawn as text; at most 60,000 bytes (GitHub takes 65,536 in a comment).
std::string answer_markdown(const GuardAnswer& answer);

// One figure of a sample as people read it: "median latency", "10.1 ms", "10.6 ms", "+4.8 % [+4.1 %, +5.5 %]".
struct AnswerRow {
  std::string sample;
  std::string figure;
  std::string before;
  std::string after;
  std::string change;
  std::string verdict;
};
std::vector<AnswerRow> answer_rows(const GuardAnswer& answer);

// "|....[==o==]..|" of a change's interval from -10 % to +10 %, wider where it must be.
std::string interval_chart(const ShownChange& change);

}  // namespace aaco
