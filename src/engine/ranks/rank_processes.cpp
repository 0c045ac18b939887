// SPDX-License-Identifier: MIT
#include "engine/ranks/rank_processes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "base/json/json.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

// Of one rank among others.
Error death_of(int64_t rank, int signal) {
  return {ErrorKind::kResource,
          fmt::format("rank {} dead: signal {} ({}) ended its process", rank, signal, ::strsignal(signal)),
          "out of memory (see dmesg), a fault in a driver or a library, or somebody's kill"};
}

}  // namespace

RankEndings::RankEndings(int64_t ranks) : by_rank_(static_cast<size_t>(ranks)), missing_(static_cast<size_t>(ranks)) {}

void RankEndings::add(int64_t rank, const Result<Json>& end, bool died) {
  const std::lock_guard lock(mutex_);
  std::optional<Result<JsonValue>>& kept = by_rank_.at(static_cast<size_t>(rank));
  if (kept) {
    return;
  }
  kept = end ? Result<JsonValue>(JsonValue(*end)) : Result<JsonValue>(end.error());
  if (!end && !cause_) {
    cause_ = end.error();
    dead_rank_ = died ? std::optional(rank) : std::nullopt;
  }
  --missing_;
  changed_.notify_all();
}

bool RankEndings::wait() {
  constexpr auto kGrace = std::chrono::seconds(4);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return all_ended() || cause_; });
  }
  return wait_for_all(kGrace);
}

bool RankEndings::wait_for_all(std::chrono::nanoseconds longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [&] { return all_ended(); });
}

RankEnds RankEndings::take(const Error& otherwise) {
  const std::lock_guard lock(mutex_);
  RankEnds ends;
  ends.cause = cause_;
  ends.dead_rank = dead_rank_;
  for (const std::optional<Result<JsonValue>>& end : by_rank_) {
    if (!end && !ends.cause) {
      ends.cause = otherwise;
    }
    ends.by_rank.push_back(end ? *end : Result<JsonValue>(otherwise));
  }
  return ends;
}

Result<std::unique_ptr<RankProcesses>> RankProcesses::start(const SpawnOptions& options, const std::string& worker_role,
                                                            RankSpan ranks, const OnEnd& on_end) {
  AACO_ASSIGN(EventFile stop, EventFile::create());
  std::unique_ptr<RankProcesses> processes(new RankProcesses(std::move(stop)));
  SpawnOptions each = options;
  each.measured_pid = nullptr;  // of several, none
  each.stop_fd = processes->stop_.descriptor();
  for (int64_t rank = ranks.first; rank < ranks.first + ranks.count; ++rank) {
    auto thread = start_thread([each, worker_role, rank, on_end] {
      int signal = 0;
      const Result<Json> end = run_worker_process(each, worker_role, rank, &signal);
      on_end(rank, signal == 0 ? end : Result<Json>(death_of(rank, signal)), signal != 0);
    });
    if (thread) {
      processes->threads_.push_back(std::move(*thread));
    } else {
      on_end(rank, thread.error(), false);
    }
  }
  return processes;
}

RankProcesses::~RankProcesses() {
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void RankProcesses::stop() const { wake(stop_.descriptor()); }

RankEnds run_rank_processes(const SpawnOptions& options, const std::string& worker_role, int64_t ranks) {
  RankEndings endings(ranks);
  {
    const auto processes =
        RankProcesses::start(options, worker_role, {0, ranks},
                             [&](int64_t rank, const Result<Json>& end, bool died) { endings.add(rank, end, died); });
    if (!processes) {
      return endings.take(processes.error());
    }
    if (!endings.wait()) {
      (*processes)->stop();
    }
  }
  return endings.take({ErrorKind::kBug, "a rank has not ended", ""});
}

}  // namespace aaco
