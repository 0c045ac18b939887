// SPDX-License-Identifier: MIT
// The roles of the processes of `aaco overlap copy`. The plan of each is a CopyRequest; what they leave has one entry
// for each of its directions.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

namespace role {
inline constexpr const char* kCopyMeasure = "copy_measure";  // device_name; of each direction a CopyTimes, a CopyStates
inline constexpr const char* kCopyRecord = "copy_record";    // of each direction a CopyRecords
}  // namespace role

struct WorkerTask;
Result<Json> copy_measure_role(const WorkerTask& task);
// The collector comes first: a vendor's interface wants to be there before the process's first call of it.
Result<Json> copy_record_role(const WorkerTask& task);

}  // namespace aaco
