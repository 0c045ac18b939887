// SPDX-License-Identifier: MIT
// What all sweeps do, whatever they vary: run their members in turns, each in a session of its own, then make a session
// that names those. How a member is run and what is said of it is each sweep's own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/progress.h"
#include "kind/kind.h"
#include "kind/sweep/document/sweep_document.h"
#include "record/recording.h"
#include "session/session_document.h"

namespace aaco {

template <class Document>
struct SweepOutcome {
  Document document;             // of the members that were measured, also after a failure
  std::optional<Error> failure;  // an interrupt, or what the sweep failed at: its session and the command end so

  Result<int> exit_code() const { return failure ? Result<int>(*failure) : Result<int>(0); }
};

// Every round runs each member once, and begins with the next one, so that what drifts with time favours none.
struct SweepTurns {
  size_t members = 0;
  size_t rounds = 1;
};

// One turn of a member. An error ends the sweep; a failure that does not is for the member's place in the document.
using RunMember = std::function<Result<void>(size_t member, size_t round, const ProgressCallback& progress)>;

// A member of one of two sweeps, which are measured again.
struct SweepMember {
  size_t side = 0;  // 0: baseline, 1: test
  size_t index = 0;
};

// The turns of two sweeps with so many members: those of one place beside each other.
std::vector<SweepMember> members_in_turns(size_t baseline, size_t test);

// What ended the sweep before its last turn: an interrupt, or the error of a turn.
std::optional<Error> run_turns(const SweepTurns& turns, const ProgressCallback& progress, const RunMember& run);

// What the session of a sweep is made with.
struct SweepSession {
  const Kind& kind;
  std::string sessions;  // folder
  std::vector<std::string> command_line;
  RunFacts facts;
  const char* plane = "sweep";
};

// Makes the session, has `write` put what belongs to it there once `head` says what the session is, and closes it as
// `failure` says.
Result<void> keep_sweep(const SweepSession& sweep, const std::optional<Error>& failure, SweepHead& head,
                        const std::function<Result<void>(SessionWriter&)>& write);

// With the document, which `read` must be able to read again. `more`: into the session besides.
template <class Document>
Result<void> keep_sweep(const SweepSession& sweep, SweepOutcome<Document>& outcome,
                        Result<Document> (*read)(const Json&, std::string_view),
                        const std::function<Result<void>(SessionWriter&)>& more = nullptr) {
  return keep_sweep(sweep, outcome.failure, outcome.document, [&](SessionWriter& session) -> Result<void> {
    AACO_TRY(write_document(session, sweep.kind.traits.document, Json(outcome.document), read));
    return more ? more(session) : Result<void>();
  });
}

}  // namespace aaco
