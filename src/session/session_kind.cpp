// SPDX-License-Identifier: MIT
#include "session/session_kind.h"

#include <algorithm>
#include <utility>

namespace aaco {

namespace {

std::vector<const SessionKindTraits*>& known_kinds() {
  static std::vector<const SessionKindTraits*> kinds;
  return kinds;
}

constexpr SessionKindTraits kUnknown{.id = ""};

const SessionKindTraits& traits_of(std::string_view word) {
  const auto& kinds = session_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const SessionKindTraits* traits) { return traits->id == word; });
  return kind == kinds.end() ? kUnknown : **kind;
}

}  // namespace

void use_session_kinds(std::vector<const SessionKindTraits*> kinds) { known_kinds() = std::move(kinds); }

const std::vector<const SessionKindTraits*>& session_kinds() { return known_kinds(); }

SessionKind::SessionKind(std::string_view word) : word_(word), traits_(&traits_of(word)) {}

bool SessionKind::is_known() const { return traits_ != &kUnknown; }

}  // namespace aaco
