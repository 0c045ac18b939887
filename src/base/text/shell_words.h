// SPDX-License-Identifier: MIT
// A command line as a POSIX shell takes it back.
#pragma once

#include <string>
#include <vector>

namespace aaco {

// `words` with spaces between them, quoted where a shell would read one otherwise. Bytes that are not UTF-8 become
// octal numbers in $'...', which bash and zsh know.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace aaco
