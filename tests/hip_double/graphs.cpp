// SPDX-License-Identifier: MIT
// Capture, and the launch of what was captured. A graph's nodes run one after the other, of those that may run always
// the one captured last: where a dependency is missing, the result is wrong.
#include <algorithm>
#include <map>
#include <set>

#include "observer.h"

struct hipGraphExec {
  struct Step {
    hipGraphNodeType type;
    aaco::hip_double::Work work;
    std::vector<size_t> after;
  };
  std::vector<Step> steps;
  std::vector<size_t> order;
};

namespace aaco::hip_double {
namespace {

// Under api_mutex().
std::set<const void*>& live_graphs() {
  static auto* const all = new std::set<const void*>;
  return *all;
}

bool all_of_capture_joined(const Capture& capture) {
  const auto& ends = capture.origin->latest;
  std::set<const hipGraphNode*> reached;
  std::vector<const hipGraphNode*> next(ends.begin(), ends.end());
  while (!next.empty()) {
    const hipGraphNode* node = next.back();
    next.pop_back();
    if (reached.insert(node).second) {
      next.insert(next.end(), node->after.begin(), node->after.end());
    }
  }
  return reached.size() == capture.graph->nodes.size();
}

std::vector<size_t> order_of(const std::vector<hipGraphExec::Step>& steps) {
  std::vector<size_t> order;
  std::vector<bool> done(steps.size());
  while (order.size() < steps.size()) {
    for (size_t i = steps.size(); i-- > 0;) {
      const auto& after = steps[i].after;
      if (!done[i] && std::all_of(after.begin(), after.end(), [&](size_t earlier) { return done[earlier]; })) {
        done[i] = true;
        order.push_back(i);
        break;
      }
    }
  }
  return order;
}

std::unique_ptr<hipGraphExec> instantiate(const ihipGraph& graph) {
  auto exec = std::make_unique<hipGraphExec>();
  std::map<const hipGraphNode*, size_t> place;
  for (const auto& node : graph.nodes) {
    place[node.get()] = exec->steps.size();
    exec->steps.push_back({node->type, node->work, {}});
    for (const hipGraphNode* earlier : node->after) {
      exec->steps.back().after.push_back(place.at(earlier));
    }
  }
  exec->order = order_of(exec->steps);
  return exec;
}

hipError_t run_all(const hipGraphExec& exec) {
  for (const size_t i : exec.order) {
    if (const hipError_t status = exec.steps[i].work(); status != hipSuccess) {
      return status;
    }
  }
  return hipSuccess;
}

}  // namespace
}  // namespace aaco::hip_double

using namespace aaco::hip_double;

extern "C" {

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (stream == nullptr || stream->capture) {
    return returns(hipErrorIllegalState);
  }
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream;
  stream->capture->streams = {stream};
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  add_capture(stream->capture);
  return hipSuccess;
}

// Of the calling thread: relaxed, and calls that allocate do not end its captures.
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  HIP_DOUBLE_CALL();
  std::swap(*mode, capture_mode());
  return hipSuccess;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (!capture) {
    return returns(hipErrorIllegalState);
  }
  hipError_t status = hipSuccess;
  if (capture->invalid) {
    status = hipErrorStreamCaptureInvalidated;
  } else if (capture->origin != stream) {
    status = hipErrorStreamCaptureUnmatched;
  } else if (!all_of_capture_joined(*capture)) {
    status = hipErrorStreamCaptureUnjoined;
  } else {
    *graph = capture->graph.release();
    live_graphs().insert(*graph);
  }
  end_capture(*capture);
  return returns(status);
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live_graphs().contains(graph) || count == nullptr) {
    return returns(hipErrorInvalidValue);
  }
  for (size_t i = 0; nodes != nullptr && i < *count; ++i) {
    nodes[i] = i < graph->nodes.size() ? graph->nodes[i].get() : nullptr;
  }
  *count = nodes == nullptr ? graph->nodes.size() : std::min(*count, graph->nodes.size());
  return hipSuccess;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  HIP_DOUBLE_CALL();
  *type = node->type;
  return hipSuccess;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long /*flags*/) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live_graphs().contains(graph)) {
    return returns(hipErrorInvalidValue);
  }
  *exec = instantiate(*graph).release();
  live_graphs().insert(*exec);
  return hipSuccess;
}

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* /*failed*/, char* /*log*/,
                               size_t /*log_bytes*/) {
  HIP_DOUBLE_CALL();
  return hipGraphInstantiateWithFlags(exec, graph, 0);
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  const ObservedCall call(__func__, stream);
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live_graphs().contains(exec) || stream == nullptr) {
    return returns(hipErrorInvalidValue);
  }
  if (stream->capture) {
    say("a graph launched within a capture is not implemented");
    return returns(hipErrorNotSupported);
  }
  return returns(submit(*stream, hipGraphNodeTypeGraph, [exec] { return run_all(*exec); }));
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (live_graphs().erase(graph) == 0) {
    return returns(hipErrorInvalidValue);
  }
  delete graph;
  return hipSuccess;
}

// May be destroyed while it runs: it ends when the streams have.
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  HIP_DOUBLE_CALL();
  {
    const std::lock_guard lock(api_mutex());
    if (live_graphs().erase(exec) == 0) {
      return returns(hipErrorInvalidValue);
    }
  }
  wait_for_streams();
  delete exec;
  return hipSuccess;
}

}  // extern "C"
