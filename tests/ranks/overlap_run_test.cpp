// SPDX-License-Identifier: MIT
// A sharded training with one process per rank, on the CPU, as a session.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "base/max_or_nan.h"
#include "kind/sharded/report/sharded_report.h"
#include "kind/sharded/sharded_run.h"
#include "kind/test_all_kinds.h"
#include "report/sinks.h"
#include "session/bundle/layout.h"
#include "session/trace_tables.h"

namespace aaco {
namespace {

using testing::HasSubstr;

constexpr double kLossBound = 5e-6;
constexpr int64_t kBatch = 4;  // of all ranks

ShardedRequest request_of(const TemporaryFolder& folder, int32_t ranks) {
  ShardedRequest request;
  sharded::ShardedRunConfig& config = request.config;
  config.model.kind = sharded::ModelKind::kLlama;
  config.model.vocab_size = 64;
  config.model.model_dim = 32;
  config.model.num_heads = 4;
  config.model.num_kv_heads = 2;
  config.model.num_layers = 3;
  config.model.mlp_hidden_dim = 64;
  config.dataset.sequence_length = 16;
  config.training.mixed_precision = sharded::TrainingPrecision::kFp32;
  config.training.batch_size = kBatch / ranks;
  config.training.max_steps = 12;
  config.training.unmeasured_steps = 2;
  config.training.output_dir = (folder.path() / "artifacts").string();
  config.training.grad_clip_norm = 0;
  config.scheduler.warmup_steps = 0;
  config.scheduler.total_steps = 0;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    request.devices.push_back(fmt::format("cpu:{}", rank));
  }
  request.sessions = (folder.path() / "sessions").string();
  request.command_line = {"aaco", "overlap", "run"};
  return request;
}

Result<ShardedDocument> run(const ShardedRequest& request) {
  return run_sharded(request, [](const std::string&, double) {});
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = max_or_nan(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

void expect_figures(const ShardedDocument& document, int64_t ranks) {
  ASSERT_TRUE(document.figures);
  const OverlapFigures& figures = *document.figures;
  EXPECT_EQ(figures.unavailable, std::vector<std::string>());
  ASSERT_EQ(figures.ranks.size(), static_cast<size_t>(ranks));
  for (const RankOverlap& rank : figures.ranks) {
    const StepShares& mean = rank.mean;
    EXPECT_GT(mean.computation_ns, 0);
    EXPECT_GT(mean.communication_ns, 0);
    EXPECT_NEAR(mean.computation_ns + mean.exposed_communication_ns + mean.exposed_copy_ns + mean.idle_ns,
                mean.window_ns, 1);
  }
  EXPECT_GT(figures.transfer_ns, 0);
  ASSERT_TRUE(figures.speedup);
  const OverlapSpeedup& speedup = *figures.speedup;
  EXPECT_NE(speedup.share.has_value(), !speedup.no_share.empty());
  EXPECT_TRUE(!speedup.share || (*speedup.share >= 0 && *speedup.share <= 1)) << *speedup.share;
  EXPECT_NE(figures.contention_tax_ns.has_value(), !figures.no_contention_tax.empty());
  EXPECT_EQ(figures.turns.size(), static_cast<size_t>(8 * ranks));  // four pairs, ABBA
  for (const size_t i : {0, 1, 2, 3}) {
    EXPECT_EQ(figures.turns[i].overlapped, i == 0 || i == 3);
    EXPECT_FALSE(figures.turns[i].clock_mhz);  // a CPU does not tell
  }
}

// By name and size, how many collectives a step has.
std::map<std::string, int64_t> counts_of(const ShardedDocument& document) {
  std::map<std::string, int64_t> counts;
  for (const CollectiveOverlap& collective : document.figures->collectives) {
    counts[collective.name] += collective.count;
    EXPECT_TRUE(collective.bytes);
    EXPECT_TRUE(collective.bus_bandwidth);
  }
  return counts;
}

TEST(ShardedRun, TrainsInEveryModeAsOneRankDoes) {
  const auto folder = TemporaryFolder::create();
  const auto one = run(request_of(*folder, 1));
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->losses.size(), 12);
  EXPECT_EQ(one->figures->collectives.size(), 0);
  for (const int32_t ranks : {2, 4}) {
    for (const sharded::ParallelMode mode : {sharded::ParallelMode::kFsdp, sharded::ParallelMode::kDdp}) {
      ShardedRequest request = request_of(*folder, ranks);
      request.config.distributed.mode = mode;
      const auto several = run(request);
      ASSERT_TRUE(several) << several.error().message << several.error().hint;
      EXPECT_LT(worst_difference(several->losses, one->losses), kLossBound);
      EXPECT_EQ(several->gates.size(), 4);
      EXPECT_TRUE(
          std::all_of(several->gates.begin(), several->gates.end(), [](const auto& gate) { return gate.passed; }));
      expect_figures(*several, ranks);
      if (mode == sharded::ParallelMode::kFsdp) {  // the two layers in the slots are not gathered again
        EXPECT_EQ(counts_of(*several), (std::map<std::string, int64_t>{{"all_gather", 5}, {"reduce_scatter", 4}}));
        EXPECT_EQ(several->setting.communicators, 2);
      } else {
        EXPECT_EQ(counts_of(*several), (std::map<std::string, int64_t>{{"all_reduce", 1}}));
      }
    }
  }
}

std::map<std::string, int64_t> kinds_of_gates(const ShardedDocument& document) {
  std::map<std::string, int64_t> kinds;
  for (const TrainingGate& gate : document.gates) {
    EXPECT_TRUE(gate.passed) << gate.name << ": " << gate.found;
    ++kinds[gate.name];
  }
  return kinds;
}

// Two groups of two: gathers and reductions within each, and sums of shards between them, on three communicators.
TEST(ShardedRun, ShardsInGroupsAndReplicatesBetweenThem) {
  const auto folder = TemporaryFolder::create();
  const auto one = run(request_of(*folder, 1));
  ASSERT_TRUE(one) << one.error().message;
  ShardedRequest request = request_of(*folder, 4);
  request.config.fsdp.sharding_strategy = sharded::ShardingStrategy::kHybridShard;
  request.config.fsdp.hybrid_shard_ranks = 2;
  request.config.training.output_dir = (folder->path() / "hybrid").string();
  request.config.training.checkpoint_interval = 5;
  const auto four = run(request);
  ASSERT_TRUE(four) << four.error().message << four.error().hint;
  EXPECT_LT(worst_difference(four->losses, one->losses), kLossBound);
  EXPECT_EQ(kinds_of_gates(*four).size(), 4);
  expect_figures(*four, 4);
  EXPECT_EQ(four->mode, "fsdp, hybrid_shard over 2 of 4 ranks");
  EXPECT_EQ(four->setting.communicators, 3);
  EXPECT_EQ(counts_of(*four),
            (std::map<std::string, int64_t>{{"all_gather", 5}, {"reduce_scatter", 4}, {"all_reduce", 4}}));
  request.check = false;
  request.config.profiling.enabled = false;
  request.config.training.resume = (folder->path() / "hybrid" / "checkpoints").string();
  request.config.compile = {.enabled = true, .backend = sharded::CompileBackend::kCudagraphs};
  const auto resumed = run(request);  // captured, of the same kernels
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->dispatch, "graph");
  EXPECT_EQ(resumed->losses, four->losses);
  request.config.compile = {};
  request.config.fsdp.hybrid_shard_ranks = 4;
  EXPECT_THAT(run(request).error().message, HasSubstr("the checkpoint of another training"));
  // A rank of the second group that does not come is named, though ranks of the first wait as well.
  request.config.fsdp.hybrid_shard_ranks = 2;
  request.config.training.resume.clear();
  request.config.distributed.timeout_s = 1;
  request.inject = {"sleep", 3, 6};
  const auto hung = run(request);
  ASSERT_FALSE(hung);
  EXPECT_THAT(hung.error().message, HasSubstr("rank 3 did not enqueue"));
}

TEST(ShardedRun, GradientsInBf16OnTheLinkHaveAGateOfTheirOwn) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  const auto exact = run(request);
  ASSERT_TRUE(exact) << exact.error().message;
  request.config.fsdp.reduce_dtype = sharded::ReduceType::kBf16;
  const auto rounded = run(request);
  ASSERT_TRUE(rounded) << rounded.error().message << rounded.error().hint;
  EXPECT_EQ(kinds_of_gates(*rounded).size(), 5);
  const double apart = worst_difference(rounded->losses, exact->losses);
  EXPECT_GT(apart, 0);
  EXPECT_LT(apart, 1e-2);
  std::map<std::string, int64_t> bytes;
  for (const CollectiveOverlap& collective : rounded->figures->collectives) {
    bytes[collective.name] += collective.count * *collective.bytes;
  }
  for (const CollectiveOverlap& collective : exact->figures->collectives) {
    const int64_t all = collective.count * *collective.bytes;
    bytes[collective.name] -= collective.name == "reduce_scatter" ? all / 2 : all;
  }
  EXPECT_EQ(bytes, (std::map<std::string, int64_t>{{"all_gather", 0}, {"reduce_scatter", 0}}));
}

