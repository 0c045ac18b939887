// SPDX-License-Identifier: MIT
// Owners of ONNX Runtime's objects: each knows the function that releases it. Private to model/runtime.
#pragma once

#include <memory>
#include <onnxruntime_c_api.h>

namespace aaco {

template <class T>
struct OrtRelease {
  void (*release)(T*) = nullptr;
  void operator()(T* object) const { release(object); }
};

template <class T>
class OrtHandle : public std::unique_ptr<T, OrtRelease<T>> {
 public:
  OrtHandle() = default;
  OrtHandle(T* object, void (*release_call)(T*))
      : std::unique_ptr<T, OrtRelease<T>>(object, OrtRelease<T>{release_call}) {}
};

}  // namespace aaco
