// SPDX-License-Identifier: MIT
#include "cli/guard/ci_files.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

#include "base/files/file.h"
#include "base/side_note.h"
#include "guard/output/answer_text.h"
#include "guard/output/ci_formats.h"

namespace aaco {

namespace {

constexpr uintmax_t kMostSummaryBytes = uintmax_t{1} << 20;  // of a step; GitHub drops all of a longer one

Result<void> add_to_summary(const GuardAnswer& answer) {
  const char* const path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0') {
    return {};
  }
  const std::string text = answer_markdown(answer) + "\n";
  std::error_code error;
  const uintmax_t before = std::filesystem::exists(path, error) ? std::filesystem::file_size(path, error) : 0;
  if (before + text.size() > kMostSummaryBytes) {
    note("warning: the step's summary is full: this answer is not in it\n");
    return {};
  }
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << text << std::flush;
  return file ? Result<void>() : file_error(path, "write", errno);
}

Result<void> write_where_asked(const std::string& path, std::string (*format)(const GuardAnswer&),
                               const GuardAnswer& answer) {
  return path.empty() ? Result<void>() : write_file_atomically(path, format(answer));
}

}  // namespace

void add_ci_flags(cli::Command command, CiFiles& files) {
  command.add_option("--junit", files.junit, "JUnit XML to write").type_name("FILE").written();
  command.add_option("--markdown", files.markdown, "Comment for a reviewer to write").type_name("FILE").written();
  command.add_option("--gitlab", files.gitlab, "GitLab's code quality report to write").type_name("FILE").written();
  command.add_option("--sarif", files.sarif, "SARIF to write").type_name("FILE").written();
  command.add_flag("--github", files.github, "GitHub annotations (with --json on stderr), and the step's summary");
}

Result<void> write_ci_files(const CiFiles& files, const GuardAnswer& answer, bool json) {
  AACO_TRY(write_where_asked(files.junit, junit_xml, answer));
  AACO_TRY(write_where_asked(files.markdown, answer_markdown, answer));
  AACO_TRY(write_where_asked(files.gitlab, gitlab_code_quality, answer));
  AACO_TRY(write_where_asked(files.sarif, sarif, answer));
  if (files.github) {
    if (json) {
      note("{}", github_annotations(answer));
    } else {
      fmt::print("{}", github_annotations(answer));
    }
    AACO_TRY(add_to_summary(answer));
  }
  return {};
}

}  // namespace aaco
