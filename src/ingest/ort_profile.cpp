// SPDX-License-Identifier: MIT
#include "ingest/ort_profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <simdjson.h>

#include "base/files/file.h"
#include "ingest/event_time.h"

namespace aaco {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kNodeSuffix = "_kernel_time";
constexpr int64_t kNsPerUs = 1000;
constexpr int64_t kFarthestUs = kFarthestNs / kNsPerUs;

struct TraceEvent {
  std::string_view category;
  std::string_view name;
  int64_t ts_us = 0;
  int64_t dur_us = 0;
  int64_t tid = 0;
  std::string_view op_type;
  std::string_view provider;
  std::vector<ProfiledShape> inputs;
  std::vector<ProfiledShape> outputs;
};

// [{"float":[2,4]},{"int64":[]}]
void read_shapes(ondemand::value value, std::vector<ProfiledShape>& shapes) {
  for (ondemand::object object : value.get_array()) {
    for (auto field : object) {
      ProfiledShape shape;
      shape.dtype = std::string_view(field.unescaped_key());
      for (ondemand::value dim : field.value().get_array()) {
        shape.dims.push_back(dim.get_int64());
      }
      shapes.push_back(std::move(shape));
    }
  }
}

void read_args(ondemand::value value, TraceEvent& event) {
  for (auto field : value.get_object()) {
    const std::string_view key = field.unescaped_key();
    if (key == "op_name") {
      event.op_type = field.value().get_string();
    } else if (key == "provider") {
      event.provider = field.value().get_string();
    } else if (key == "input_type_shape") {
      read_shapes(field.value(), event.inputs);
    } else if (key == "output_type_shape") {
      read_shapes(field.value(), event.outputs);
    }
  }
}

TraceEvent read_event(ondemand::object object) {
  TraceEvent event;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "cat") {
      event.category = field.value().get_string();
    } else if (key == "name") {
      event.name = field.value().get_string();
    } else if (key == "ts") {
      event.ts_us = field.value().get_int64();
    } else if (key == "dur") {
      event.dur_us = field.value().get_int64();
    } else if (key == "tid") {
      event.tid = field.value().get_int64();
    } else if (key == "args") {
      read_args(field.value(), event);
    }
  }
  return event;
}

std::string shapes_text(const std::vector<ProfiledShape>& shapes) {
  std::string text;
  for (const ProfiledShape& shape : shapes) {
    text += fmt::format("{}[{}]", text.empty() ? "" : ";", fmt::join(shape.dims, ","));
  }
  return text;
}

// Takes from a container's duration the union of what ran inside it: events end in file order, so the body's lie before
// it.
void reduce_to_own_time(std::vector<KernelRow>& kernels) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    KernelRow& container = kernels[i];
    if (!is_control_flow(container.op_type)) {
      continue;
    }
    int64_t covered_from = container.t_end_ns;
    for (size_t j = i; j > 0; --j) {
      const KernelRow& inside = kernels[j - 1];
      if (inside.iter_idx != container.iter_idx || inside.t_start_ns < container.t_start_ns) {
        break;
      }
      if (inside.thread_id == container.thread_id && inside.t_start_ns < covered_from) {
        container.dur_ns -= std::min(inside.t_end_ns, covered_from) - inside.t_start_ns;
        covered_from = inside.t_start_ns;
      }
    }
    container.dur_ns = std::max<int64_t>(container.dur_ns, 0);
  }
}

void keep_common_or_none(std::vector<ProfiledShape>& shapes, const std::vector<ProfiledShape>& others) {
  bool same_ranks = shapes.size() == others.size();
  for (size_t i = 0; same_ranks && i < shapes.size(); ++i) {
    same_ranks = keep_common(shapes[i], others[i]);
  }
  if (!same_ranks) {
    shapes.clear();
  }
}

class Builder {
 public:
  explicit Builder(const OrtProfileOptions& options) : options_(options) {}

  void add(TraceEvent event) {
    ++profile_.events;
    if (event.category == "Node" && event.name.ends_with(kNodeSuffix)) {
      if (is_possible(event.ts_us) && is_possible(event.dur_us)) {
        add_node(event);
      } else {
        ++impossible_;
      }
    } else if (event.category == "Session" && event.name == "model_run") {
      end_run();
    }
  }

  OrtProfile finish() && {
    if (!pending_.empty()) {
      profile_.losses.push_back(fmt::format("{} node events after the last whole run: left out", pending_.size()));
      profile_.events_lost += static_cast<int64_t>(pending_.size());
    }
    if (impossible_ > 0) {
      profile_.losses.push_back(
          fmt::format("{} node events at a time or of a duration that cannot be: left out", impossible_));
      profile_.events_lost += impossible_;
    }
    reduce_to_own_time(profile_.kernels);
    return std::move(profile_);
  }

