// SPDX-License-Identifier: MIT
// Errors as values. A function that can fail returns Result<T>; nothing in our API throws.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace aaco {

// What went wrong, in the terms of the program's exit codes (docs/troubleshooting.md lists them).
enum class ErrorKind {
  kUsage = 2,        // bad command line or input
  kUnavailable = 3,  // not available on this machine
  kInvalid = 4,      // an inconclusive or invalid measurement
  kPartial = 5,      // input loaded in part
  kResource = 6,     // disk, memory or device failed during the run
  kBug = 70,         // our mistake
  kInterrupted = 130,
};

// `message`: one line that says what was wrong and where. `hint`: what to do; may be empty only for kBug and
// kInterrupted.
struct Error {
  ErrorKind kind = ErrorKind::kBug;
  std::string message;
  std::string hint;

  int exit_code() const { return static_cast<int>(kind); }
};

// A T or an Error. Shaped like std::expected<T, Error>, which it becomes with C++23.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}  // NOLINT(google-explicit-constructor): a value is a result
  Result(Error error) : state_(std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace aaco

// Returns the error of `expression` from the enclosing function, if it has one. The counter keeps the names of nested
// uses (a lambda inside the expression) apart.
#define AACO_TRY(...) AACO_TRY_NAMED_(AACO_CONCAT(aaco_try_, __COUNTER__), __VA_ARGS__)

// `AACO_ASSIGN(auto x, f());`: x is f's value, or the enclosing function returns f's error.
#define AACO_ASSIGN(target, ...) AACO_ASSIGN_NAMED_(AACO_CONCAT(aaco_result_, __COUNTER__), target, __VA_ARGS__)

#define AACO_CONCAT_(a, b) a##b
#define AACO_CONCAT(a, b) AACO_CONCAT_(a, b)
#define AACO_TRY_NAMED_(name, ...)          \
  do {                                      \
    if (auto name = (__VA_ARGS__); !name) { \
      return name.error();                  \
    }                                       \
  } while (false)
#define AACO_ASSIGN_NAMED_(name, target, ...) \
  auto name = (__VA_ARGS__);                  \
  if (!name) {                                \
    return name.error();                      \
  }                                           \
  target = std::move(name).value()
