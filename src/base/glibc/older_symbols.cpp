// SPDX-License-Identifier: MIT
// Keeps the program at glibc 2.34 and at the libstdc++ of GCC 11, which manylinux_2_34 promises, also where it is built
// on newer ones. The linker sends calls of these two here (--wrap, cmake/Install.cmake), and here they are bound to the
// older of the versions that the libraries export. Both versions compute the same; the newer hypot leaves out SVID's
// error handling.
#include <condition_variable>
#include <mutex>

#if defined(__x86_64__) && defined(__GLIBC__)

extern "C" {
double aaco_older_hypot(double x, double y);
void aaco_older_wait(std::condition_variable* self, std::unique_lock<std::mutex>* lock);
// NOLINTBEGIN(bugprone-reserved-identifier): the linker names them so
double __wrap_hypot(double x, double y);
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* self,
                                                                      std::unique_lock<std::mutex>* lock);
}
__asm__(".symver aaco_older_hypot, hypot@GLIBC_2.2.5");
__asm__(
    ".symver aaco_older_wait, "
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

double __wrap_hypot(double x, double y) { return aaco_older_hypot(x, y); }

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* self,
                                                                      std::unique_lock<std::mutex>* lock) {
  aaco_older_wait(self, lock);
}
// NOLINTEND(bugprone-reserved-identifier)

#endif
