// SPDX-License-Identifier: MIT
// A device as the documents of sessions describe it.
#pragma once

#include "analysis/devices/device_facts.h"
#include "device/device.h"

namespace aaco {

DeviceFacts facts_of(const DeviceProperties& properties);

}  // namespace aaco
