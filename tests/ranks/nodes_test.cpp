// SPDX-License-Identifier: MIT
// Ranks of two nodes, which here are two threads that start processes in folders of their own and share nothing but
// TCP. Whole programs, in network namespaces: tests/cli/check_nodes.py.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "engine/ranks/nodes/node_agent.h"
#include "engine/ranks/nodes/node_group.h"
#include "engine/ranks/nodes/node_link.h"
#include "engine/ranks/nodes/node_reception.h"
#include "engine/ranks/rank_exchange.h"
#include "engine/ranks/rank_id.h"
#include "record/journal/journal_rows.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr int64_t kLimitNs = 10'000'000'000;
constexpr auto kLongest = std::chrono::seconds(10);

int free_port() { return listen_tcp(0)->own_port(); }

NodeFacts node(int64_t first, int64_t count, int64_t ranks) {
  constexpr int64_t kMost = 4;
  return {first, count, ranks, std::vector<std::string>(static_cast<size_t>(std::min(count, kMost)), "cpu:0")};
}

// The processes below this one that are rank `rank`'s, whether they run or sleep; in the order of their folders' names.
std::vector<pid_t> pids_of_rank(int rank) {
  const std::string wanted = fmt::format("--process{}{}{}", '\0', rank, '\0');
  const std::string parent = fmt::format(" {} ", ::getpid());
  std::vector<pid_t> pids;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const auto words = read_file(entry.path() / "cmdline");
    const auto stat = read_file(entry.path() / "stat");
    // "PID (NAME) STATE PARENT ...", a STATE of one letter.
    const size_t state = stat ? stat->rfind(") ") : std::string::npos;
    if (words && state != std::string::npos && words->find(wanted) != std::string::npos &&
        stat->compare(state + 3, parent.size(), parent) == 0) {
      pids.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
    }
  }
  return pids;
}

// Two ranks on each of two nodes.
class TwoNodes {
 public:
  explicit TwoNodes(const RankExchangePlan& plan) : folder_(TemporaryFolder::create()) {
    EXPECT_TRUE(write_json(folder_->path() / "plan.json", plan));
    const int port = free_port();
    other_ = std::async(std::launch::async,
                        [port] { return serve_node({"127.0.0.1", port}, node(2, 2, 4), "secret", kLimitNs); });
    auto gathered = NodeGroup::gather({"127.0.0.1", port}, node(0, 2, 4), "secret", kLimitNs);
    EXPECT_TRUE(gathered) << gathered.error().message;
    nodes_ = std::move(*gathered);
  }

  RankEnds run() {
    remove_rank_ids(folder_->path());
    SpawnOptions options;
    options.plan_file = folder_->path() / "plan.json";
    options.folder = folder_->path();
    return nodes_->run(options, role::kRankExchange);
  }
  Result<int> end(int code) {
    nodes_->end(code);
    return other_.get();
  }
  Result<int> leave() {
    nodes_.reset();
    return other_.get();
  }
  const NodeGroup& nodes() const { return *nodes_; }
  fs::path folder() const { return folder_->path(); }

 private:
  Result<TemporaryFolder> folder_;
  std::future<Result<int>> other_;
  std::unique_ptr<NodeGroup> nodes_;
};

TEST(Nodes, exchange_data_and_hand_over_results_and_journals) {
  TwoNodes two({.backend = "cpu", .ranks = 4, .rounds = 20, .count = 1000});
  EXPECT_EQ(two.nodes().devices().size(), 4U);
  EXPECT_EQ(two.nodes().text(), "2 nodes: ranks 0 to 1 here, 2 to 3 at 127.0.0.1");
  for (int again = 0; again < 2; ++again) {
    const RankEnds ends = two.run();
    ASSERT_FALSE(ends.cause) << ends.cause->message;
    for (int64_t rank = 0; rank < 4; ++rank) {
      const auto result = from_json_value<RankExchange>(**ends.by_rank[static_cast<size_t>(rank)], role::kRankExchange);
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(result->rank, rank);
      EXPECT_EQ(result->last, (1 + 2 + 3 + 4) * (999 % 7 + 1));
      EXPECT_EQ(result->library, "between nodes");
      const auto rows = read_iteration_journal(two.folder() / iteration_journal_name(rank), rank);
      ASSERT_TRUE(rows) << rows.error().message;
      EXPECT_EQ(rows->size(), 20U);
    }
  }
  // The same clock, seen over a connection.
  EXPECT_LT(std::abs(two.nodes().clock_of(3).ahead_ns), 5'000'000);
  EXPECT_GT(two.nodes().clock_of(3).error_ns, 0);
  EXPECT_EQ(two.nodes().clock_of(1).error_ns, 0);
  const auto code = two.end(5);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(*code, 5);
}

