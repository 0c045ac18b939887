// SPDX-License-Identifier: MIT
#include "ingest/kineto/unknown_categories.h"

#include "ingest/kineto/device_lanes.h"

namespace aaco {

void UnknownCategories::settle(const std::string& name, EventTable& table, size_t first_event,
                               size_t first_track) const {
  if (tracks_.empty()) {
    return;
  }
  const DeviceLanes lanes = recognise_device_lanes(table, first_event, first_track);
  for (size_t track = 0; track < tracks_.size(); ++track) {
    const OfTrack& events = tracks_[track];
    if (events.count == 0 || lanes.is_known[track]) {
      continue;
    }
    const bool is_lost_device = lanes.is_like_a_device[track] && !lanes.has_work;
    const Loss loss = is_lost_device ? Loss::kUnknownLane : Loss::kUnknownCategory;
    table.losses.add(loss, [&] { return is_lost_device ? name + ": " + lanes.unknown_names() : events.first; });
    table.losses.add(loss, events.count - 1);
  }
}

}  // namespace aaco
