// SPDX-License-Identifier: MIT
// The orchestrator with one process per rank, on the CPU. The workers are this program: it has a main of its own.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "engine/orchestrator.h"
#include "engine/ranks/rank_exchange.h"
#include "engine/ranks/rank_id.h"
#include "engine/ranks/rank_processes.h"
#include "engine/spawn.h"
#include "kind/all_kinds.h"
#include "record/journal/journal_rows.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr auto kLongest = std::chrono::seconds(10);

// Ranks that sum numbers, as a session.
class RankStrategy : public Strategy {
 public:
  RankStrategy(fs::path sessions, RankExchangePlan plan) : sessions_(std::move(sessions)), plan_(std::move(plan)) {}

  Result<SessionStart> prepare() override {
    SessionStart start{sessions_.string(), {}, {}};
    start.info.command_line = {"ranks"};
    return start;
  }
  Result<void> start(Orchestrator& run) override {
    session = run.session().path();
    return run.write_plan(Json(plan_));
  }
  int64_t processes() const override { return 1; }
  Result<void> run_process(Orchestrator& run, int64_t /*process*/) override {
    AACO_ASSIGN(const std::vector<Json> ends, run.run_ranks(role::kRankExchange, plan_.ranks));
    for (const Json& end : ends) {
      AACO_ASSIGN(results.emplace_back(), from_json_value<RankExchange>(end, role::kRankExchange));
    }
    return {};
  }
  Result<SessionEnd> store(Orchestrator& /*run*/) override {
    ++stored;
    return SessionEnd();
  }

  fs::path session;
  std::vector<RankExchange> results;
  int stored = 0;

 private:
  fs::path sessions_;
  RankExchangePlan plan_;
};

// The worker of a rank whose plan lies below `folder`; 0 where there is none.
pid_t pid_of_rank(const fs::path& folder, int rank) {
  const std::string wanted = fmt::format("--process{}{}{}", '\0', rank, '\0');
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const auto words = read_file(entry.path() / "cmdline");
    if (words && words->find(folder.string()) != std::string::npos && words->find(wanted) != std::string::npos) {
      return static_cast<pid_t>(std::stol(entry.path().filename().string()));
    }
  }
  return 0;
}

// Whether both ranks have begun with their rounds: then their journals are there.
bool exchanging(const fs::path& folder) {
  bool all = true;
  for (const int rank : {0, 1}) {
    bool there = false;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
      there = there || entry.path().filename() == iteration_journal_name(rank);
    }
    all = all && there;
  }
  return all;
}

// Does `act` as soon as both ranks exchange data; a test that ends before joins it all the same.
class WhenExchanging {
 public:
  WhenExchanging(fs::path folder, std::function<void()> act)
      : thread_([this, folder = std::move(folder), act = std::move(act)] {
          while (!over_ && !exchanging(folder)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
          acted_at = Clock::now();
          act();
        }) {}
  ~WhenExchanging() {
    over_ = true;
    thread_.join();
  }
  WhenExchanging(const WhenExchanging&) = delete;
  WhenExchanging& operator=(const WhenExchanging&) = delete;

  std::atomic<Clock::time_point> acted_at = Clock::time_point::max();

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

fs::path folder_of(const Result<TemporaryFolder>& folder) { return folder->path(); }

TEST(Ranks, of_two_processes_exchange_data) {
  const auto folder = TemporaryFolder::create();
  RankStrategy ranks(folder_of(folder), {.backend = "cpu", .ranks = 2, .rounds = 20, .count = 1000});
  const Result<void> ended = orchestrate(ranks);
  ASSERT_TRUE(ended) << ended.error().message;
  ASSERT_EQ(ranks.results.size(), 2U);
  for (const int rank : {0, 1}) {
    const RankExchange& result = ranks.results[static_cast<size_t>(rank)];
    EXPECT_EQ(result.rank, rank);
    EXPECT_EQ(result.rounds, 20);
    EXPECT_EQ(result.last, (1 + 2) * (999 % 7 + 1));
    EXPECT_EQ(result.library, "between processes");
  }
  EXPECT_EQ(read_session_info(ranks.session)->status, SessionStatus::kComplete);
}

TEST(Ranks, of_which_one_is_killed_fail_within_ten_seconds_as_a_resource_does) {
  const auto folder = TemporaryFolder::create();
  RankStrategy ranks(folder_of(folder), {.backend = "cpu", .ranks = 2, .rounds = 0, .count = 1000});
  Result<void> ended;
  Clock::duration took{};
  {
    const WhenExchanging killing(folder_of(folder), [&] { ::kill(pid_of_rank(folder_of(folder), 1), SIGKILL); });
    ended = orchestrate(ranks);
    took = Clock::now() - killing.acted_at.load();
  }
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().exit_code(), 6);
  EXPECT_LT(took, kLongest);
  EXPECT_EQ(ranks.stored, 1);
  const Result<SessionInfo> info = read_session_info(ranks.session);
  EXPECT_EQ(info->status, SessionStatus::kFailed);
  EXPECT_EQ(info->status_reason, ended.error().message);
}

RankEnds run_two(const fs::path& folder, const RankExchangePlan& plan) {
  EXPECT_TRUE(write_json(folder / "plan.json", plan));
  SpawnOptions options;
  options.plan_file = folder / "plan.json";
  options.folder = folder;
  return run_rank_processes(options, role::kRankExchange, 2);
}

TEST(Ranks, notice_themselves_that_another_is_gone_and_end_with_exit_code_6) {
  const auto folder = TemporaryFolder::create();
  RankEnds ends;
  {
    const WhenExchanging killing(folder_of(folder), [&] { ::kill(pid_of_rank(folder_of(folder), 1), SIGKILL); });
    ends = run_two(folder_of(folder), {.backend = "cpu", .ranks = 2, .rounds = 0, .count = 10});
  }
  ASSERT_FALSE(ends.by_rank[0]);
  EXPECT_EQ(ends.by_rank[0].error().exit_code(), 6);
  EXPECT_EQ(ends.by_rank[0].error().message, "all_reduce: rank 1 has ended or failed");
  ASSERT_FALSE(ends.by_rank[1]);
  EXPECT_THAT(ends.by_rank[1].error().message, HasSubstr("rank 1 dead: signal 9"));
  EXPECT_TRUE(ends.cause);
}

// As one that waits in a library which notices nothing: it is stopped, and can do nothing.
TEST(Ranks, that_notice_nothing_are_ended) {
  const auto folder = TemporaryFolder::create();
  RankEnds ends;
  Clock::duration took{};
  {
    const WhenExchanging killing(folder_of(folder), [&] {
      ::kill(pid_of_rank(folder_of(folder), 0), SIGSTOP);
      ::kill(pid_of_rank(folder_of(folder), 1), SIGKILL);
    });
    ends = run_two(folder_of(folder), {.backend = "cpu", .ranks = 2, .rounds = 0, .count = 10});
    took = Clock::now() - killing.acted_at.load();
  }
  EXPECT_LT(took, kLongest);
  ASSERT_TRUE(ends.cause);
  EXPECT_THAT(ends.cause->message, HasSubstr("rank 1 dead: signal 9"));
  // Told to go on and to end, it either notices first that the other is gone, or ends in good order.
  EXPECT_TRUE(ends.by_rank[0] || ends.by_rank[0].error().exit_code() == 6);
}

TEST(Ranks, fail_where_one_of_them_cannot_start) {
  const auto folder = TemporaryFolder::create();
  const RankEnds ends = run_two(folder_of(folder), {.backend = "cpu", .ranks = 1, .rounds = 1, .count = 10});
  ASSERT_TRUE(ends.cause);
  EXPECT_EQ(ends.cause->kind, ErrorKind::kUsage);
  EXPECT_TRUE(ends.by_rank[0]);
}

// What fails, and where, is chosen by the test.
class ChosenStrategy : public Strategy {
 public:
  ChosenStrategy(fs::path sessions, Result<void> measured, Result<SessionEnd> end, bool folder_gone)
      : sessions_(std::move(sessions)), measured_(std::move(measured)), end_(std::move(end)), gone_(folder_gone) {}
  Result<SessionStart> prepare() override { return SessionStart{sessions_.string(), {}, {}}; }
  Result<void> start(Orchestrator& run) override {
    session = run.session().path();
    return measured_;
  }
  Result<SessionEnd> store(Orchestrator& /*run*/) override {
    if (gone_) {
      fs::remove_all(session);
      EXPECT_TRUE(write_file_atomically(session, "in the way"));
    }
    return end_;
  }
  fs::path session;

