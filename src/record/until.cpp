// SPDX-License-Identifier: MIT
#include "record/until.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(UntilFacts, target, limit_s, processes, reach, reached)

std::string until_text(const UntilFacts& facts) {
  const std::string target = fmt::format("interval within {:.3g} %", facts.target * 100);
  const std::string after = counted(facts.processes, "process", "processes");
  if (facts.reached) {
    return fmt::format("{}: reached after {}", target, after);
  }
  return fmt::format("{}: not reached in {:.3g} s: {} after {}", target, facts.limit_s,
                     facts.reach ? fmt::format("it reaches {:.3g} %", *facts.reach * 100) : "there is none", after);
}

}  // namespace aaco
