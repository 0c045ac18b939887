// SPDX-License-Identifier: MIT
// For tests: which sanitizer this program was built with. GCC defines macros for its own, Clang has features.
#pragma once

namespace aaco {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// GCC has no macro for it.
#if defined(__has_feature)
inline constexpr bool kUndefinedSanitizer = __has_feature(undefined_behavior_sanitizer);
#else
inline constexpr bool kUndefinedSanitizer = false;
#endif

}  // namespace aaco