TEST(Nodes, of_which_one_has_a_rank_that_is_killed_end_and_say_so) {
  TwoNodes two({.backend = "cpu", .ranks = 4, .rounds = 0, .count = 10});
  Clock::time_point killed_at;
  std::thread killing([&] {
    while (!fs::exists(two.folder() / iteration_journal_name(0))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    killed_at = Clock::now();
    const std::vector<pid_t> pids = pids_of_rank(3);
    EXPECT_EQ(pids.size(), 1U);
    for (const pid_t pid : pids) {
      ::kill(pid, SIGKILL);
    }
  });
  const RankEnds ends = two.run();
  killing.join();
  EXPECT_LT(Clock::now() - killed_at, kLongest);
  ASSERT_TRUE(ends.cause);
  EXPECT_EQ(ends.cause->exit_code(), 6);
  ASSERT_FALSE(ends.by_rank[3]);
  EXPECT_THAT(ends.by_rank[3].error().message, HasSubstr("rank 3 dead: signal 9"));
  EXPECT_FALSE(ends.by_rank[0]);
  EXPECT_EQ(*two.end(6), 6);
}

TEST(Nodes, notice_that_rank_zeros_has_gone) {
  TwoNodes two({});
  const auto ended = two.leave();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().exit_code(), 6);
  EXPECT_EQ(ended.error().message, "the node of rank 0 has gone");
}

// What rank 0's node says, and what the other.
std::pair<std::string, std::string> joined(const NodeFacts& own, const NodeFacts& other,
                                           const std::string& other_secret = "secret") {
  const int port = free_port();
  constexpr int64_t kShortNs = 500'000'000;
  auto served =
      std::async(std::launch::async, [&] { return serve_node({"127.0.0.1", port}, other, other_secret, kLimitNs); });
  auto gathered = NodeGroup::gather({"127.0.0.1", port}, own, "secret", kShortNs);
  const std::string here = gathered ? "" : gathered.error().message;
  if (gathered) {
    (*gathered)->end(0);
  }
  const auto there = served.get();
  return {here, there ? "" : there.error().message};
}

TEST(Nodes, that_do_not_fit_are_told_so) {
  EXPECT_EQ(joined(node(0, 2, 4), node(2, 2, 4)).first, "");
  NodeFacts gpu = node(2, 2, 4);
  gpu.devices = {"cuda:0", "cuda:1"};
  const std::vector<std::pair<NodeFacts, const char*>> cases = {
      {node(2, 4, 6), "it was started with 6 ranks, rank 0 with 4"},
      {node(1, 2, 4), "rank 1 is of another node too: ranks must be numbered node by node"},
      {node(3, 2, 4), "are no node's"},
      {node(-1, 1, 4), "are no node's"},
      {node(INT64_MAX, INT64_MAX, 4), "are no node's"},
      {gpu, "its device cuda:0 is of another kind than cpu:0"},
  };
  for (const auto& [other, said] : cases) {
    const auto [here, there] = joined(node(0, 2, 4), other);
    EXPECT_THAT(here, HasSubstr(said));
    EXPECT_THAT(there, HasSubstr(said));
  }
  const auto [here, there] = joined(node(0, 2, 4), node(2, 2, 4), "no secret");
  EXPECT_THAT(here, HasSubstr("2 of 4 ranks have come to port"));
  EXPECT_THAT(here, HasSubstr("127.0.0.1 is of another job, or has another AACO_JOB_SECRET"));
  EXPECT_THAT(there, HasSubstr("is of another job, or has another AACO_JOB_SECRET"));
}

TEST(Nodes, turn_away_one_that_goes_before_it_says_who_it_is) {
  const int port = free_port();
  auto other = std::async(std::launch::async, [port] {
    const auto link = NodeLink::connect("127.0.0.1", port, "secret", monotonic_ns() + kLimitNs);
    return link.has_value();
  });
  const auto gathered = NodeGroup::gather({"127.0.0.1", port}, node(0, 2, 4), "secret", 500'000'000);
  EXPECT_TRUE(other.get());
  ASSERT_FALSE(gathered);
  EXPECT_THAT(gathered.error().message, HasSubstr("2 of 4 ranks have come to port"));
  EXPECT_THAT(gathered.error().message, HasSubstr("1 turned away: 127.0.0.1 did not say all"));
}

