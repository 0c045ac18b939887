// SPDX-License-Identifier: MIT
// watch_cost [DEVICES] [CONFIG] [ROUNDS] [STEPS]: what the watch for hangs costs a sharded training. Ranks are threads,
// a device each ("cpu:0,cpu:1"); every round trains STEPS steps with and as many without the watch, in turns (ABBA),
// and a pair is the medians of both on rank 0. Apart from that the host's calls of a step alone, and the processor time
// of a watch that has a step before it. Prints JSON.
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/statistics.h"
#include "device/backend.h"
#include "kind/sharded/config/read_config.h"
#include "kind/sharded/config/sharded_request.h"
#include "kind/sharded/prepared_rank.h"
#include "kind/sharded/watch/watched_communicator.h"
#include "kind/sharded/watch/watched_dispatcher.h"

namespace aaco {
namespace {

constexpr int64_t kLimitNs = 600'000'000'000;

struct Asked {
  std::vector<std::string> devices{"cpu:0", "cpu:1"};
  std::string config = "configs/overlap/llama_nano.yaml";
  int64_t rounds = 20;
  int64_t steps = 50;
};

struct Pairs {
  std::vector<double> without_ns;
  std::vector<double> with_ns;
};

WatchOptions watch_of(const std::filesystem::path& folder, const PreparedRank& prepared, int64_t rank, int64_t ranks) {
  WatchOptions options;
  options.folder = folder;
  options.rank = rank;
  options.ranks = ranks;
  options.limit_ns = kLimitNs;
  options.collectives = prepared.training.instance->iteration.collectives();
  options.progress = prepared.training.progress.as<ProgressWords>();
  options.on_hang = end_hung_process;
  return options;
}

// A rank's training, and how a step of it is dispatched.
struct Side {
  std::unique_ptr<PreparedRank> prepared;
  std::unique_ptr<RankWatch> watch;
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::unique_ptr<Dispatcher> dispatcher;
  int64_t steps = 0;

