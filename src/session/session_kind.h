// SPDX-License-Identifier: MIT
// The kinds of sessions, as one table: what any room may want to know of a session without asking which kind it is.
// What needs rooms above this one has a table there, with a line for each kind: its report in
// report/all_session_reports.cpp, its comparison in cli/all_session_comparers.cpp; a test of each holds that no kind is
// missing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "session/layout.h"

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
  bool has_queue_runs = false;  // its document is one that `aaco queue compare` takes
  bool is_of_queue = false;     // else its iterations are a model's
  SessionSize size = SessionSize::kNone;
};

namespace session_kind {
inline constexpr SessionKindTraits kRun{
    .id = "run", .command = "aaco run", .has_iterations = true, .has_model = true, .size = SessionSize::kBatch};
inline constexpr SessionKindTraits kSweep{// the iterations are in the sessions of its points
                                          .id = "sweep",
                                          .command = "aaco sweep",
                                          .document = layout::kSweep,
                                          .has_model = true,
                                          .size = SessionSize::kBatch};
inline constexpr SessionKindTraits kQueueRun{.id = "queue",
                                             .command = "aaco queue",
                                             .document = layout::kQueue,
                                             .has_iterations = true,
                                             .has_queue_runs = true,
                                             .is_of_queue = true,
                                             .size = SessionSize::kStreams};
inline constexpr SessionKindTraits kQueueSweep{.id = "queue_sweep",
                                               .command = "aaco queue",
                                               .document = layout::kQueue,
                                               .has_queue_runs = true,
                                               .is_of_queue = true,
                                               .size = SessionSize::kStreams};
inline constexpr SessionKindTraits kQueueProbe{.id = "queue_probe",
                                               .command = "aaco queue",
                                               .subject = "probe",
                                               .document = layout::kQueueProbe,
                                               .is_of_queue = true,
                                               .size = SessionSize::kStreams};
inline constexpr SessionKindTraits kTraining{
    .id = "training", .command = "aaco llama", .document = layout::kTraining, .has_iterations = true};
inline constexpr SessionKindTraits kTrainingStudy{// the steps are in the sessions of its trainings
                                                  .id = "training_study",
                                                  .command = "aaco llama",
                                                  .document = layout::kTraining};
inline constexpr SessionKindTraits kOverlap{
    .id = "overlap", .command = "aaco overlap", .document = layout::kOverlap, .has_iterations = true};
inline constexpr SessionKindTraits kCopyOverlap{
    .id = "copy_overlap", .command = "aaco overlap copy", .document = layout::kOverlap};
inline constexpr SessionKindTraits kOverlapSweep{// the steps are in the sessions of its trainings
                                                 .id = "overlap_sweep",
                                                 .command = "aaco overlap sweep",
                                                 .document = layout::kOverlap};
inline constexpr SessionKindTraits kTrace{.id = "trace", .command = "aaco trace", .document = layout::kTraceFiles};
}  // namespace session_kind

// All of them.
std::span<const SessionKindTraits* const> session_kinds();

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