// More strangers than are listened to at once, before the node comes and while it does: silent, with half an answer,
// with another one, gone.
TEST(Nodes, find_each_other_among_strangers) {
  const int port = free_port();
  auto served = std::async(std::launch::async, [port] {
    std::vector<Socket> strangers;
    std::string half(60, '\0');
    std::copy_n("aacojoin", 8, half.begin());
    for (int i = 0; i < 400; ++i) {
      auto stranger = connect_tcp("127.0.0.1", port, monotonic_ns() + kLimitNs);
      EXPECT_TRUE(stranger);
      const std::string said = i % 4 == 1 ? half : i % 4 == 2 ? std::string(200, 'x') : std::string();
      EXPECT_TRUE(stranger->send_all(said.data(), said.size()));
      if (i % 4 != 3) {
        strangers.push_back(std::move(*stranger));
      }
    }
    return serve_node({"127.0.0.1", port}, node(2, 2, 4), "secret", kLimitNs);
  });
  const int64_t begun_ns = monotonic_ns();
  auto gathered = NodeGroup::gather({"127.0.0.1", port}, node(0, 2, 4), "secret", kLimitNs);
  ASSERT_TRUE(gathered) << gathered.error().message;
  EXPECT_LT(monotonic_ns() - begun_ns, kLimitNs / 2);
  (*gathered)->end(0);
  EXPECT_TRUE(served.get());
}

// What a stranger that listens in rank 0's place says is no rank 0, nor is one that says nothing more than hello.
TEST(NodeLink, KnowsWhatIsNoRankZero) {
  for (const std::string& said : {std::string(500, 'x'), std::string("SSH-2.0-OpenSSH\r\n"), std::string()}) {
    const auto listening = listen_tcp(0);
    std::thread stranger([&] {
      const auto socket = accept_from(*listening, monotonic_ns() + kLimitNs);
      ASSERT_TRUE(socket);
      EXPECT_TRUE(socket->send_all(said.data(), said.size()));
      socket->shut();
    });
    const auto link = NodeLink::connect("127.0.0.1", listening->own_port(), "secret", monotonic_ns() + kLimitNs);
    stranger.join();
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(link.error().message, HasSubstr("is no rank 0 of aaco"));
  }
}

std::pair<std::unique_ptr<NodeLink>, std::unique_ptr<NodeLink>> linked() {
  const auto listening = listen_tcp(0);
  auto there = std::async(std::launch::async, [port = listening->own_port()] {
    auto link = NodeLink::connect("127.0.0.1", port, "secret", monotonic_ns() + kLimitNs);
    EXPECT_TRUE(link && (*link)->send({NodeMessageKind::kNode, "", 0, "facts"}));
    return link;
  });
  NodeReception reception({&*listening, 1}, "secret");
  auto here = reception.next(monotonic_ns() + kLimitNs);
  EXPECT_EQ(here->facts, "facts");
  auto connected = there.get();
  return {std::move(here->link), std::move(*connected)};
}

TEST(NodeLink, CarriesMessages) {
  const auto [here, there] = linked();
  const NodeMessage sent{NodeMessageKind::kFile, "rank_id.bin", -7, std::string("a\0b", 3) + std::string(100000, 'c')};
  EXPECT_TRUE(there->send(sent));
  const auto got = here->receive(monotonic_ns() + kLimitNs);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->kind, sent.kind);
  EXPECT_EQ(got->name, sent.name);
  EXPECT_EQ(got->number, sent.number);
  EXPECT_EQ(got->content, sent.content);
}

TEST(NodeLink, RefusesWhatIsNoMessage) {
  for (const char byte : {'\xff', '\x07', 'a'}) {
    const auto [here, there] = linked();
    const std::string bytes(64, byte);
    EXPECT_TRUE(there->socket().send_all(bytes.data(), bytes.size()));
    const auto got = here->receive(monotonic_ns() + kLimitNs);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().message, "another node sent what is no message");
  }
  const auto [here, there] = linked();
  EXPECT_TRUE(there->socket().send_all("\1\0\0\0", 4));
  there->shut();
  EXPECT_EQ(here->receive(monotonic_ns() + kLimitNs).error().kind, ErrorKind::kResource);
}

TEST(NodeContents, AreReadBackAndRefused) {
  const auto result = end_of_text(text_of_end(Json{{"rank", 3}}));
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)["rank"], 3);
  const auto error = end_of_text(text_of_end(Error{ErrorKind::kInvalid, "what", "do"}));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().kind, ErrorKind::kInvalid);
  EXPECT_EQ(error.error().message, "what");
  EXPECT_EQ(error.error().hint, "do");
  bool died = false;
  EXPECT_FALSE(end_of_text(text_of_end(error, true), &died));
  EXPECT_TRUE(died);
  EXPECT_FALSE(end_of_text(text_of_end(error), &died));
  EXPECT_FALSE(died);
  for (const char* text : {"", "[]", "{}", "{\"error\": 3}", "\xff", "{\"error\": {\"message\": 1}}"}) {
    EXPECT_EQ(end_of_text(text).error().message, "another node sent what is no end of a rank") << text;
  }
}

}  // namespace
}  // namespace aaco
