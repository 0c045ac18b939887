// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/node_group.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/process/thread_start.h"
#include "engine/ranks/nodes/file_relay.h"
#include "engine/ranks/nodes/node_reception.h"
#include "engine/ranks/nodes/shared_files.h"

namespace aaco {

namespace {

constexpr int64_t kAnswerNs = 10'000'000'000;

std::string ranks_text(const NodeFacts& facts) {
  return fmt::format("{} to {}", facts.first_rank, facts.first_rank + facts.local_ranks - 1);
}

std::string name_of_node(const OtherNode& node) {
  return fmt::format("the node of ranks {} ({})", ranks_text(node.facts), node.link->socket().peer_address());
}

bool overlap(const NodeFacts& a, const NodeFacts& b) {
  return a.first_rank < b.first_rank + b.local_ranks && b.first_rank < a.first_rank + a.local_ranks;
}

// The error of the fastest of several answers is the smallest.
Result<NodeClock> ask_for_clock(NodeLink& link) {
  constexpr int kQuestions = 16;
  NodeClock clock{0, INT64_MAX};
  for (int i = 0; i < kQuestions; ++i) {
    const int64_t asked_ns = monotonic_ns();
    AACO_TRY(link.send({NodeMessageKind::kClock, "", 0, ""}));
    NodeMessage answer;
    do {  // what a run has left unread comes first
      AACO_ASSIGN(answer, link.receive(asked_ns + kAnswerNs));
    } while (answer.kind != NodeMessageKind::kClock);
    const int64_t way_ns = monotonic_ns() - asked_ns;
    if (way_ns / 2 < clock.error_ns) {
      clock = {answer.number - asked_ns - way_ns / 2, way_ns / 2};
    }
  }
  return clock;
}

// One run of all nodes' processes.
class GroupRun {
 public:
  GroupRun(std::vector<OtherNode>& others, const NodeFacts& own, const SpawnOptions& options)
      : others_(others), own_(own), options_(options), files_(options.folder), endings_(own.ranks) {
    options_.environment.emplace_back("AACO_RANK_ADDRESS", others_.front().link->socket().own_address());
  }

  RankEnds run(const std::string& worker_role) {
    if (Result<void> done = run_all(worker_role); !done) {
      RankEnds ends;
      ends.cause = done.error();
      return ends;
    }
    RankEnds ends = endings_.take({ErrorKind::kResource, "a rank of another node has not ended", "see its own output"});
    if (!ends.cause) {
      compare_clocks();
    }
    return ends;
  }

 private:
  // Whoever listens is there before the others start: that no thread is to be had is nobody else's failure.
  Result<void> run_all(const std::string& worker_role) {
    std::promise<bool> started;
    const std::shared_future<bool> begin = started.get_future().share();
    std::vector<std::thread> listening;
    listening.reserve(others_.size());
    Result<void> outcome;
    for (OtherNode& other : others_) {
      auto thread = start_thread([this, begin, &other] {
        if (begin.get()) {
          listen_to(other);
        }
      });
      if (!thread) {
        outcome = thread.error();
        break;
      }
      listening.push_back(std::move(*thread));
    }
    outcome = outcome ? start_others(worker_role) : outcome;
    started.set_value(outcome.has_value());
    if (outcome) {
      outcome = run_here(worker_role);
    }
    for (std::thread& thread : listening) {
      thread.join();
    }
    return outcome;
  }

  Result<void> run_here(const std::string& worker_role) {
    const auto relay = FileRelay::start(files_, [this](const SharedFile& file) { send_to_others(file, nullptr); });
    const auto on_end = [this](int64_t rank, const Result<Json>& end, bool died) { endings_.add(rank, end, died); };
    const auto here = relay ? RankProcesses::start(options_, worker_role, {own_.first_rank, own_.local_ranks}, on_end)
                            : Result<std::unique_ptr<RankProcesses>>(relay.error());
    if (!here) {
      stop_others();
      return here.error();
    }
    if (!endings_.wait()) {
      (*here)->stop();
      stop_others();
    }
    return {};
  }

