// SPDX-License-Identifier: MIT
#include "analysis/timeline/path_of_trace/path_of_trace.h"

#include <utility>

#include "analysis/timeline/communication/clock_alignment.h"
#include "analysis/timeline/communication/communication.h"
#include "analysis/timeline/communication/matched_collectives.h"
#include "analysis/timeline/device_work.h"
#include "analysis/timeline/host_timeline.h"
#include "analysis/timeline/idle_causes.h"
#include "analysis/timeline/stream_dependencies.h"
#include "analysis/timeline/time_budget.h"

namespace aaco {

std::vector<CriticalPath> critical_paths_of(const EventTable& events, const PathListener& listener) {
  const LaunchIndex launches(events);
  const HostTimeline host(events, kHostKinds);
  const std::vector<DeviceWork> devices = device_work(events, launches);
  std::vector<StreamDependencies> dependencies;
  CommunicationFinder finder(events);
  for (const DeviceWork& work : devices) {
    const RowGroups order = stream_order(events, work);
    dependencies.emplace_back(events, work, launches, order.all());
    finder.add(work, time_budget(events, work.slices).exposed_communication, dependencies.back(), order.all());
  }
  const Communication communication = finder.finish();
  const std::vector<MatchedCollectives> collectives = match_collectives(events, communication);
  const ClockAlignment clocks(events, collectives);
  return critical_paths({events, launches, host, devices, collectives, clocks}, std::move(dependencies), listener);
}

}  // namespace aaco
