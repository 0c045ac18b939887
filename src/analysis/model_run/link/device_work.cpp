// SPDX-License-Identifier: MIT
#include "analysis/model_run/link/device_work.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "record/device/device_rows.h"

namespace aaco {

namespace {

constexpr int64_t kNsPerUs = 1'000;
constexpr int64_t kCutAtEnd = 2 * kNsPerUs;  // start and duration are both cut

// A host's track is "thread N" of its operating system.
int64_t thread_of(const EventTable& events, size_t event) {
  const std::string_view text = events.strings[events.tracks[events.track[event]].thread];
  const size_t space = text.rfind(' ');
  const std::string_view digits = text.substr(space == std::string_view::npos ? 0 : space + 1);
  int64_t thread = -1;
  static_cast<void>(std::from_chars(digits.data(), digits.data() + digits.size(), thread));
  return thread;
}

struct NodeOfCall {
  KernelLink link = KernelLink::kOutside;
  const KernelRow* node = nullptr;  // where it is linked
};

// The nodes of one thread by start, those that enclose others before them.
class ThreadNodes {
 public:
  void add(const KernelRow& row) { nodes_.push_back(&row); }

  void sort() {
    std::sort(nodes_.begin(), nodes_.end(), [](const KernelRow* a, const KernelRow* b) {
      return a->t_start_ns != b->t_start_ns ? a->t_start_ns < b->t_start_ns : a->t_end_ns > b->t_end_ns;
    });
    latest_end_.reserve(nodes_.size());
    for (const KernelRow* node : nodes_) {
      latest_end_.push_back(std::max(latest_end_.empty() ? node->t_end_ns : latest_end_.back(), node->t_end_ns));
    }
  }

  NodeOfCall find(int64_t start_ns, int64_t end_ns, int64_t error_ns) const {
    const auto behind = std::upper_bound(nodes_.begin(), nodes_.end(), end_ns + error_ns,
                                         [](int64_t at, const KernelRow* node) { return at < node->t_start_ns; });
    // From the last start on, the first that the call surely met is the innermost. Two of which neither encloses the
    // other cannot be: then the clocks are further apart than they are thought to be.
    const KernelRow* met = nullptr;
    const KernelRow* at_border = nullptr;
    for (auto i = static_cast<size_t>(behind - nodes_.begin()); i-- > 0;) {
      if (latest_end_[i] + kCutAtEnd + error_ns < start_ns) {
        break;
      }
      const KernelRow& node = *nodes_[i];
      const bool surely = start_ns < node.t_end_ns - error_ns && node.t_start_ns + kNsPerUs + error_ns < end_ns;
      if (surely && met != nullptr && !is_control_flow(node.op_type)) {
        return {KernelLink::kBorder, nullptr};
      }
      if (surely && met == nullptr) {
        met = &node;
      } else if (met == nullptr && start_ns <= node.t_end_ns + kCutAtEnd + error_ns) {
        at_border = &node;
      }
    }
    const bool from_body = met != nullptr && at_border != nullptr && is_control_flow(met->op_type) &&
                           at_border->t_start_ns < met->t_end_ns;
    if (met != nullptr && !from_body) {
      return {KernelLink::kCorrelation, met};
    }
    return {at_border != nullptr ? KernelLink::kBorder : KernelLink::kOutside, nullptr};
  }

 private:
  std::vector<const KernelRow*> nodes_;
  std::vector<int64_t> latest_end_;  // of the nodes up to here
};

NodeActivity activity_of(const EventTable& events, size_t event) {
  switch (events.kind[event]) {
    case EventKind::kKernel:
      return NodeActivity::kDeviceKernel;
    case EventKind::kCopy:
      return NodeActivity::kDeviceCopy;
    case EventKind::kSet:
      return NodeActivity::kDeviceMemset;
    default:
      return is_launch_call(events, event) ? NodeActivity::kHostLaunch : NodeActivity::kHostWait;
  }
}

class Linker {
 public:
  Linker(const EventTable& events, const ProfiledProcess& process) : events_(events), process_(process) {
    for (const KernelRow& row : process.nodes) {
      threads_[row.thread_id].add(row);
    }
    for (auto& [thread, nodes] : threads_) {
      nodes.sort();
    }
    for (const IterationRow& row : process.iterations) {
      if (row.phase == IterationPhase::kProfile) {
        iterations_.push_back(&row);
      }
    }
    std::sort(iterations_.begin(), iterations_.end(),
              [](const IterationRow* a, const IterationRow* b) { return a->t_start_ns < b->t_start_ns; });
    for (StringId text = 0; text < events.strings.size(); ++text) {
      bytes_ = events.strings[text] == device_row::kBytes ? std::optional(text) : bytes_;
    }
  }