  // Of the events that are not there, no number is known.
  void lost(std::string what) {
    profile_.losses.push_back(std::move(what));
    ++profile_.events_lost;
  }

 private:
  static bool is_possible(int64_t us) { return us >= 0 && us <= kFarthestUs; }

  void add_node(TraceEvent& event) {
    KernelRow row;
    row.process = options_.process;
    row.iter_idx = run_;
    row.activity = options_.activity;
    row.node_name = event.name.substr(0, event.name.size() - kNodeSuffix.size());
    row.op_type = event.op_type;
    row.provider = event.provider;
    row.kernel_name = fmt::format("{}:{}", event.provider, event.op_type);
    row.t_start_ns = options_.time_zero_ns + event.ts_us * kNsPerUs;
    row.dur_ns = event.dur_us * kNsPerUs;
    row.t_end_ns = row.t_start_ns + row.dur_ns;
    row.thread_id = event.tid;
    row.input_shapes = shapes_text(event.inputs);
    row.output_shapes = shapes_text(event.outputs);
    if (run_ >= options_.skip_runs) {
      learn_shapes(row, event);
    }
    pending_.push_back(std::move(row));
  }

  // Between runs, shapes may change with the inputs (a prompt, then a token): those of the first run are meant.
  void learn_shapes(const KernelRow& row, TraceEvent& event) {
    const auto [at, first] = profile_.nodes.try_emplace(
        row.node_name, ProfiledNode{run_, row.op_type, row.provider, event.inputs, event.outputs});
    ProfiledNode& node = at->second;
    if (!first && node.run == run_) {
      keep_common_or_none(node.inputs, event.inputs);
      keep_common_or_none(node.outputs, event.outputs);
    }
  }

  void end_run() {
    if (run_++ >= options_.skip_runs) {
      ++profile_.runs;
      profile_.kernels.insert(profile_.kernels.end(), std::make_move_iterator(pending_.begin()),
                              std::make_move_iterator(pending_.end()));
    }
    pending_.clear();
  }

  const OrtProfileOptions& options_;
  OrtProfile profile_;
  std::vector<KernelRow> pending_;
  int64_t run_ = 0;
  int64_t impossible_ = 0;
};

}  // namespace

bool is_ort_profile(std::string_view head) {
  const size_t list = head.find_first_not_of(" \t\r\n");
  const std::string_view first = head.substr(0, head.find('}'));
  return list != std::string_view::npos && head[list] == '[' && first.find("\"cat\"") != std::string_view::npos &&
         first.find("\"Session\"") != std::string_view::npos;
}

bool keep_common(ProfiledShape& shape, const ProfiledShape& other) {
  if (shape.dims.size() != other.dims.size()) {
    return false;
  }
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    shape.dims[i] = shape.dims[i] == other.dims[i] ? shape.dims[i] : -1;
  }
  if (shape.dtype != other.dtype) {
    shape.dtype.clear();
  }
  return true;
}

Result<OrtProfile> parse_ort_profile(std::string_view bytes, const std::string& source,
                                     const OrtProfileOptions& options) {
  Builder builder(options);
  // A profile whose writer was killed has no closing bracket: up to its last brace it is an array all the same.
  const size_t last = bytes.find_last_not_of(" \n\r\t");
  const bool truncated = last == std::string_view::npos || bytes[last] != ']';
  const std::string closed = truncated ? std::string(bytes.substr(0, bytes.rfind('}') + 1)) + "]" : std::string();
  if (truncated) {
    builder.lost(fmt::format("{}: truncated", source));
  }
  const simdjson::padded_string padded(truncated ? std::string_view(closed) : bytes);
  ondemand::parser parser;
  int64_t events = 0;
  try {
    ondemand::document document = parser.iterate(padded);
    for (ondemand::object object : document.get_array()) {
      builder.add(read_event(object));
      ++events;
    }
  } catch (const simdjson::simdjson_error&) {
    if (events == 0) {
      return Error{ErrorKind::kUsage, fmt::format("{}: not an ONNX Runtime profile", source),
                   "give the JSON array that the runtime's profiler writes"};
    }
    builder.lost(fmt::format("{}: damaged after {} events", source, events));
  }
  return std::move(builder).finish();
}

Result<OrtProfile> read_ort_profile(const std::filesystem::path& path, const OrtProfileOptions& options) {
  AACO_ASSIGN(const std::string bytes, read_file(path));
  return parse_ort_profile(bytes, path.string(), options);
}

}  // namespace aaco
