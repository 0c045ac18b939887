// SPDX-License-Identifier: MIT
#include "workload/dispatch.h"

#include "workload/command_issuer.h"
#include "workload/command_ranges.h"
#include "workload/threaded_dispatch.h"

namespace aaco {

namespace {

class SingleDispatcher final : public Dispatcher {
 public:
  SingleDispatcher(const Program& program, CommandIssuer issuer, DispatchRanges ranges)
      : program_(program), issuer_(std::move(issuer)), ranges_(ranges) {}

  Result<void> enqueue() override {
    if (ranges_.commands != nullptr) {
      return enqueue_in_ranges();
    }
    for (const Command& command : program_.commands()) {
      AACO_TRY(issuer_.issue(command));
    }
    return {};
  }

 private:
  Result<void> enqueue_in_ranges() {
    RangeWalker walker(*ranges_.commands, *ranges_.ranges);
    Result<void> issued;
    for (size_t i = 0; i < program_.commands().size() && issued; ++i) {
      walker.at(i);
      issued = issuer_.issue(program_.commands()[i]);
    }
    walker.end();
    return issued;
  }

  const Program& program_;
  CommandIssuer issuer_;
  DispatchRanges ranges_;  // without commands: nobody listens
};

class GraphDispatcher final : public Dispatcher {
 public:
  GraphDispatcher(std::unique_ptr<Graph> graph, Stream& stream) : graph_(std::move(graph)), stream_(stream) {}

  Result<void> enqueue() override {
    stream_.launch(*graph_);
    return {};
  }

 private:
  std::unique_ptr<Graph> graph_;
  Stream& stream_;
};

// Every other stream is forked from the first at the start of the capture and joined to it at the end.
Result<std::unique_ptr<Dispatcher>> capture(const Program& program, const ProgramTarget& target) {
  if (!program.host_steps().empty()) {
    return Error{ErrorKind::kUsage, "the workload needs the host in the middle of an iteration: it cannot be a graph",
                 "use --dispatch single or threads"};
  }
  AACO_ASSIGN(CommandIssuer issuer, CommandIssuer::make(program, target));
  std::vector<std::unique_ptr<Event>> edges;
  for (Device* device : target.devices) {
    AACO_ASSIGN(edges.emplace_back(), device->make_event(false));
  }
  Stream& first = *target.streams.front();
  first.begin_capture();
  first.record(*edges.front());
  for (size_t i = 1; i < target.streams.size(); ++i) {
    target.streams[i]->wait(*edges.front());
  }
  Result<void> issued;
  for (const Command& command : program.commands()) {
    if (issued) {
      issued = issuer.issue(command);
    }
  }
  for (size_t i = 1; i < target.streams.size(); ++i) {
    target.streams[i]->record(*edges[i]);
    first.wait(*edges[i]);
  }
  auto graph = first.end_capture();
  AACO_TRY(std::move(issued));
  if (!graph) {
    return graph.error();
  }
  return std::unique_ptr<Dispatcher>(std::make_unique<GraphDispatcher>(std::move(*graph), first));
}

}  // namespace

Result<DispatchMode> dispatch_mode_named(const std::string& name) {
  if (const auto mode = parse_word<DispatchMode>(name)) {
    return *mode;
  }
  return Error{ErrorKind::kUsage, "--dispatch " + name + ": no such mode", "choose single, threads or graph"};
}

Result<std::unique_ptr<Dispatcher>> make_dispatcher(DispatchMode mode, const Program& program,
                                                    const ProgramTarget& target, DispatchRanges ranges) {
  if (ranges.ranges == nullptr || !ranges.ranges->listening()) {
    ranges = {};
  }
  if (mode == DispatchMode::kGraph) {
    return capture(program, target);
  }
  AACO_ASSIGN(CommandIssuer issuer, CommandIssuer::make(program, target));
  if (mode == DispatchMode::kThreads) {
    return make_threaded_dispatcher(program, std::move(issuer), ranges);
  }
  return std::unique_ptr<Dispatcher>(std::make_unique<SingleDispatcher>(program, std::move(issuer), ranges));
}

Result<void> synchronize(const ProgramTarget& target) {
  Result<void> outcome;
  for (Stream* stream : target.streams) {
    Result<void> synchronized = stream->synchronize();
    if (outcome && !synchronized) {
      outcome = std::move(synchronized);
    }
  }
  return outcome;
}

}  // namespace aaco
