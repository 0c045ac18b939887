// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/injection.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/text/number_text.h"

namespace aaco {

AACO_JSON_FIELDS(ShardedInjection, kind, rank, step, seconds)

namespace {

constexpr int64_t kSpinNs = 3'600'000'000'000;
constexpr const char* kSetUp = "setup";
constexpr const char* kTeardown = "teardown";

void sleep_until_interrupted(std::chrono::seconds longest = std::chrono::hours(1'000)) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!interrupted() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool parse_number(const std::string& text, int64_t least, int64_t& number) {
  const std::optional<int64_t> read = number_of_text<int64_t>(text);
  number = read.value_or(0);
  return read && number >= least;
}

class InjectedCommunicator : public Communicator {
 public:
  InjectedCommunicator(Communicator& inner, bool skips, int64_t at) : inner_(inner), skips_(skips), at_(at) {}

  const CommunicatorInfo& info() const override { return inner_.info(); }
  void enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count, Dtype dtype) override {
    if (++calls_ != at_) {
      inner_.enqueue(collective, parts, count, dtype);
    } else if (!skips_) {
      inner_.enqueue(collective, parts, count / 2, dtype);
    }
  }

 private:
  Communicator& inner_;
  bool skips_;
  int64_t at_;
  int64_t calls_ = 0;
};

}  // namespace

const std::vector<std::string>& injection_kinds() {
  static const std::vector<std::string> kinds{"stop", "kill", "sleep", "skip", "size", "spin", kSetUp, kTeardown};
  return kinds;
}

Result<ShardedInjection> parse_injection(const std::string& text) {
  const size_t first = text.find(':');
  const size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  ShardedInjection injection;
  injection.kind = text.substr(0, first);
  const std::vector<std::string>& kinds = injection_kinds();
  bool fits = std::find(kinds.begin(), kinds.end(), injection.kind) != kinds.end() && first != std::string::npos &&
              parse_number(text.substr(first + 1, second - first - 1), 0, injection.rank);
  if (injection.kind == kTeardown) {
    injection.step = 0;
    fits = fits && second == std::string::npos;
  } else if (injection.kind == kSetUp) {
    injection.step = 0;
    fits = fits && second != std::string::npos && parse_number(text.substr(second + 1), 1, injection.seconds);
  } else {
    fits = fits && second != std::string::npos && parse_number(text.substr(second + 1), 1, injection.step);
  }
  if (!fits) {
    return Error{ErrorKind::kUsage, fmt::format("{}: no fault that can be injected", text),
                 fmt::format("KIND:RANK:STEP with a kind of {}, setup:RANK:SECONDS or teardown:RANK; ranks count from "
                             "0, steps from 1",
                             fmt::join(kinds.begin(), kinds.end() - 2, ", "))};
  }
  return injection;
}

void inject_into_process(const ShardedInjection& injection) {
  if (injection.kind == "stop") {
    std::raise(SIGSTOP);
  } else if (injection.kind == "kill") {
    std::raise(SIGKILL);
  } else if (injection.kind == "sleep") {
    sleep_until_interrupted();
  }
}

void inject_into_set_up(const ShardedInjection& injection) {
  if (injection.kind == kSetUp) {
    sleep_until_interrupted(std::chrono::seconds(injection.seconds));
  }
}

void inject_into_stream(Stream& stream, const ShardedInjection& injection) {
  if (injection.kind == "spin") {
    stream.launch(SpinArgs{nullptr, kSpinNs, 1});
  }
}

void inject_into_teardown(const ShardedInjection& injection) {
  if (injection.kind == kTeardown) {
    sleep_until_interrupted();
  }
}

std::unique_ptr<Communicator> inject_into_collectives(Communicator& inner, const ShardedInjection& injection,
                                                      int64_t each, int64_t first) {
  return std::make_unique<InjectedCommunicator>(inner, injection.kind == "skip", (injection.step - first + 1) * each);
}

}  // namespace aaco
