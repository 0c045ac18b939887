// SPDX-License-Identifier: MIT
// `aaco diff A B`: what the two are decides how they are compared.
#pragma once

#include <string>

#include "base/result.h"
#include "kind/kind.h"

namespace aaco {

enum class PairForm {
  kSessions,   // A a session or what stands for one, B a session: aaco diff --baseline A --session B
  kDocuments,  // at least B a file of samples, as --output of a command that measures wrote it
  kTraces,     // files of a profiler, or sessions that hold a trace alone
};

struct ComparedPair {
  PairForm form = PairForm::kSessions;
  SampleFunction read = nullptr;    // of documents
  const char* compared_value = "";  // likewise
};

// Errors: kUsage where B is nothing that is there, or A a file that no session compares with.
Result<ComparedPair> compared_pair(const std::string& sessions_root, const std::string& first,
                                   const std::string& second);

}  // namespace aaco
