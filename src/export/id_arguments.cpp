// SPDX-License-Identifier: MIT
#include "export/id_arguments.h"

#include <algorithm>

#include "export/flow_marks.h"

namespace aaco {

void IdArguments::look_up(StringId key) {
  const auto* const name = std::find(kNames.begin(), kNames.end(), events_.strings[key]);
  ids_of_keys_[key] = static_cast<IdName>(name - kNames.begin());  // kIds behind the last
}

void IdArguments::begin(size_t event) {
  const EventShape shape = events_.shape[event];
  const bool any = shape != EventShape::kMetadata;
  const bool on_device = any && is_on_device(events_.kind[event]);
  const Track& track = events_.tracks[events_.track[event]];
  // Of a counter any number is a curve, and arrows are joined by their own id.
  const bool rank_known = shape == EventShape::kCounter || is_flow(shape) || track.rank == file_rank_;
  ids_ = {Id{any && !is_flow(shape), events_.correlation[event]},
          Id{any, events_.external_id[event]},
          Id{any, events_.external_id[event]},
          Id{on_device, track.device},
          Id{on_device, track.stream},
          Id{any, track.rank, rank_known}};
}

bool IdArguments::says_otherwise(const Argument& argument) {
  const IdName name = id_of(argument.key);
  if (name == kIds || !ids_[name].means) {
    return false;
  }
  Id& id = ids_[name];
  const bool integer = argument.type == ArgumentType::kInteger;
  const bool same = integer && static_cast<int64_t>(argument.bits) == id.value;
  id.said = id.said || same;
  return !same && (integer || id.value != kNoId);
}

}  // namespace aaco
