// SPDX-License-Identifier: MIT
#include "analysis/timeline/names/people_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aaco {

std::string people_words(std::string_view id) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"launch_starved", "launched too late, host not recorded"},
      {"host_waits", "host waited for the device"},
      {"host_call", "host busy in a runtime call"},
      {"host_operator", "host busy in an operator"},
      {"host_range", "host busy in a range"},
      {"after_communication", "waited for communication"},
      {"after_copy", "waited for a copy"},
      {"after_other_stream", "waited for another stream"},
      {"turnaround", "between kernels of a stream"},
      {"unexplained", "not explained"},
      {"no_launch", "cause unknown: no launch recorded"},
      {"sync", "host waited for the device"},
  };
  const auto* const known =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& words) { return words.first == id; });
  std::string text(known == std::end(kWords) ? id : known->second);
  if (known == std::end(kWords)) {
    std::replace(text.begin(), text.end(), '_', ' ');
  }
  return text;
}

}  // namespace aaco
