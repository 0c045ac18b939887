// SPDX-License-Identifier: MIT
// What of a run's work lies outside model file, sizes, precision and threads (verdict/identity/work_facts.h), found out
// before it is measured.
#pragma once

#include <string>
#include <vector>

#include "kind/model_run/inspection.h"
#include "kind/model_run/request/resolve.h"
#include "model/identity/file_hash.h"
#include "verdict/identity/work_facts.h"

namespace aaco {

struct WorkRecord {
  WorkFacts facts;
  std::vector<HashedFile> files;   // all that were hashed, the model among them
  std::vector<std::string> notes;  // why a group is not recorded
};

// Errors: kUsage for a file that keeps changing. What cannot be found out is a group that is missing, and a note.
Result<WorkRecord> record_work(const ResolvedRun& run, const Inspection& inspection);

// The first file that is no longer what was hashed; empty where all are.
std::string changed_file(const WorkRecord& record);

}  // namespace aaco
