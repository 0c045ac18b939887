// SPDX-License-Identifier: MIT
#include "record/plane_state.h"

#include "base/text/enum_words.h"

namespace aaco {

namespace {

constexpr EnumWords<PlaneStatus, 4> kWords{{"", "recorded", "not requested", "unavailable"}};

}  // namespace

const char* plane_status_name(PlaneStatus status) { return kWords.word(status); }

std::optional<PlaneStatus> parse_plane_status(std::string_view text) { return kWords.parse(text); }

}  // namespace aaco
