// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/node_agent.h"

#include <fmt/format.h>
#include <memory>

#include "base/clock.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "engine/ranks/nodes/file_relay.h"
#include "engine/ranks/nodes/node_link.h"
#include "engine/ranks/rank_processes.h"

namespace aaco {

namespace {

// The processes of one role.
class NodeRun {
 public:
  static Result<std::unique_ptr<NodeRun>> start(NodeLink& link, const NodeFacts& own, const NodeMessage& message) {
    AACO_ASSIGN(TemporaryFolder folder, TemporaryFolder::create());
    std::unique_ptr<NodeRun> run(new NodeRun(link, std::move(folder)));
    AACO_TRY(run->begin(own, message));
    return run;
  }

  // Processes that still run are ended.
  ~NodeRun() {
    if (processes_) {
      processes_->stop();
    }
  }
  NodeRun(const NodeRun&) = delete;
  NodeRun& operator=(const NodeRun&) = delete;

  Result<void> store(const SharedFile& file) { return files_.store(file); }
  void stop() const { processes_->stop(); }

 private:
  NodeRun(NodeLink& link, TemporaryFolder folder) : link_(link), folder_(std::move(folder)), files_(folder_.path()) {}

  Result<void> begin(const NodeFacts& own, const NodeMessage& message) {
    AACO_ASSIGN(Json plan, parse_own_json(message.content, "rank 0's plan"));
    SpawnOptions options;
    options.folder = folder_.path();
    options.plan_file = options.folder / "plan.json";
    options.environment.emplace_back("AACO_RANK_ADDRESS", link_.socket().own_address());
    plan["folder"] = options.folder.string();
    plan["first_rank"] = own.first_rank;
    plan["local_ranks"] = own.local_ranks;
    AACO_TRY(write_json(options.plan_file, plan));
    AACO_ASSIGN(relay_, FileRelay::start(files_, [this](const SharedFile& file) { tell_file(file); }));
    AACO_ASSIGN(processes_, RankProcesses::start(options, message.name, RankSpan{own.first_rank, own.local_ranks},
                                                 [this](int64_t rank, const Result<Json>& end, bool died) {
                                                   tell_end(rank, end, died);
                                                 }));
    return {};
  }

  // That rank 0's node has gone is noticed by who listens to it.
  void tell_file(const SharedFile& file) {
    static_cast<void>(link_.send({NodeMessageKind::kFile, file.name, 0, file.content}));
  }
  void tell_end(int64_t rank, const Result<Json>& end, bool died) {
    for (const SharedFile& file : files_left_by(folder_.path(), rank)) {
      tell_file(file);
    }
    static_cast<void>(link_.send({NodeMessageKind::kEnded, "", rank, text_of_end(end, died)}));
  }

  NodeLink& link_;
  TemporaryFolder folder_;
  SharedFiles files_;
  std::unique_ptr<FileRelay> relay_;
  std::unique_ptr<RankProcesses> processes_;  // ends first
};

class NodeAgent {
 public:
  NodeAgent(NodeLink& link, const NodeFacts& own) : link_(link), own_(own) {}

  Result<int> serve() {
    AACO_TRY(link_.send({NodeMessageKind::kNode, "", 0, json_text(own_)}));
    for (;;) {
      const auto message = link_.receive();
      if (!message) {
        return message.error().kind == ErrorKind::kInterrupted
                   ? message.error()
                   : Error{ErrorKind::kResource, "the node of rank 0 has gone", "see the output of rank 0's process"};
      }
      if (message->kind == NodeMessageKind::kOver) {
        return static_cast<int>(message->number);
      }
      AACO_TRY(answer(*message));
    }
  }

 private:
  Result<void> answer(const NodeMessage& message) {
    switch (message.kind) {
      case NodeMessageKind::kStart:
        return start(message);
      case NodeMessageKind::kFile:
        return run_ == nullptr ? Result<void>() : run_->store({message.name, message.content});
      case NodeMessageKind::kStop:
        if (run_ != nullptr) {
          run_->stop();
        }
        return {};
      case NodeMessageKind::kClock:
        return link_.send({NodeMessageKind::kClock, "", monotonic_ns(), ""});
      case NodeMessageKind::kRefuse:
        return Error{ErrorKind::kUsage, fmt::format("rank 0's node refuses this one: {}", message.content),
                     "start all nodes alike"};
      case NodeMessageKind::kNode:
      case NodeMessageKind::kEnded:
      case NodeMessageKind::kOver:
        break;
    }
    return {};
  }

  Result<void> start(const NodeMessage& message) {
    run_.reset();
    AACO_ASSIGN(run_, NodeRun::start(link_, own_, message));
    return {};
  }

  NodeLink& link_;
  const NodeFacts& own_;
  std::unique_ptr<NodeRun> run_;
};

}  // namespace

Result<int> serve_node(const RendezvousAddress& rank_zero, const NodeFacts& own, const std::string& secret,
                       int64_t limit_ns) {
  AACO_ASSIGN(const auto link, NodeLink::connect(rank_zero.host, rank_zero.port, secret, monotonic_ns() + limit_ns));
  return NodeAgent(*link, own).serve();
}

}  // namespace aaco
