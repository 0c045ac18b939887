// SPDX-License-Identifier: MIT
#include "kind/queue_run/document/queue_profile_result.h"

#include <string_view>

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(ProfiledQueueProcess, process, records, same_work)

namespace {

constexpr std::string_view kAfterCollector = " activity collector";

}  // namespace

void to_json(Json& json, const QueueProfile& profile) {
  json = {{"taken_under", profile.collector + std::string(kAfterCollector)},
          {"processes", profile.processes},
          {"records", profile.records},
          {"dropped", profile.dropped},
          {"overhead", profile.overhead},
          {"timeline", profile.timeline}};
}

void from_json(const Json& json, QueueProfile& profile) {
  const std::string taken_under = json.value("taken_under", "");
  profile.collector = taken_under.substr(0, taken_under.find(kAfterCollector));
  profile.processes = json.value("processes", std::vector<ProfiledQueueProcess>());
  profile.records = json.value("records", int64_t{0});
  profile.dropped = json.value("dropped", uint64_t{0});
  json.at("overhead").get_to(profile.overhead);
  json.at("timeline").get_to(profile.timeline);
}

}  // namespace aaco
