// SPDX-License-Identifier: MIT
#include "experiment/overlap/watch/injection.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

#include "base/interrupt.h"
#include "base/json.h"

namespace aaco {

AACO_JSON_FIELDS(OverlapInjection, kind, rank, step)

namespace {

constexpr int64_t kSpinNs = 3'600'000'000'000;
constexpr const char* kTeardown = "teardown";

void sleep_until_interrupted() {
  while (!interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool parse_number(const std::string& text, int64_t least, int64_t& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() && number >= least;
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
  static const std::vector<std::string> kinds{"stop", "kill", "sleep", "skip", "size", "spin", kTeardown};
  return kinds;
}

Result<OverlapInjection> parse_injection(const std::string& text) {
  const size_t first = text.find(':');
  const size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  OverlapInjection injection;
  injection.kind = text.substr(0, first);
  const std::vector<std::string>& kinds = injection_kinds();
  bool fits = std::find(kinds.begin(), kinds.end(), injection.kind) != kinds.end() && first != std::string::npos &&
              parse_number(text.substr(first + 1, second - first - 1), 0, injection.rank);
  if (injection.kind == kTeardown) {
    injection.step = 0;
    fits = fits && second == std::string::npos;
  } else {
    fits = fits && second != std::string::npos && parse_number(text.substr(second + 1), 1, injection.step);
  }
  if (!fits) {
    return Error{ErrorKind::kUsage, fmt::format("{}: no fault that can be injected", text),
                 fmt::format("KIND:RANK:STEP with a kind of {}, or teardown:RANK; ranks count from 0, steps from 1",
                             fmt::join(kinds.begin(), kinds.end() - 1, ", "))};
  }
  return injection;
}

void inject_into_process(const OverlapInjection& injection) {
  if (injection.kind == "stop") {
    std::raise(SIGSTOP);
  } else if (injection.kind == "kill") {
    std::raise(SIGKILL);
  } else if (injection.kind == "sleep") {
    sleep_until_interrupted();
  }
}

void inject_into_stream(Stream& stream, const OverlapInjection& injection) {
  if (injection.kind == "spin") {
    stream.launch(SpinArgs{nullptr, kSpinNs, 1});
  }
}

void inject_into_teardown(const OverlapInjection& injection) {
  if (injection.kind == kTeardown) {
    sleep_until_interrupted();
  }
}

std::unique_ptr<Communicator> inject_into_collectives(Communicator& inner, const OverlapInjection& injection,
                                                      int64_t each) {
  return std::make_unique<InjectedCommunicator>(inner, injection.kind == "skip", injection.step * each);
}

}  // namespace aaco
