// SPDX-License-Identifier: MIT
#include "kind/sharded/config/other_keys.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco::sharded {

namespace {

constexpr const char* kLeaveOut = "leave the key out";

constexpr OtherKey kOtherKeys[] = {
    {"optimizer.name", "adamw,AdamW", "the optimiser here is AdamW; Shampoo is not built", "write adamw"},
    {"fsdp.use_orig_params", "*", "a matter of PyTorch's modules: shards are flat, clipping sees the whole gradient",
     kLeaveOut},
    {"fsdp.param_init_device", "*", "weights come from dataset.seed and are the same wherever they are made",
     kLeaveOut},
    {"distributed.gradient_as_bucket_view", "true", "gradients always lie in their bucket", kLeaveOut},
    {"distributed.static_graph", "*", "the program of a step never changes", kLeaveOut},
    {"distributed.find_unused_parameters", "false", "every parameter is used in every step", kLeaveOut},
    {"distributed.broadcast_buffers", "*", "the models have no buffers", kLeaveOut},
    {"distributed.use_reentrant_communication", "false", "a collective has one place in the step", kLeaveOut},
    {"compile.options", "{}", "options of PyTorch's compiler have no counterpart here", kLeaveOut},
    {"compile.dynamic", "false", "shapes never change", kLeaveOut},
    {"training.additional_compute_streams", "0",
     "one stream computes; what more of them cost is what aaco queue run measures", "aaco queue list"},
    {"training.lightweight_ops_per_stream", "*", "of additional compute streams, of which there are none", kLeaveOut},
    {"training.lightweight_op_size", "*", "of additional compute streams, of which there are none", kLeaveOut},
    {"training.lightweight_op_duration_ms", "*", "of additional compute streams, of which there are none", kLeaveOut},
    {"training.use_useful_lightweight_ops", "*", "of additional compute streams, of which there are none", kLeaveOut},
    {"training.lightweight_op_waves", "*", "of additional compute streams, of which there are none", kLeaveOut},
    {"streams.num_streams", "4", "there are four: compute, all-gather, reduce-scatter, copy", "leave the key out"},
    {"streams.stream_assignments", "",
     "names of streams of another machine's trace; here a stream is named by its work",
     "say with streams.high_priority which go first"},
    {"profiling.record_shapes", "*", "the shapes of a step stand in its program, which never changes", kLeaveOut},
    {"profiling.profile_memory", "*", "peak memory is in every run", kLeaveOut},
    {"profiling.with_flops", "*", "FLOPs of every operation are in every run", kLeaveOut},
    {"profiling.with_stack", "false", "there is no Python whose stack could be kept", kLeaveOut},
    {"profiling.profile_freq", "1", "every active step is recorded", kLeaveOut},
    {"tracelens.enabled", "false", "aaco trace report computes from a trace what TraceLens does",
     "aaco trace report TRACE"},
    {"torch_titan.*", "", "checkpoints are written by training.checkpoint_interval", "leave the section out"},
};

std::string text_of(const YAML::Node& value) {
  if (value.IsScalar()) {
    return value.Scalar();
  }
  if (value.IsMap()) {
    return value.size() == 0 ? "{}" : "with entries";
  }
  return value.IsNull() ? "null" : "with a list";
}

bool accepts(std::string_view accepted, const std::string& text) {
  while (!accepted.empty()) {
    const size_t comma = std::min(accepted.find(','), accepted.size());
    if (accepted.substr(0, comma) == text) {
      return true;
    }
    accepted.remove_prefix(std::min(comma + 1, accepted.size()));
  }
  return false;
}

}  // namespace

std::span<const OtherKey> other_keys() { return kOtherKeys; }

const OtherKey* find_other_key(std::string_view key) {
  const auto* const found = std::find_if(std::begin(kOtherKeys), std::end(kOtherKeys), [&](const OtherKey& other) {
    const std::string_view path = other.path;
    return path == key || (path.ends_with(".*") && key.starts_with(path.substr(0, path.size() - 1)));
  });
  return found == std::end(kOtherKeys) ? nullptr : found;
}

void read_other_key(const OtherKey& other, const std::string& key, const ConfigEntry& entry,
                    std::vector<std::string>& notes, std::vector<Error>& refusals) {
  const std::string text = text_of(entry.value);
  if (std::string_view(other.accepted) == "*") {
    notes.push_back(fmt::format("{} has no effect: {}", key, other.reason));
  } else if (!accepts(other.accepted, text)) {
    refusals.push_back(entry.error(fmt::format("{} {} is refused: {}", key, text, other.reason), other.hint));
  }
}

}  // namespace aaco::sharded
