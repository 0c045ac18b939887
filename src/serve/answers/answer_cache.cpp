// SPDX-License-Identifier: MIT
#include "serve/answers/answer_cache.h"

#include <algorithm>

namespace aaco::serve {

std::optional<std::string> AnswerCache::find(const std::string& key) {
  const auto known =
      std::find_if(answers_.begin(), answers_.end(), [&](const KeptAnswer& kept) { return kept.key == key; });
  if (known == answers_.end()) {
    return std::nullopt;
  }
  answers_.splice(answers_.begin(), answers_, known);
  return answers_.front().answer;
}

void AnswerCache::keep(const std::string& key, const std::string& answer) {
  if (answer.size() > most_bytes_ || find(key)) {
    return;
  }
  answers_.push_front({key, answer});
  bytes_ += answer.size();
  while (bytes_ > most_bytes_) {
    bytes_ -= answers_.back().answer.size();
    answers_.pop_back();
  }
}

}  // namespace aaco::serve
