// SPDX-License-Identifier: MIT
// What Kineto's categories are, in the terms of every vendor.
#pragma once

#include <optional>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco {

// Of today's dialect and that of 2021; none for a category that neither has. Source: pytorch/kineto, ActivityType.h,
// and its tb_plugin.
std::optional<EventKind> kind_of_category(std::string_view category);

}  // namespace aaco
