// SPDX-License-Identifier: MIT
// Where the streams of several ranks meet: nobody goes on before all have come. Used again and again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/result.h"

namespace aaco {

class Rendezvous {
 public:
  explicit Rendezvous(int32_t ranks) : ranks_(ranks) {}

  // Waits for all. Errors: what kept one of them away.
  Result<void> meet();
  // One will not come: from now on nobody waits.
  void abandon(const Error& failure);

 private:
  const int32_t ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int32_t here_ = 0;
  uint64_t meetings_ = 0;
  std::optional<Error> abandoned_;
};

}  // namespace aaco