  Result<void> start_others(const std::string& worker_role) {
    AACO_ASSIGN(const std::string plan, read_file(options_.plan_file));
    for (OtherNode& other : others_) {
      AACO_ASSIGN(other.clock, ask_for_clock(*other.link));
      if (Result<void> sent = other.link->send({NodeMessageKind::kStart, worker_role, 0, plan}); !sent) {
        return gone(other);
      }
    }
    return {};
  }

  static Error gone(const OtherNode& node) {
    return {ErrorKind::kResource, fmt::format("{} has gone", name_of_node(node)), "see the output of its processes"};
  }

  void send_to_others(const SharedFile& file, const OtherNode* but) {
    for (OtherNode& other : others_) {
      if (&other != but) {  // that one has gone, is noticed by who listens to it
        static_cast<void>(other.link->send({NodeMessageKind::kFile, file.name, 0, file.content}));
      }
    }
  }

  void listen_to(OtherNode& node) {
    const int64_t first = node.facts.first_rank;
    const int64_t behind = first + node.facts.local_ranks;
    for (int64_t missing = node.facts.local_ranks; missing > 0;) {
      auto message = node.link->receive();
      if (!message) {
        const Error why = message.error().kind == ErrorKind::kInterrupted ? message.error() : gone(node);
        for (int64_t rank = first; rank < behind; ++rank) {
          endings_.add(rank, why);
        }
        return;
      }
      if (message->kind == NodeMessageKind::kFile) {
        take_file({message->name, std::move(message->content)}, node);
      } else if (message->kind == NodeMessageKind::kEnded && message->number >= first && message->number < behind) {
        bool died = false;
        const Result<Json> end = end_of_text(message->content, &died);
        endings_.add(message->number, end, died);
        --missing;
      }
    }
  }

  void take_file(const SharedFile& file, const OtherNode& from) {
    if (const Result<void> stored = files_.store(file); !stored) {
      endings_.add(from.facts.first_rank, stored.error());
    } else if (is_shared(file)) {
      send_to_others(file, &from);
    }
  }

  // One that does not answer is let go.
  void stop_others() {
    constexpr auto kLongest = std::chrono::seconds(6);
    for (OtherNode& other : others_) {
      static_cast<void>(other.link->send({NodeMessageKind::kStop, "", 0, ""}));
    }
    if (!endings_.wait_for_all(kLongest)) {
      for (const OtherNode& other : others_) {
        other.link->shut();
      }
    }
  }

  // Between what it was before and behind the run.
  void compare_clocks() {
    for (OtherNode& other : others_) {
      if (const auto after = ask_for_clock(*other.link)) {
        const int64_t drift = after->ahead_ns - other.clock.ahead_ns;
        other.clock.ahead_ns += drift / 2;
        other.clock.error_ns = std::max(other.clock.error_ns, after->error_ns) + std::abs(drift) / 2;
      }
    }
  }