// Each other order of the same collectives, captured too.
TEST(ShardedRun, OtherOrdersOfGathersAndReductionsTrainTheSame) {
  const auto folder = TemporaryFolder::create();
  const auto one = run(request_of(*folder, 1));
  ASSERT_TRUE(one) << one.error().message;
  ShardedRequest request = request_of(*folder, 2);
  request.config.fsdp.limit_all_gathers = false;
  request.config.distributed.overlap_grad_reduce = false;
  request.config.compile.enabled = true;
  request.config.streams.high_priority = {.all_gather = true};
  const auto early = run(request);
  ASSERT_TRUE(early) << early.error().message << early.error().hint;
  EXPECT_LT(worst_difference(early->losses, one->losses), kLossBound);
  EXPECT_TRUE(early->setting.reduces_behind);
  EXPECT_THAT(early->notes,
              testing::Contains("streams.high_priority has no effect: the streams of cpu:0 have no priorities"));
  EXPECT_EQ(early->ranks[1].stream_priorities.at("all-gather"), 0);
  EXPECT_EQ(early->ranks[1].priority_range, (std::vector<int64_t>{0, 0}));
  request.config.fsdp.limit_all_gathers = true;
  request.config.fsdp.forward_prefetch = false;
  request.config.fsdp.backward_prefetch = sharded::BackwardPrefetch::kPost;
  request.config.compile.enabled = false;
  request.config.streams.high_priority = {};
  const auto post = run(request);
  ASSERT_TRUE(post) << post.error().message << post.error().hint;
  EXPECT_LT(worst_difference(post->losses, one->losses), kLossBound);
  EXPECT_EQ(post->setting.prefetch, 0);
  EXPECT_TRUE(post->notes.empty());
}

