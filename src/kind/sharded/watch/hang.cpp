// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/hang.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text/enum_words.h"

namespace aaco {

namespace {

constexpr int64_t kSilentNs = 2'000'000'000;  // a watch speaks ten times a second
constexpr EnumWords<HangClass, 5> kWords{{"did not enqueue", "mismatch", "stuck in the kernel", "dead", "slow"}};

bool has_ended(const WatchedRank& rank) { return rank.teardown == TeardownStage::kEnded; }
bool in_teardown(const WatchedRank& rank) { return rank.teardown != TeardownStage::kNone; }

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
    if (const auto hang = of_process()) {
      return *hang;
    }
    if (const auto hang = find_mismatch(ranks_, names_)) {
      return *hang;
    }
    if (std::all_of(ranks_.begin(), ranks_.end(), in_teardown)) {
      return of_teardown();
    }
    if (const auto hang = of_set_up()) {
      return *hang;
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

  std::optional<Hang> of_process() const {
    for (const WatchedRank& rank : ranks_) {
      if (!rank.alive && !has_ended(rank)) {
        return hang_of(rank.rank, HangClass::kDead,
                       in_teardown(rank) ? "its process has ended in its teardown" : "its process has ended");
      }
    }
    for (const WatchedRank& rank : ranks_) {
      if (!has_ended(rank) && (rank.stopped || rank.silent_ns > kSilentNs)) {
        return hang_of(rank.rank, HangClass::kSlow,
                       rank.stopped ? std::string("a signal has stopped its process")
                                    : fmt::format("its process has not run for {:.1f} s",
                                                  static_cast<double>(rank.silent_ns) / 1e9));
      }
    }
    return std::nullopt;
  }

  // One that has begun a step is held up by what that step says.
  std::optional<Hang> of_set_up() const {
    for (const WatchedRank& rank : ranks_) {
      if (rank.sets_up && rank.steps_begun == 0) {
        return hang_of(rank.rank, HangClass::kSlow, "its set-up does not end: it has begun no step");
      }
    }
    return std::nullopt;
  }

  Hang of_teardown() const {
    const auto least = std::min_element(ranks_.begin(), ranks_.end(),
                                        [](const auto& a, const auto& b) { return a.teardown < b.teardown; });
    return hang_of(least->rank, HangClass::kSlow,
                   fmt::format("its teardown behind step {} does not end: {}", least->steps_done,
                               least->teardown == TeardownStage::kBegun ? "streams and memory are not freed"
                                                                        : "it is still in its communicators"));
  }

  bool share(size_t communicator, const WatchedRank& a, const WatchedRank& b) const {
    if (communicator >= groups_.size()) {
      return true;
    }
    const std::vector<int64_t>& of_rank = groups_[communicator];
    return of_rank.at(static_cast<size_t>(a.rank)) == of_rank.at(static_cast<size_t>(b.rank));
  }

  // `waiting` waits for `other` in a collective of the communicator.
  struct BlockedPair {
    size_t communicator = 0;
    const WatchedRank* waiting = nullptr;
    const WatchedRank* other = nullptr;

    int32_t number() const { return waiting->communicators[communicator].begun; }
  };

  // The first pair of ranks that a communicator joins for which `holds(pair)`. Better one whose other waits for nobody
  // itself: others wait for it in turn.
  template <class Holds>
  std::optional<BlockedPair> find_pair(const Holds& holds) const {
    for (const bool others_wait : {false, true}) {
      for (size_t i = 0; i < ranks_.front().communicators.size(); ++i) {
        for (const WatchedRank& waiting : ranks_) {
          for (const WatchedRank& other : ranks_) {
            const BlockedPair pair{i, &waiting, &other};
            const ProgressWords& its = waiting.communicators[i];
            if (its.begun > its.done && share(i, waiting, other) && waits_in(other).has_value() == others_wait &&
                holds(pair)) {
              return pair;
            }
          }
        }
      }
    }
    return std::nullopt;
  }

  std::string place_of(const BlockedPair& pair) const {
    return fmt::format("{} of step {}, in which rank {} waits", name_of(pair.communicator, pair.number()),
                       pair.waiting->steps_begun, pair.waiting->rank);
  }

  // One is a step behind: in a collective that the one ahead never came to, or nowhere near one.
  Hang of_steps(const WatchedRank& behind, const WatchedRank& ahead) const {
    const auto pair =
        find_pair([](const BlockedPair& held) { return held.other->steps_begun > held.waiting->steps_begun; });
    if (pair) {
      return hang_of(pair->other->rank, HangClass::kDidNotEnqueue,
                     fmt::format("it is at step {}, past {}", pair->other->steps_begun, place_of(*pair)));
    }
    return hang_of(behind.rank, HangClass::kDidNotEnqueue,
                   fmt::format("its host is at step {}, that of rank {} at step {}", behind.steps_begun, ahead.rank,
                               ahead.steps_begun));
  }

  Hang of_one_step() const {
    const auto past = find_pair(
        [](const BlockedPair& held) { return held.other->communicators[held.communicator].done >= held.number(); });
    if (past) {
      return hang_of(past->other->rank, HangClass::kDidNotEnqueue, fmt::format("it is past {}", place_of(*past)));
    }
    const auto not_come = find_pair(
        [](const BlockedPair& held) { return held.other->communicators[held.communicator].begun < held.number(); });
    if (not_come) {
      return of_one_that_has_not_come(*not_come);
    }
    const WatchedRank& first = ranks_.front();
    if (const auto communicator = waits_in(first)) {
      return hang_of(first.rank, HangClass::kStuck,
                     fmt::format("all ranks are in {} of step {}, and none comes out",
                                 name_of(*communicator, first.communicators[*communicator].begun), first.steps_begun));
    }
    return of_none_waiting();
  }

  // Its device is held up by what lies before, where its host has enqueued the collective.
  Hang of_one_that_has_not_come(const BlockedPair& pair) const {
    const std::vector<HungCollective>& its = pair.other->collectives;
    const auto reaches_it = [&](const HungCollective& collective) {
      return collective.step == pair.waiting->steps_begun && collective.number >= pair.number() &&
             collective.communicator == static_cast<int64_t>(pair.communicator);
    };
    // Of a long step only the last ones are known.
    const bool enqueued =
        pair.other->steps_enqueued >= pair.waiting->steps_begun || std::any_of(its.begin(), its.end(), reaches_it);
    return hang_of(
        pair.other->rank, enqueued ? HangClass::kStuck : HangClass::kDidNotEnqueue,
        fmt::format("{} {}", enqueued ? "its device does not come to" : "its host has not come to", place_of(pair)));
  }

  Hang of_none_waiting() const {
    const auto at_fault =
        std::find_if(ranks_.begin(), ranks_.end(), [](const auto& rank) { return rank.steps_done < rank.steps_begun; });
    const WatchedRank& rank = at_fault == ranks_.end() ? ranks_.front() : *at_fault;
    const bool enqueued = rank.steps_enqueued >= rank.steps_begun;
    return hang_of(rank.rank, enqueued ? HangClass::kStuck : HangClass::kSlow,
                   fmt::format("step {} does not end, {}, and no rank waits in a collective", rank.steps_begun,
                               enqueued ? "of which all is enqueued" : "nor does its host come to its end"));
  }

  const std::vector<WatchedRank>& ranks_;
  const std::vector<std::vector<std::string>>& names_;
  const std::vector<std::vector<int64_t>>& groups_;
};

}  // namespace

const char* word_of(HangClass hang) { return kWords.word(hang); }

Hang hang_of(int64_t rank, HangClass kind, const std::string& what) {
  return {rank, kind, fmt::format("rank {} {}: {}", rank, word_of(kind), what)};
}

Hang find_hang(const std::vector<WatchedRank>& ranks, const std::vector<std::vector<std::string>>& names,
               const std::vector<std::vector<int64_t>>& groups) {
  return HangFinder(ranks, names, groups).find();
}

bool wait_for_set_up(const std::vector<WatchedRank>& ranks) {
  const bool all_run =
      std::all_of(ranks.begin(), ranks.end(), [](const auto& rank) { return rank.alive && !rank.stopped; });
  return all_run && std::any_of(ranks.begin(), ranks.end(), [](const auto& rank) { return rank.sets_up; });
}

std::optional<Hang> find_mismatch(const std::vector<WatchedRank>& ranks,
                                  const std::vector<std::vector<std::string>>& names) {
  for (const WatchedRank& rank : ranks) {
    for (const HungCollective& collective : rank.collectives) {
      const auto communicator = static_cast<size_t>(collective.communicator);
      const auto at = static_cast<size_t>(collective.number) - 1;
      if (communicator < names.size() && at < names[communicator].size() &&
          collective.text() != names[communicator][at]) {
        return hang_of(
            rank.rank, HangClass::kMismatch,
            fmt::format("it enqueued {} where step {} has {} (number {} on communicator {})", collective.text(),
                        collective.step, names[communicator][at], collective.number, communicator));
      }
    }
  }
  return std::nullopt;
}

}  // namespace aaco
