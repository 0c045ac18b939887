// SPDX-License-Identifier: MIT
#include "cli/command/progress_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

#include "base/text/characters.h"

namespace aaco {
namespace {

using std::chrono::milliseconds;

// What is written to a temporary file.
class TextFile {
 public:
  std::FILE* file() const { return file_.get(); }
  std::string text() const {
    std::string text(size_t{1} << 16, ' ');
    text.resize(static_cast<size_t>(::pread(::fileno(file_.get()), text.data(), text.size(), 0)));
    return text;
  }
  // Once it holds `part`, which another thread writes.
  void wait_for(const std::string& part) const {
    while (text().find(part) == std::string::npos) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Closer> file_{std::tmpfile()};
};

// Of work that says twice where it is and is over when `part` was written.
std::string said(const ProgressStyle& style, const TextFile& written, const std::string& part = "") {
  ProgressLine progress(style);
  progress.show("first", 0);
  progress.show("second", 0.5);
  written.wait_for(part);
  progress.wipe();
  return written.text();
}

TEST(ProgressLine, InAPipeSaysFromTimeToTimeWhatIsDoneNow) {
  const TextFile written;
  const std::string line = "[ 50 %] second, 0 s so far\n";
  const std::string text = said({false, milliseconds(1), written.file()}, written, line + line);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\x1b")));
}

TEST(ProgressLine, NamesSteerNoTerminal) {
  const TextFile written;
  {
    ProgressLine progress({true, milliseconds(1), written.file()});
    progress.show("preparing \x1b]0;title\x07.onnx", 0);
  }
  EXPECT_THAT(written.text(), testing::HasSubstr("preparing  ]0;title .onnx"));
}

TEST(ProgressLine, InAPipeSaysNothingOfShortWork) {
  const TextFile written;
  EXPECT_EQ(said({false, std::chrono::hours(1), written.file()}, written), "");
}

TEST(ProgressLine, OnATerminalDrawsAtOnceAndWipes) {
  const TextFile written;
  const std::string text = said({true, std::chrono::hours(1), written.file()}, written);
  EXPECT_EQ(text,
            "\r\x1b[K[..............................] first"
            "\r\x1b[K[###############...............] second"
            "\r\x1b[K");
}

TEST(ProgressLine, OnATerminalDrawsAgainWhereNothingIsNew) {
  const TextFile written;
  const std::string bar = "\r\x1b[K[###############...............] second";
  const std::string text = said({true, milliseconds(1), written.file()}, written, bar + bar);
  EXPECT_THAT(text, testing::EndsWith(bar + "\r\x1b[K"));
}

TEST(ProgressLine, QuietSaysNothing) {
  const TextFile written;
  EXPECT_EQ(said({true, milliseconds(0), written.file()}, written), "");
}

TEST(ProgressLine, GoesOnAfterAPause) {
  const TextFile written;
  ProgressLine progress({true, std::chrono::hours(1), written.file()});
  progress.show("first", 0);
  progress.wipe();
  progress.wipe();
  progress.show("second", 1);
  progress.wipe();
  EXPECT_THAT(written.text(), testing::EndsWith("\r\x1b[K[##############################] second\r\x1b[K"));
}

TEST(ProgressLine, SaysWhatIsLeftOnceItCanBeTold) {
  EXPECT_EQ(progress_text("measuring", 0.25, 20, false, std::nullopt),
            "[ 25 %] measuring, 20 s so far, about 60 s left");
  EXPECT_EQ(progress_text("measuring", 0.25, 4, false, std::nullopt), "[ 25 %] measuring, 4 s so far");
  EXPECT_EQ(progress_text("measuring", 0.04, 20, false, std::nullopt), "[  4 %] measuring, 20 s so far");
}

TEST(ProgressLine, FitsTheTerminal) {
  const std::string bar = "[###############...............] ";
  EXPECT_EQ(progress_text("measuring", 0.5, 0, true, 80), bar + "measuring");
  EXPECT_EQ(progress_text("a model with a long name", 0.5, 10, true, 80),
            bar + "a model with a \u2026, 10 s so far, about 10 s left");
  for (const int columns : {1, 2, 20, 40, 60, 79}) {
    EXPECT_LE(length_of(progress_text("a model with a long name", 0.5, 10, true, columns)), std::max(1, columns - 1));
  }
}

}  // namespace
}  // namespace aaco