// The seed's own model, clipped and accumulating as its files have it.
TEST(ShardedRun, TrainsTheRankingTransformer) {
  const auto folder = TemporaryFolder::create();
  const auto of = [&](int32_t ranks) {
    ShardedRequest request = request_of(*folder, ranks);
    sharded::ShardedRunConfig& config = request.config;
    config.model.kind = sharded::ModelKind::kRanking;
    config.model.embedding_dim = 12;
    config.model.num_dense_features = 3;
    config.model.dense_dim = 5;
    config.dataset.sparse_features = 2;
    config.training.grad_clip_norm = 1;
    config.training.gradient_accumulation = 2;
    config.training.batch_size = 4 / ranks;
    config.scheduler.warmup_steps = 2;
    config.scheduler.total_steps = 20;
    return request;
  };
  const auto one = run(of(1));
  ASSERT_TRUE(one) << one.error().message;
  const auto two = run(of(2));
  ASSERT_TRUE(two) << two.error().message << two.error().hint;
  EXPECT_LT(worst_difference(two->losses, one->losses), kLossBound);
  expect_figures(*two, 2);
  EXPECT_TRUE(two->setting.clips);
  // A line every five steps, of rank 1 its own loss; a batch copied beside each step.
  const std::string log = read_file(folder->path() / "artifacts" / "rank1.log").value();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2);
  EXPECT_THAT(log, HasSubstr(fmt::format("epoch=0 step=5 loss={:.6g} ms=", two->ranks[1].losses[4])));
  EXPECT_THAT(log, HasSubstr(fmt::format("epoch=0 step=10 loss={:.6g} ms=", two->ranks[1].losses[9])));
  for (const RankOverlap& rank : two->figures->ranks) {
    EXPECT_GT(rank.mean.copy_ns, 0);
  }
}

TEST(ShardedRun, CapturedTooAndItsSessionIsReported) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  request.config.compile.enabled = true;
  const auto document = run(request);
  ASSERT_TRUE(document) << document.error().message << document.error().hint;
  EXPECT_EQ(document->dispatch, "graph");
  expect_figures(*document, 2);
  const auto session = open_session(document->bundle);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->info.status, SessionStatus::kComplete);
  const auto trace = read_trace_tables(document->bundle);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_GT(trace->size(), 0);
  const auto report = report::sharded_report(*session);
  ASSERT_TRUE(report) << report.error().message;
  const std::string text = report::render_text(report::build_sharded_summary(*document));
  for (const char* said :
       {"exposed communication", "What to do next", "all_gather", "losses are those of one process"}) {
    EXPECT_THAT(text, HasSubstr(said));
  }
}

