// SPDX-License-Identifier: MIT
// What any room may want to know of a session without asking which kind it is. The kinds themselves are listed above
// (src/kind): this room knows none of them by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

// What tells two sessions of a kind apart at a glance.
enum class SessionSize : uint8_t { kBatch, kStreams, kNone };

struct SessionKindTraits {
  const char* id;               // in session.json
  const char* command = "";     // that records it
  const char* subject = "";     // what it is about, where its facts name no model and no workload
  const char* document = "";    // the file of the bundle with its results as a whole; empty: its tables alone
  bool has_iterations = false;  // of its own, once it is complete
  bool has_model = false;       // with a file, and so a hash of it
  SessionSize size = SessionSize::kNone;
  const char* iteration = "iteration";     // what each of its own is called: "step"
  const char* iteration_time = "latency";  // how long each took
  bool has_ranks = false;                  // its processes are ranks of a launch, which all do each iteration
};

// All of them, once whoever lists them has said so (src/kind/all_kinds.h); each lives as long as the process.
void use_session_kinds(std::vector<const SessionKindTraits*> kinds);
const std::vector<const SessionKindTraits*>& session_kinds();

// The kind that a session.json names, which may be one of a newer version.
class SessionKind {
 public:
  SessionKind() : SessionKind(std::string_view()) {}
  SessionKind(const SessionKindTraits& traits) : word_(traits.id), traits_(&traits) {}
  explicit SessionKind(std::string_view word);

  const std::string& word() const { return word_; }
  bool is_known() const;
  // Of an unknown kind, that it has nothing.
  const SessionKindTraits& traits() const { return *traits_; }

  friend bool operator==(const SessionKind& a, const SessionKind& b) { return a.word_ == b.word_; }

 private:
  std::string word_;
  const SessionKindTraits* traits_;
};

void to_json(Json& json, const SessionKind& kind);
void from_json(const Json& json, SessionKind& kind);

}  // namespace aaco
