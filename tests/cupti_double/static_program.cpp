// SPDX-License-Identifier: MIT
// A program without a dynamic loader, which can load no library.
#include <unistd.h>

int main() {
  ::sleep(5);
  return 0;
}