// Killed between steps, no more is lost than what came behind the last checkpoint, and what follows has the same bits.
TEST(ShardedRun, ResumesWithTheSameBits) {
  const auto folder = TemporaryFolder::create();
  for (const sharded::ParallelMode mode : {sharded::ParallelMode::kFsdp, sharded::ParallelMode::kDdp}) {
    ShardedRequest request = request_of(*folder, 2);
    request.config.distributed.mode = mode;
    request.config.profiling.enabled = false;
    request.config.training.mixed_precision = sharded::TrainingPrecision::kBf16;
    request.config.training.output_dir = (folder->path() / sharded::word_of(mode)).string();
    request.config.training.checkpoint_interval = 5;
    const auto whole = run(request);
    ASSERT_TRUE(whole) << whole.error().message;
    const std::filesystem::path checkpoints = folder->path() / sharded::word_of(mode) / "checkpoints";
    ASSERT_TRUE(std::filesystem::exists(checkpoints / "step_000010" / "rank_1.bin"));
    // As if one of two had been killed before it could write the second.
    std::filesystem::remove(checkpoints / "step_000010" / "rank_1.bin");
    request.config.training.resume = checkpoints.string();
    const auto resumed = run(request);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(resumed->losses, whole->losses);
    EXPECT_EQ(resumed->ranks[1].losses, whole->ranks[1].losses);
    ASSERT_TRUE(std::filesystem::exists(checkpoints / "step_000010" / "rank_1.bin"));
    request.config.training.resume = (checkpoints / "step_000010").string();
    EXPECT_EQ(run(request)->losses, whole->losses);
    request.config.model.num_layers = 2;
    const auto other = run(request);
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("the checkpoint of another training"));
    request.config.model.num_layers = 3;
    std::filesystem::resize_file(checkpoints / "step_000010" / "rank_0.bin", 1000);
    EXPECT_THAT(run(request).error().message, HasSubstr("a damaged checkpoint"));
    request.config.training.resume = (folder->path() / "none").string();
    EXPECT_THAT(run(request).error().message, HasSubstr("no folder of checkpoints"));
  }
}

TEST(ShardedRun, KilledItLosesNoMoreThanSinceTheLastCheckpoint) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  request.config.profiling.enabled = false;
  const auto whole = run(request);
  ASSERT_TRUE(whole) << whole.error().message;
  request.config.training.output_dir = (folder->path() / "killed").string();
  request.config.training.checkpoint_interval = 5;
  request.inject = {"kill", 1, 8};
  ASSERT_FALSE(run(request));
  request.inject = {};
  request.config.training.resume = (folder->path() / "killed" / "checkpoints").string();
  const auto resumed = run(request);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->losses, whole->losses);
}

struct InjectedFault {
  const char* name;
  ShardedInjection fault;
  int32_t ranks;
  const char* said;
  const char* no_stack = "";  // of the rank at fault: why it has none
  bool captured = false;
};

// The session says how it ended, and has what every rank was in.
void expect_hang_is_kept(const ShardedDocument& document, const std::string& said, const InjectedFault& injected) {
  const auto session = open_session(document.bundle);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->info.status, SessionStatus::kFailed);
  EXPECT_EQ(session->info.status_reason, said);
  const auto json = read_json(session->path / layout::kOverlap);
  ASSERT_TRUE(json) << json.error().message;
  const auto kept = read_sharded_document(*json, "overlap.json");
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_TRUE(kept->hang);
  const ShardedHang& hang = *kept->hang;
  EXPECT_EQ(hang.rank, injected.fault.rank);
  EXPECT_EQ(hang.text, said);
  EXPECT_THAT(said, HasSubstr(hang.kind));
  ASSERT_EQ(hang.ranks.size(), static_cast<size_t>(injected.ranks));
  for (const HungRank& rank : hang.ranks) {
    EXPECT_FALSE(rank.collectives.empty());
    EXPECT_TRUE(rank.stack.empty() != rank.no_stack.empty());
  }
  const HungRank& at_fault = hang.ranks[static_cast<size_t>(hang.rank)];
  EXPECT_EQ(at_fault.no_stack, injected.no_stack);
  const std::string text = report::render_text(report::build_hang_report(document));
  EXPECT_THAT(text, HasSubstr(said.substr(0, 30)));
  EXPECT_THAT(text, HasSubstr("Last collectives"));
  EXPECT_TRUE(report::sharded_report(*session));
}

class HungRank : public ::testing::TestWithParam<InjectedFault> {};