  std::vector<OtherNode>& others_;
  const NodeFacts& own_;
  SpawnOptions options_;
  SharedFiles files_;
  RankEndings endings_;
};

}  // namespace

Result<void> NodeGroup::take(OtherNode node) {
  const NodeFacts& facts = node.facts;
  std::string wrong;
  if (facts.ranks != own_.ranks) {
    wrong = fmt::format("it was started with {} ranks, rank 0 with {}", facts.ranks, own_.ranks);
  } else if (facts.first_rank < 0 || facts.local_ranks < 1 || facts.first_rank >= facts.ranks ||
             facts.local_ranks > facts.ranks - facts.first_rank ||
             facts.devices.size() != static_cast<size_t>(facts.local_ranks)) {
    wrong = fmt::format("ranks from {} on, {} of them with {} devices, are no node's", facts.first_rank,
                        facts.local_ranks, facts.devices.size());
  } else if (overlap(facts, own_) || std::any_of(others_.begin(), others_.end(),
                                                 [&](const OtherNode& other) { return overlap(facts, other.facts); })) {
    wrong = fmt::format("rank {} is of another node too: ranks must be numbered node by node", facts.first_rank);
  } else if (facts.devices.front().substr(0, facts.devices.front().find(':')) !=
             own_.devices.front().substr(0, own_.devices.front().find(':'))) {
    wrong = fmt::format("its device {} is of another kind than {}", facts.devices.front(), own_.devices.front());
  }
  if (!wrong.empty()) {
    static_cast<void>(node.link->send({NodeMessageKind::kRefuse, "", 0, wrong}));
    return Error{ErrorKind::kUsage, fmt::format("node {}: {}", node.link->socket().peer_address(), wrong),
                 "start all nodes alike; mpirun --map-by slot and srun --distribution=block number node by node"};
  }
  others_.push_back(std::move(node));
  return {};
}

int64_t NodeGroup::ranks_here() const {
  int64_t here = own_.local_ranks;
  for (const OtherNode& other : others_) {
    here += other.facts.local_ranks;
  }
  return here;
}

Result<std::unique_ptr<NodeGroup>> NodeGroup::gather(const RendezvousAddress& at, const NodeFacts& own,
                                                     const std::string& secret, int64_t limit_ns) {
  std::unique_ptr<NodeGroup> group(new NodeGroup());
  group->own_ = own;
  AACO_ASSIGN(const ListeningSockets listening, listen_tcp_at(at.host, at.port));
  group->everywhere_because_ = listening.everywhere_because;
  NodeReception reception(listening.sockets, secret);
  const int64_t deadline = monotonic_ns() + limit_ns;
  std::string senseless;  // a node of this job that does not say who it is
  while (group->ranks_here() < own.ranks) {
    auto arrival = reception.next(deadline);
    if (!arrival && arrival.error().kind == ErrorKind::kResource && monotonic_ns() > deadline) {
      const std::string away = reception.turned_away();
      return Error{ErrorKind::kResource,
                   fmt::format("{} of {} ranks have come to port {} within {} s{}{}{}", group->ranks_here(), own.ranks,
                               at.port, limit_ns / 1'000'000'000, away.empty() ? "" : "; ", away, senseless),
                   "see the output of the other nodes; distributed.timeout is the limit"};
    }
    if (!arrival) {
      return arrival.error();
    }
    OtherNode node;
    node.link = std::move(arrival->link);
    const Result<Json> json = parse_own_json(arrival->facts, "a node");
    auto facts = json ? from_json_value<NodeFacts>(*json, "a node") : Result<NodeFacts>(json.error());
    if (!facts) {
      senseless = "; " + facts.error().message;
      continue;
    }
    node.facts = std::move(*facts);
    AACO_TRY(group->take(std::move(node)));
  }
  std::sort(group->others_.begin(), group->others_.end(),
            [](const OtherNode& a, const OtherNode& b) { return a.facts.first_rank < b.facts.first_rank; });
  return group;
}

std::vector<std::string> NodeGroup::devices() const {
  std::vector<std::string> devices = own_.devices;
  for (const OtherNode& other : others_) {
    devices.insert(devices.end(), other.facts.devices.begin(), other.facts.devices.end());
  }
  return devices;
}

std::string NodeGroup::text() const {
  std::string text = fmt::format("{} nodes: ranks {} here", others_.size() + 1, ranks_text(own_));
  for (const OtherNode& other : others_) {
    text += fmt::format(", {} at {}", ranks_text(other.facts), other.link->socket().peer_address());
  }
  if (!everywhere_because_.empty()) {
    text += fmt::format("; rank 0 listened on all addresses, since {}", everywhere_because_);
  }
  return text;
}

NodeClock NodeGroup::clock_of(int64_t rank) const {
  for (const OtherNode& other : others_) {
    if (rank >= other.facts.first_rank && rank < other.facts.first_rank + other.facts.local_ranks) {
      return other.clock;
    }
  }
  return {};
}

RankEnds NodeGroup::run(const SpawnOptions& options, const std::string& worker_role) {
  return GroupRun(others_, own_, options).run(worker_role);
}

void NodeGroup::end(int exit_code) {
  for (OtherNode& other : others_) {
    static_cast<void>(other.link->send({NodeMessageKind::kOver, "", exit_code, ""}));
  }
}

}  // namespace aaco
