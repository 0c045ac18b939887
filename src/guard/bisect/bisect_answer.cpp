// SPDX-License-Identifier: MIT
#include "guard/bisect/bisect_answer.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/text/characters.h"
#include "verdict/compare.h"

namespace aaco {

namespace {

constexpr size_t kShortCommit = 12;
constexpr double kLeastShown = 0.01;  // probability of a commit that is named

std::string change_text(const BisectAnswer& answer) {
  if (!answer.change) {
    return "";
  }
  const RatioEstimate& change = *answer.change;
  return fmt::format("{:+.1f} % [{:+.1f}, {:+.1f}] %", 100 * (change.ratio - 1), 100 * (change.interval.low - 1),
                     100 * (change.interval.high - 1));
}

}  // namespace

Json bisect_json(const BisectAnswer& answer) {
  Json commits = Json::array();
  for (size_t i = 0; i < answer.probability.size(); ++i) {
    commits.push_back({{"commit", answer.commits[i + 1]}, {"probability", answer.probability[i]}});
  }
  Json change;
  if (answer.change) {
    change = {{"ratio", answer.change->ratio},
              {"interval", Json::array({answer.change->interval.low, answer.change->interval.high})}};
  }
  return {{"end", answer.end},
          {"first_slow", answer.probability.empty() ? Json() : Json(answer.commits[answer.first_slow])},
          {"change", change},
          {"builds", answer.builds},
          {"measurements", answer.measurements},
          {"others_share", answer.others_share ? Json(*answer.others_share) : Json()},
          {"skipped", answer.skipped},
          {"commits", commits}};
}

std::string bisect_text(const BisectAnswer& answer, const std::function<std::string(const std::string&)>& subject_of) {
  const std::string work = fmt::format("{} builds, {} measurements, {} commits", answer.builds, answer.measurements,
                                       answer.commits.size() - 1);
  if (answer.end == BisectEnd::kNotSlower) {
    return fmt::format("No slowdown was shown between the good and the bad commit: {} ({})\n", change_text(answer),
                       work);
  }
  const auto line = [&](size_t commit) {
    const std::string& name = answer.commits[commit];
    return fmt::format("{}  {:.1f} %  {}", name.substr(0, kShortCommit), 100 * answer.probability[commit - 1],
                       printable(subject_of(name)));
  };
  std::string text = answer.end == BisectEnd::kDecided
                         ? fmt::format("First slow commit: {}\n", line(answer.first_slow))
                         : std::string("Not decided. The first slow commit is one of these:\n");
  if (answer.end == BisectEnd::kUndecided) {
    for (size_t commit = 1; commit < answer.commits.size(); ++commit) {
      text += answer.probability[commit - 1] >= kLeastShown ? "  " + line(commit) + "\n" : "";
    }
  }
  text += fmt::format("Slower by {} ({})\n", change_text(answer), work);
  if (answer.others_share.value_or(0) > kCrowdedShare) {
    text += fmt::format(
        "Warning: other programs held {} of the machine's processors meanwhile, and a crowd may convict the wrong "
        "commit: "
        "search on a quiet machine\n",
        format_percent(*answer.others_share, 0));
  }
  for (const std::string& commit : answer.skipped) {
    text += fmt::format("Left out: {} could not be built or measured\n", commit.substr(0, kShortCommit));
  }
  return text;
}

}  // namespace aaco
