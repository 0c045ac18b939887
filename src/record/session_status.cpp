// SPDX-License-Identifier: MIT
#include "record/session_status.h"

#include <string>

#include "base/text/enum_words.h"

namespace aaco {

namespace {

constexpr EnumWords<SessionStatus, 8> kWords{
    {"", "running", "incomplete", "complete", "interrupted", "failed", "invalid", "damaged"}};

}  // namespace

const char* session_status_name(SessionStatus status) { return kWords.word(status); }

std::optional<SessionStatus> parse_session_status(std::string_view text) { return kWords.parse(text); }

SessionStatus status_after(const Error& error) {
  return error.kind == ErrorKind::kInterrupted ? SessionStatus::kInterrupted : SessionStatus::kFailed;
}

bool is_closed(SessionStatus status) {
  return status != SessionStatus::kRunning && status != SessionStatus::kIncomplete && status != SessionStatus::kDamaged;
}

}  // namespace aaco