  Result<double> median_step(int64_t count) {
    std::vector<double> times;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begun = monotonic_ns();
      AACO_TRY(dispatcher->enqueue());
      AACO_TRY(prepared->target.devices.front()->synchronize());
      ++steps;
      if (watch) {
        watch->end_step(steps);
      }
      times.push_back(static_cast<double>(monotonic_ns() - begun));
    }
    return *median(times);
  }
};

Result<Side> side_of(const JoinedRank& joined, ShardedConfig config, DispatchMode mode, bool watched,
                     const std::filesystem::path& folder) {
  Side side;
  config.watched = watched;
  AACO_ASSIGN(side.prepared, prepare_rank(joined, config));
  if (watched) {
    AACO_ASSIGN(side.watch, RankWatch::start(watch_of(folder, *side.prepared, joined.rank, joined.ranks)));
    for (size_t i = 0; i < joined.communicators.size() && mode != DispatchMode::kGraph; ++i) {
      side.communicators.push_back(
          std::make_unique<WatchedCommunicator>(*joined.communicators[i], *side.watch, static_cast<int32_t>(i)));
      side.prepared->target.communicators[i] = side.communicators.back().get();
    }
  }
  AACO_ASSIGN(side.dispatcher, make_rank_dispatcher(*side.prepared, mode, side.steps));
  if (watched) {
    side.dispatcher =
        std::make_unique<WatchedDispatcher>(std::move(side.dispatcher), mode == DispatchMode::kGraph, *side.watch,
                                            *side.prepared->target.streams.front(), ShardedInjection(), side.steps);
  }
  return side;
}

Result<Pairs> train(const Asked& asked, const sharded::ShardedRunConfig& config, const std::vector<RankId>& ids,
                    int64_t rank, const std::filesystem::path& folder) {
  const auto ranks = static_cast<int32_t>(asked.devices.size());
  sharded::RankPlace place;
  place.rank = static_cast<int32_t>(rank);
  place.ranks = ranks;
  AACO_ASSIGN(const ShardedConfig sharded, sharded::sharded_config_of(config, place));
  const std::string& id = asked.devices[static_cast<size_t>(rank)];
  AACO_ASSIGN(Backend * backend, backend_of(id));
  JoinedRank joined;
  joined.rank = rank;
  joined.ranks = ranks;
  AACO_ASSIGN(joined.device, open_device(id));
  for (size_t i = 0; i < communicator_ranks(sharded).size(); ++i) {
    AACO_ASSIGN(joined.communicators.emplace_back(),
                backend->join_communicator(*joined.device, ids.at(i), place.rank, ranks, {}));
  }
  const DispatchMode mode = sharded::dispatch_of(config);
  std::array<Side, 2> sides;  // without, with
  for (const bool watched : {false, true}) {
    AACO_ASSIGN(sides.at(watched ? 1 : 0), side_of(joined, sharded, mode, watched, folder));
  }
  Pairs pairs;
  for (int64_t round = -1; round < asked.rounds; ++round) {  // one before: it warms up
    for (const size_t turn : {0, 1}) {
      const size_t side = (turn + static_cast<size_t>(round + 1)) % 2;
      AACO_ASSIGN(const double step_ns, sides.at(side).median_step(asked.steps));
      if (round >= 0) {
        (side == 0 ? pairs.without_ns : pairs.with_ns).push_back(step_ns);
      }
    }
  }
  return pairs;
}

// Nanoseconds of one step's calls, without what they are about.
Result<double> host_ns(const std::vector<CollectiveCommand>& collectives, const std::filesystem::path& folder) {
  constexpr int64_t kSteps = 20'000;
  WatchOptions options;
  options.folder = folder;
  options.limit_ns = kLimitNs;
  options.collectives = collectives;
  AACO_ASSIGN(const auto watch, RankWatch::start(std::move(options)));
  const int64_t begun = monotonic_ns();
  for (int64_t step = 1; step <= kSteps; ++step) {
    watch->begin_step(step);
    for (const CollectiveCommand& command : collectives) {
      watch->enqueued(command.communicator, command.collective, command.count, command.dtype);
    }
    watch->enqueued_whole_step();
    watch->end_step(step);
  }
  return static_cast<double>(monotonic_ns() - begun) / kSteps;
}

// Of a processor, how much a watch takes while its step goes on.
Result<double> thread_share(const std::vector<CollectiveCommand>& collectives, const std::filesystem::path& folder) {
  constexpr auto kTime = std::chrono::seconds(10);
  const auto processor_ns = [] {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  };
  WatchOptions options;
  options.folder = folder;
  options.limit_ns = kLimitNs;
  options.collectives = collectives;
  std::array<ProgressWords, kMostWatched> words{};
  options.progress = words.data();
  AACO_ASSIGN(const auto watch, RankWatch::start(std::move(options)));
  watch->begin_step(1);
  watch->launched_whole_step();
  const double begun = processor_ns();
  std::this_thread::sleep_for(kTime);
  return (processor_ns() - begun) / static_cast<double>(std::chrono::nanoseconds(kTime).count());
}

Result<Json> measure(const Asked& asked) {
  AACO_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  AACO_ASSIGN(const sharded::ConfigReading reading, sharded::read_sharded_run_config(asked.config, {}));
  sharded::ShardedRunConfig config = reading.config;
  config.training.max_steps = 2 * (asked.rounds + 1) * (asked.steps + 1);
  AACO_ASSIGN(Backend * backend, backend_of(asked.devices.front()));
  std::vector<RankId> ids;
  for (int i = 0; i < 2; ++i) {
    AACO_ASSIGN(ids.emplace_back(), backend->make_rank_id());
  }
  std::vector<Result<Pairs>> trained(asked.devices.size(), Result<Pairs>(Pairs()));
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < asked.devices.size(); ++rank) {
    threads.emplace_back(
        [&, rank] { trained[rank] = train(asked, config, ids, static_cast<int64_t>(rank), folder.path()); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Result<Pairs>& one : trained) {
    AACO_TRY(one ? Result<void>() : Result<void>(one.error()));
  }
  const Pairs& pairs = *trained.front();
  sharded::RankPlace place;
  place.ranks = static_cast<int32_t>(asked.devices.size());
  AACO_ASSIGN(ShardedConfig sharded, sharded::sharded_config_of(config, place));
  AACO_ASSIGN(Device * device, open_device("cpu:0"));
  AACO_ASSIGN(const ShardedTraining training, build_sharded(*device, sharded));
  const std::vector<CollectiveCommand>& collectives = training.instance->iteration.collectives();
  AACO_ASSIGN(const double calls_ns, host_ns(collectives, folder.path()));
  AACO_ASSIGN(const double share, thread_share(collectives, folder.path()));
  const double step_ns = *median(pairs.without_ns);
  const auto ratio = paired_log_ratio(pairs.without_ns, pairs.with_ns, 0.95);
  Json json{{"devices", asked.devices},
            {"config", asked.config},
            {"rounds", asked.rounds},
            {"steps", asked.steps},
            {"collectives", collectives.size()},
            {"step_without_ns", step_ns},
            {"step_with_ns", *median(pairs.with_ns)},
            {"host_calls_ns", calls_ns},
            {"host_calls_share", calls_ns / step_ns},
            {"thread_processor_share", share},
            {"pairs", {{"without_ns", pairs.without_ns}, {"with_ns", pairs.with_ns}}}};
  if (ratio) {
    json["ratio"] = {{"value", ratio->ratio}, {"low", ratio->interval.low}, {"high", ratio->interval.high}};
  }
  return json;
}

Result<Asked> asked_in(const std::vector<std::string>& words) {
  Asked asked;
  if (words.size() > 1) {
    asked.devices.clear();
    std::istringstream ids(words[1]);
    for (std::string id; std::getline(ids, id, ',');) {
      asked.devices.push_back(id);
    }
  }
  asked.config = words.size() > 2 ? words[2] : asked.config;
  asked.rounds = words.size() > 3 ? std::stoll(words[3]) : asked.rounds;
  asked.steps = words.size() > 4 ? std::stoll(words[4]) : asked.steps;
  if (asked.devices.empty() || asked.rounds < 3 || asked.steps < 1) {
    return Error{ErrorKind::kUsage, "DEVICES as cpu:0,cpu:1, 3 rounds at least, 1 step at least", ""};
  }
  return asked;
}

}  // namespace
}  // namespace aaco

int main(int argc, char** argv) {
  const auto asked = aaco::asked_in({argv, argv + argc});
  const auto measured = asked ? aaco::measure(*asked) : aaco::Result<aaco::Json>(asked.error());
  if (!measured) {
    std::fprintf(stderr, "watch_cost: %s\n", measured.error().message.c_str());
    return measured.error().exit_code();
  }
  fmt::print("{}", aaco::indented_json_text(*measured));
  return 0;
}
