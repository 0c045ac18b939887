// SPDX-License-Identifier: MIT
// A recording as the store keeps it, made of what a comparison takes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "guard/command/command_sample.h"
#include "guard/store/guard_rows.h"
#include "guard/subject/given_value.h"
#include "kind/compared_session.h"

namespace aaco {

namespace guard_source {
inline constexpr const char* kSession = "session";
inline constexpr const char* kCommand = "command";
inline constexpr const char* kValue = "value";
}  // namespace guard_source

// What the user says of a recording.
struct EntryLabels {
  std::string subject;  // "": from what was measured
  std::string commit;   // "": from CI's variables, else from the lockbox
  std::string branch;
};

// Why nothing may be compared with it: not complete, throttled, or in a crowd; "" where it may.
std::string why_no_baseline(const RunSample& sample);

GuardEntry session_entry(const ComparedSession& session, const EntryLabels& labels);
GuardEntry command_entry(const TimedCommand& command, const Json& environment, const EntryLabels& labels);
GuardEntry value_entry(const std::vector<GivenValue>& values, const Json& environment, const EntryLabels& labels);

// The other way: what the entry's sample holds. Errors: kUsage naming `source` for a damaged one.
Result<TimedCommand> recorded_command(const GuardRecord& record);
Result<std::vector<NamedSample>> recorded_samples(const GuardRecord& record);
// The samples that must have a figure which a gate without a name asks for: all of a recording, those that failed and
// have no value too. None of given values, of which each is a figure of its own.
std::set<std::string> expected_samples(const GuardEntry& entry);
// SHA-256 of the aaco that kept a session; "" where the recording does not say.
std::string recorded_program(const GuardRecord& record);
// The lockbox of the recording; null where it has none.
Result<JsonValue> recorded_environment(const GuardRecord& record);

// Times that fall where rates rise: what is compared of a given value.
NamedSample value_sample(const GivenValue& value, const Json& environment, const std::string& created_utc);

}  // namespace aaco
