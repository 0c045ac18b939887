// SPDX-License-Identifier: MIT
#include "experiment/overlap/watch/hang.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace aaco {

namespace {

constexpr int64_t kSilentNs = 2'000'000'000;  // a watch speaks twenty times a second

Hang hang(const WatchedRank& rank, HangClass kind, const std::string& what) {
  return {rank.rank, kind, fmt::format("rank {} {}: {}", rank.rank, word_of(kind), what)};
}

// The communicator whose collective a rank is in; none: it is in none.
std::optional<size_t> waits_in(const WatchedRank& rank) {
  for (size_t i = 0; i < rank.communicators.size(); ++i) {
    if (rank.communicators[i].begun > rank.communicators[i].done) {
      return i;
    }
  }
  return std::nullopt;
}

class HangFinder {
 public:
  HangFinder(const std::vector<WatchedRank>& ranks, const std::vector<std::vector<std::string>>& names,
             const std::vector<std::vector<int64_t>>& groups)
      : ranks_(ranks), names_(names), groups_(groups) {}

  Hang find() const {
    for (const WatchedRank& rank : ranks_) {
      if (!rank.alive) {
        return hang(rank, HangClass::kDead, "its process has ended");
      }
    }
    for (const WatchedRank& rank : ranks_) {
      if (rank.stopped || rank.silent_ns > kSilentNs) {
        return hang(rank, HangClass::kSlow,
                    rank.stopped ? std::string("a signal has stopped its process")
                                 : fmt::format("its process has not run for {:.1f} s",
                                               static_cast<double>(rank.silent_ns) / 1e9));
      }
    }
    const auto [least, most] = std::minmax_element(
        ranks_.begin(), ranks_.end(), [](const auto& a, const auto& b) { return a.steps_begun < b.steps_begun; });
    return least->steps_begun < most->steps_begun ? of_steps(*least, *most) : of_one_step();
  }

 private:
  std::string name_of(size_t communicator, int32_t number) const {
    const auto at = static_cast<size_t>(number) - 1;
    const bool known = number > 0 && communicator < names_.size() && at < names_[communicator].size();
    return fmt::format("{} (number {} on communicator {})", known ? names_[communicator][at] : "a collective", number,
                       communicator);
  }

  bool share(size_t communicator, const WatchedRank& a, const WatchedRank& b) const {
    if (communicator >= groups_.size()) {
      return true;
    }
    const std::vector<int64_t>& of_rank = groups_[communicator];
    return of_rank.at(static_cast<size_t>(a.rank)) == of_rank.at(static_cast<size_t>(b.rank));
  }

  // The first pair of ranks that a communicator joins for which `is_held_up(communicator, waiting, other)`, where
  // `waiting` waits in a collective there. Better one that waits for nobody itself: others wait for it in turn.
  template <class Holds>
  std::optional<std::pair<size_t, std::pair<const WatchedRank*, const WatchedRank*>>> find_pair(
      const Holds& is_held_up) const {
    for (const bool others_wait : {false, true}) {
      for (size_t i = 0; i < ranks_.front().communicators.size(); ++i) {
        for (const WatchedRank& waiting : ranks_) {
          for (const WatchedRank& other : ranks_) {
            const ProgressWords& its = waiting.communicators[i];
            if (its.begun > its.done && share(i, waiting, other) && waits_in(other).has_value() == others_wait &&
                is_held_up(i, waiting, other)) {
              return std::pair(i, std::pair(&waiting, &other));
            }
          }
        }
      }
    }
    return std::nullopt;
  }

  // One is a step behind: in a collective that the one ahead never came to, or nowhere near one.
  Hang of_steps(const WatchedRank& behind, const WatchedRank& ahead) const {
    const auto pair = find_pair([](size_t, const WatchedRank& waiting, const WatchedRank& other) {
      return other.steps_begun > waiting.steps_begun;
    });
    if (pair) {
      const auto& [communicator, ranks] = *pair;
      const auto& [waiting, other] = ranks;
      return hang(*other, HangClass::kDidNotEnqueue,
                  fmt::format("it is at step {}, past {} of step {}, in which rank {} waits", other->steps_begun,
                              name_of(communicator, waiting->communicators[communicator].begun), waiting->steps_begun,
                              waiting->rank));
    }
    return hang(behind, HangClass::kDidNotEnqueue,
                fmt::format("its host is at step {}, that of rank {} at step {}", behind.steps_begun, ahead.rank,
                            ahead.steps_begun));
  }

  Hang of_one_step() const {
    const auto past = find_pair([](size_t i, const WatchedRank& waiting, const WatchedRank& other) {
      return other.communicators[i].done >= waiting.communicators[i].begun;
    });
    const auto slow = find_pair([](size_t i, const WatchedRank& waiting, const WatchedRank& other) {
      return other.communicators[i].begun < waiting.communicators[i].begun;
    });
    if (const auto& pair = past ? past : slow) {
      const auto& [communicator, ranks] = *pair;
      const auto& [waiting, other] = ranks;
      return hang(*other, past ? HangClass::kDidNotEnqueue : HangClass::kSlow,
                  fmt::format("{} {} of step {}, in which rank {} waits", past ? "it is past" : "it has not come to",
                              name_of(communicator, waiting->communicators[communicator].begun), waiting->steps_begun,
                              waiting->rank));
    }
    if (const auto communicator = waits_in(ranks_.front())) {
      return hang(ranks_.front(), HangClass::kStuck,
                  fmt::format("all ranks are in {} of step {}, and none comes out",
                              name_of(*communicator, ranks_.front().communicators[*communicator].begun),
                              ranks_.front().steps_begun));
    }
    return hang(ranks_.front(), HangClass::kSlow,
                fmt::format("step {} does not end, and no rank waits in a collective", ranks_.front().steps_begun));
  }

  const std::vector<WatchedRank>& ranks_;
  const std::vector<std::vector<std::string>>& names_;
  const std::vector<std::vector<int64_t>>& groups_;
};

}  // namespace

const char* word_of(HangClass hang) {
  switch (hang) {
    case HangClass::kDidNotEnqueue:
      return "did not enqueue";
    case HangClass::kMismatch:
      return "mismatch";
    case HangClass::kStuck:
      return "stuck in the kernel";
    case HangClass::kDead:
      return "dead";
    case HangClass::kSlow:
      return "slow";
  }
  return "?";
}

Hang find_hang(const std::vector<WatchedRank>& ranks, const std::vector<std::vector<std::string>>& names,
               const std::vector<std::vector<int64_t>>& groups) {
  return HangFinder(ranks, names, groups).find();
}

}  // namespace aaco
