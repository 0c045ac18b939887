// SPDX-License-Identifier: MIT
// Lanes of devices that writers other than Kineto mark by name alone, without categories: JAX and TensorFlow
// ("/device:GPU:0"), Ascend's profiler ("Ascend Hardware") and PyTorch's profiler before Kineto ("CUDA functions").
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

struct DeviceLanes {
  std::vector<bool> is_known;          // by track: what lies on it has a kind now
  std::vector<std::string> unknown;    // lanes named like a device's that are not understood, in order
  std::vector<bool> is_like_a_device;  // by track: it is one of these
  bool has_work = false;               // some slice of the file occupies a device

  std::string unknown_names() const;  // quoted, the first few
};

// Of the events and tracks from these on, which are one file's, with their tracks' names: gives slices without a known
// category their kinds, and the tracks of devices device and stream. Lanes that show the same work again (XLA's modules
// and steps, Ascend's overlap analysis) become ranges of the device, as do slices that hold others of their lane.
DeviceLanes recognise_device_lanes(EventTable& table, size_t first_event, size_t first_track);

}  // namespace aaco