  std::vector<KernelRow> run() {
    for (size_t event = 0; event < events_.size(); ++event) {
      if (events_.kind[event] == EventKind::kHostCall) {
        add_call(event);
      }
    }
    for (size_t event = 0; event < events_.size(); ++event) {
      if (is_device_work(events_.kind[event])) {
        add_work(event);
      }
    }
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const KernelRow& a, const KernelRow& b) { return a.t_start_ns < b.t_start_ns; });
    return std::move(rows_);
  }

 private:
  struct Call {
    size_t event = 0;
    bool many = false;  // calls of one number: whose work it is cannot be told
    const IterationRow* iteration = nullptr;
    NodeOfCall node;
  };

  const IterationRow* iteration_at(int64_t time_ns) const {
    const auto behind = std::upper_bound(iterations_.begin(), iterations_.end(), time_ns,
                                         [](int64_t at, const IterationRow* row) { return at < row->t_start_ns; });
    return behind != iterations_.begin() && time_ns < behind[-1]->t_end_ns ? behind[-1] : nullptr;
  }

  NodeOfCall node_at(size_t event, int64_t thread) const {
    const auto nodes = threads_.find(thread);
    return nodes == threads_.end()
               ? NodeOfCall{}
               : nodes->second.find(events_.start_ns[event], events_.end_ns(event), process_.clock_error_ns);
  }

  void add_call(size_t event) {
    const int64_t thread = thread_of(events_, event);
    Call call{event, false, iteration_at(events_.start_ns[event]), node_at(event, thread)};
    if (events_.correlation[event] != kNoId && is_launch_call(events_, event)) {
      const auto [at, first] = calls_.try_emplace(events_.correlation[event], call);
      at->second.many = !first;
    }
    if (call.iteration != nullptr) {
      rows_.push_back(row_of(event, *call.iteration, call.node));
      rows_.back().thread_id = thread;
    }
  }

  void add_work(size_t event) {
    const auto launch = events_.correlation[event] == kNoId ? calls_.end() : calls_.find(events_.correlation[event]);
    const Call* call = launch == calls_.end() ? nullptr : &launch->second;
    const IterationRow* iteration = call != nullptr ? call->iteration : iteration_at(events_.start_ns[event]);
    if (iteration == nullptr) {
      return;
    }
    const NodeOfCall node = call == nullptr ? NodeOfCall{KernelLink::kNoLaunch, nullptr}
                            : call->many    ? NodeOfCall{KernelLink::kManyLaunches, nullptr}
                                            : call->node;
    KernelRow row = row_of(event, *iteration, node);
    row.thread_id = call != nullptr ? thread_of(events_, call->event) : -1;
    const DeviceStream place = stream_of(events_, event);
    row.device = place.device;
    row.stream = static_cast<int64_t>(place.stream);
    const KernelResources resources = resources_of(events_, event);
    row.blocks = known(static_cast<int64_t>(resources.blocks));
    row.block_threads = known(resources.block_threads);
    row.bytes = bytes_of(event);
    rows_.push_back(std::move(row));
  }

  KernelRow row_of(size_t event, const IterationRow& iteration, const NodeOfCall& node) const {
    KernelRow row;
    row.process = process_.process;
    row.iter_idx = iteration.iter_idx;
    row.activity = activity_of(events_, event);
    row.kernel_name = std::string(events_.strings[events_.name[event]]);
    row.link = node.link;
    if (node.node != nullptr) {
      row.node_name = node.node->node_name;
      row.op_type = node.node->op_type;
      row.provider = node.node->provider;
    }
    row.t_start_ns = events_.start_ns[event];
    row.t_end_ns = events_.end_ns(event);
    row.dur_ns = events_.duration_ns[event];
    if (events_.correlation[event] != kNoId) {
      row.correlation = events_.correlation[event];
    }
    return row;
  }

  // Collectors write 0 for what they do not know.
  static std::optional<int64_t> known(int64_t count) { return count > 0 ? std::optional(count) : std::nullopt; }

  std::optional<int64_t> bytes_of(size_t event) const {
    const auto argument = bytes_ ? events_.arguments.find(event, *bytes_) : std::nullopt;
    return argument && argument->type == ArgumentType::kInteger ? std::optional(static_cast<int64_t>(argument->bits))
                                                                : std::nullopt;
  }

  const EventTable& events_;
  const ProfiledProcess& process_;
  std::map<int64_t, ThreadNodes> threads_;
  std::vector<const IterationRow*> iterations_;
  std::unordered_map<int64_t, Call> calls_;  // by correlation
  std::optional<StringId> bytes_;            // the name of that argument
  std::vector<KernelRow> rows_;
};

}  // namespace

std::vector<KernelRow> device_work(const EventTable& events, const ProfiledProcess& process) {
  return Linker(events, process).run();
}

}  // namespace aaco