// Within ten seconds of its limit the run has ended on all ranks, and says which one it was.
TEST_P(HungRank, IsNamedAndEndsAll) {
  constexpr auto kLimit = std::chrono::seconds(1);
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, GetParam().ranks);
  request.check = false;
  request.config.distributed.timeout_s = kLimit.count();
  request.inject = GetParam().fault;
  request.config.compile.enabled = GetParam().captured;
  const auto begun = std::chrono::steady_clock::now();
  std::optional<ShardedDocument> hung;
  const auto document = run_sharded(request, [](const std::string&, double) {}, nullptr, &hung);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, kLimit + std::chrono::seconds(10));
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().message, HasSubstr(GetParam().said));
  EXPECT_EQ(document.error().exit_code(), 6);
  ASSERT_TRUE(hung);
  expect_hang_is_kept(*hung, document.error().message, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Faults, HungRank,
    ::testing::Values(
        InjectedFault{"Stop",
                      {"stop", 1, 6},
                      2,
                      "rank 1 slow: a signal has stopped its process",
                      "a signal had stopped its process"},
        InjectedFault{"Sleep", {"sleep", 1, 6}, 2, "rank 1 did not enqueue: its host is at step 5"},
        InjectedFault{"Skip", {"skip", 1, 6}, 2, "rank 1 did not enqueue: it is"},
        InjectedFault{"SkipOfFour", {"skip", 2, 6}, 4, "rank 2 did not enqueue: it is"},
        InjectedFault{"SkipOfACapturedStep", {"skip", 1, 6}, 2, "rank 1 did not enqueue: it is", "", true},
        InjectedFault{"SizeOfACapturedStep", {"size", 1, 6}, 2, "rank 1 mismatch: it enqueued", "", true},
        InjectedFault{"SpinOfACapturedStep", {"spin", 1, 6}, 2, "rank 1 stuck in the kernel: ", "", true},
        InjectedFault{"Size", {"size", 1, 6}, 2, "rank 1 mismatch: it enqueued reduce_scatter of"},
        InjectedFault{"SizeOfRankZero", {"size", 0, 6}, 2, "rank 0 mismatch: it enqueued reduce_scatter of"},
        InjectedFault{"Spin", {"spin", 1, 6}, 2, "rank 1 stuck in the kernel: its device does not come to all_gather"},
        InjectedFault{"Kill", {"kill", 1, 6}, 2, "rank 1 dead: signal 9", "its process had ended"},
        InjectedFault{"DeathOfRankZero", {"kill", 0, 6}, 2, "rank 0 dead: signal 9", "its process had ended"},
        InjectedFault{"Teardown", {"teardown", 1, 0}, 2, "rank 1 slow: its teardown behind step 12 does not end"}),
    [](const auto& info) { return info.param.name; });

// Others wait in their first step for a rank that takes three limits longer to come to it.
TEST(ShardedRun, WaitsForASlowSetUp) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  request.check = false;
  request.config.profiling.enabled = false;
  request.config.distributed.timeout_s = 1;
  request.inject = {"setup", 1, 0, 3};
  const auto document = run(request);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->losses.size(), 12);
}

TEST(ShardedRun, SaysWhatARankFailedAtBeforeItsSteps) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  request.check = false;
  request.config.compile.capture = sharded::CaptureChoice::kAlways;  // the first step is set-up
  request.inject = {"skip", 1, 1};
  const auto document = run(request);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(document.error().message, HasSubstr("a fault in step 1"));
}

// The hang reproducer of the public tool trains the same, with more collectives.
TEST(ShardedRun, TrainsTheSameAmongInjectedAllReduces) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  const auto plain = run(request);
  ASSERT_TRUE(plain) << plain.error().message;
  request.config.training.inject_allreduce_copies = true;
  request.config.training.allreduce_stress_level = 2;
  const auto stressed = run(request);
  ASSERT_TRUE(stressed) << stressed.error().message << stressed.error().hint;
  EXPECT_EQ(stressed->losses, plain->losses);
  EXPECT_EQ(counts_of(*stressed)["all_reduce"], 3 * 2 + 1);
}

TEST(ShardedRun, RaisesNoFalseAlarmInAThousandSteps) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  request.config.training.max_steps = 1000;
  request.config.profiling.enabled = false;
  request.config.distributed.timeout_s = 2;
  const auto document = run(request);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->losses.size(), 1000);
}

// JSON has no NaN: handed on, it would be a null.
TEST(ShardedRun, SaysWhichLossIsNoNumber) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  request.config.optimizer.lr = 1e30;
  const auto document = run(request);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kInvalid);
  EXPECT_THAT(document.error().message, HasSubstr("the loss of step 2 is "));
}

TEST(ShardedRun, RefusesWhatCannotBeTrained) {
  const auto folder = TemporaryFolder::create();
  ShardedRequest request = request_of(*folder, 2);
  request.config.model.num_heads = 7;
  const auto document = run(request);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(std::filesystem::exists(request.sessions));
}

}  // namespace
}  // namespace aaco
