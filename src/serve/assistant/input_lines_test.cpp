// SPDX-License-Identifier: MIT
#include "serve/assistant/input_lines.h"

#include <array>
#include <gtest/gtest.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

namespace aaco::serve {
namespace {

// All lines of a text that comes through a pipe; "too long" for those that are.
std::vector<std::string> lines_of(const std::string& text, size_t longest_bytes) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe(pipe.data()), 0);
  std::thread writer([&] {
    for (std::string_view rest = text; !rest.empty();) {
      const ssize_t put = ::write(pipe[1], rest.data(), rest.size());
      rest.remove_prefix(put > 0 ? static_cast<size_t>(put) : rest.size());
    }
    ::close(pipe[1]);
  });
  InputLines lines(pipe[0], longest_bytes);
  std::vector<std::string> all;
  for (auto line = lines.next(); line && *line; line = lines.next()) {
    all.push_back((*line)->too_long ? "too long" : (*line)->text);
  }
  writer.join();
  ::close(pipe[0]);
  return all;
}

using Lines = std::vector<std::string>;

TEST(InputLines, TheLastNeedsNoEnd) {
  EXPECT_EQ(lines_of("a\n\nb", 10), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\n", 10), Lines{"a"});
  EXPECT_EQ(lines_of("", 10), Lines{});
}

TEST(InputLines, GoesOnAfterALineThatIsTooLong) {
  EXPECT_EQ(lines_of("0123456789\n0123456789a\nb\n", 10), (Lines{"0123456789", "too long", "b"}));
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(lines_of("a\n" + large + "\n" + large + "\nb\n" + large, 100'000),
            (Lines{"a", "too long", "too long", "b", "too long"}));
}

}  // namespace
}  // namespace aaco::serve
