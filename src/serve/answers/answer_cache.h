// SPDX-License-Identifier: MIT
// Answers that were computed, for as long as what they are about is the same.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>

namespace aaco::serve {

// The last used stay, so many bytes of them.
class AnswerCache {
 public:
  explicit AnswerCache(size_t most_bytes) : most_bytes_(most_bytes) {}

  std::optional<std::string> find(const std::string& key);
  void keep(const std::string& key, const std::string& answer);

 private:
  struct KeptAnswer {
    std::string key;
    std::string answer;
  };
  size_t most_bytes_;
  size_t bytes_ = 0;
  std::list<KeptAnswer> answers_;  // the last used first
};

}  // namespace aaco::serve