 private:
  fs::path sessions_;
  Result<void> measured_;
  Result<SessionEnd> end_;
  bool gone_;
};

const Error kCause{ErrorKind::kUnavailable, "no device", "plug one in"};
const Error kSecond{ErrorKind::kResource, "disk full", "free some space"};

TEST(Orchestrate, tells_what_ended_the_measurement_not_what_failed_after_it) {
  const auto folder = TemporaryFolder::create();
  ChosenStrategy strategy(folder_of(folder), kCause, kSecond, false);
  const Result<void> ended = orchestrate(strategy);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "no device");
  EXPECT_EQ(read_session_info(strategy.session)->status_reason, "no device");
}

TEST(Orchestrate, puts_no_close_error_in_the_place_of_the_cause) {
  const auto folder = TemporaryFolder::create();
  ChosenStrategy strategy(folder_of(folder), kCause, SessionEnd(), true);
  const Result<void> ended = orchestrate(strategy);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(ended.error().message, "no device");
  EXPECT_THAT(ended.error().hint, HasSubstr("plug one in; nor could its session be closed: "));
}

TEST(Orchestrate, fails_where_the_close_alone_fails) {
  const auto folder = TemporaryFolder::create();
  ChosenStrategy strategy(folder_of(folder), {}, SessionEnd(), true);
  EXPECT_FALSE(orchestrate(strategy));
}

TEST(Orchestrate, closes_the_sessions_of_all_that_take_turns) {
  const auto folder = TemporaryFolder::create();
  ChosenStrategy fine(folder_of(folder), {}, SessionEnd(), false);
  ChosenStrategy bad(folder_of(folder), kCause, SessionEnd(), false);
  const std::array<Strategy*, 2> both{&fine, &bad};
  for (const Result<void>& ended : orchestrate(both)) {
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().message, "no device");
  }
  for (const ChosenStrategy* strategy : {&fine, &bad}) {
    EXPECT_EQ(read_session_info(strategy->session)->status, SessionStatus::kFailed);
  }
}

}  // namespace
}  // namespace aaco

// `worker PLAN --role ROLE --process N`, as src/cli/worker_command.cpp has it.
int main(int argc, char** argv) {
  if (argc == 7 && std::string(argv[1]) == "worker") {
    const auto caught = aaco::catch_interrupts();
    const auto ran =
        caught ? aaco::run_worker(aaco::all_worker_roles(), argv[2], argv[4], std::stoll(argv[6])) : caught.error();
    if (!ran) {
      fmt::print(stderr, "aaco: {}\nhint: {}\n", ran.error().message, ran.error().hint);
    }
    return ran ? *ran : ran.error().exit_code();
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
