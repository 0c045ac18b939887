// SPDX-License-Identifier: MIT
#include "kind/observation/programs/attached_process.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <unistd.h>

#include "base/attach/library_loader.h"
#include "base/attach/process_maps.h"
#include "base/clock.h"
#include "base/command_signals.h"
#include "device/observe_request.h"
#include "device/observe_variables.h"
#include "record/device/dormant_page.h"

namespace aaco {

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kAnswerNs = 5 * kSecondNs;  // for the library, from its call to its ring
constexpr int64_t kQuietNs = 10 * kSecondNs;  // for its last flush: a crowded machine lets its thread wait
constexpr int64_t kLookForCudaNs = kSecondNs / 4;
constexpr useconds_t kDrainEveryUs = 20'000;

// The last signal that is meant for aaco alone; 0: none.
int wanted_end() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (CommandSignals::count(number) > 0) {
      return number;
    }
  }
  return 0;
}

Result<void> load_or_wake(const TargetProcess& target, const ObserveTask& task, ObservationDocument& document) {
  if (wake_dormant(target.pid, target.start_ticks, target.user, observe_text(task))) {
    document.attached_by = kAttachedByDormant;
    return {};
  }
  if (const std::optional<Error> refusal = refuse_tracing(target)) {
    return *refusal;
  }
  AACO_ASSIGN(const AttachFacts facts, load_into(target, {document.injection, kObserveFunction, observe_text(task)}));
  document.attached_by = kAttachedByPtrace;
  document.thread_stops = facts.stops;
  document.stopped_thread_ns = facts.stopped_ns;
  return {};
}

// A program without CUDA is not to load it on our account.
bool has_cuda(const TargetProcess& target) {
  const std::string maps = read_proc_text(fmt::format("/proc/{}/maps", target.pid));
  return mapping_of_file(parse_maps(maps), "libcuda.so") != nullptr;
}

// Until the library has its ring, or says why not.
Result<void> await_answer(const TargetProcess& target, RingDrain& drain) {
  for (const int64_t until_ns = monotonic_ns() + kAnswerNs; monotonic_ns() < until_ns;) {
    AACO_TRY(drain.drain());
    if (drain.has_rings()) {
      return {};
    }
    if (const std::vector<std::string> problems = drain.problems(); !problems.empty()) {
      return Error{ErrorKind::kUnavailable, fmt::format("cannot attach to {}: {}", target.text(), problems.front()),
                   "end the other observer, or make room in /dev/shm"};
    }
    if (!target.is_alive()) {
      return Error{ErrorKind::kUnavailable, fmt::format("{} ended while it was attached to", target.text()),
                   "name a process that runs longer"};
    }
    ::usleep(kDrainEveryUs / 10);
  }
  return Error{ErrorKind::kUnavailable,
               fmt::format("{} does not answer: the observer's library is in it, and made no ring", target.text()),
               "is /dev/shm the same for both, and writable for its user?"};
}

}  // namespace

Result<TargetProcess> find_attached_target(const ObservationRequest& request) {
  AACO_ASSIGN(TargetProcess target, read_target(static_cast<pid_t>(*request.pid)));
  if (std::optional<Error> refusal = refuse_target(target)) {
    return std::move(*refusal);
  }
  return target;
}

Result<void> observe_attached(const ObservationRequest& request, const TargetProcess& target, const RingFolder& rings,
                              RingDrain& drain, const std::function<void(int64_t pid)>& meanwhile,
                              ObservationDocument& document) {
  const CommandSignals signals;  // they end the recording, not aaco
  document.attached_by = kAttachedToHostOnly;
  bool awaits_cuda = !document.injection.empty();
  const auto attach = [&]() -> Result<void> {
    awaits_cuda = false;
    AACO_TRY(rings.give_to(target.user, target.group));
    AACO_TRY(load_or_wake(
        target, {rings.path().string(), ring_bytes_of_environment(), request.budget_ppm, false, request.whole_graphs},
        document));
    return await_answer(target, drain);
  };
  if (awaits_cuda && has_cuda(target)) {
    AACO_TRY(attach());
  }
  if (const std::optional<Error> refusal = awaits_cuda ? refuse_tracing(target) : std::nullopt) {
    if (!request.planes.host && !request.planes.kernel) {
      return *refusal;
    }
    document.no_device_reason = refusal->message;
    awaits_cuda = false;
  }
  if (awaits_cuda && !request.planes.host && !request.planes.kernel) {
    return Error{
        ErrorKind::kUnavailable,
        fmt::format("{} has not loaded CUDA (no libcuda.so), so that there is nothing to record", target.text()),
        "leave out --planes: then it is seen from outside, and attached to when it loads CUDA"};
  }
  document.from_ns = monotonic_ns();
  int64_t look_ns = document.from_ns;
  const int64_t until_ns =
      request.duration_s ? document.from_ns + static_cast<int64_t>(*request.duration_s * 1e9) : INT64_MAX;
  Result<void> done;
  bool is_alive = true;
  while (done && is_alive && wanted_end() == 0 && monotonic_ns() < until_ns && !drain.limit_reached()) {
    ::usleep(kDrainEveryUs);
    is_alive = target.is_alive();
    meanwhile(target.pid);
    done = drain.drain();
    if (done && awaits_cuda && monotonic_ns() - look_ns > kLookForCudaNs) {
      look_ns = monotonic_ns();
      done = has_cuda(target) ? attach() : done;
    }
  }
  document.to_ns = monotonic_ns();
  document.interrupt_signal = wanted_end();
  document.interrupted = document.interrupt_signal != 0;
  document.outlived = is_alive;
  if (!is_alive) {
    return done ? drain.drain() : done;
  }
  drain.stop();
  for (const int64_t quiet_ns = monotonic_ns() + kQuietNs; !drain.is_quiet() && monotonic_ns() < quiet_ns;) {
    ::usleep(kDrainEveryUs / 10);
    done = done ? drain.drain() : done;
  }
  return done ? drain.drain() : done;
}

}  // namespace aaco
