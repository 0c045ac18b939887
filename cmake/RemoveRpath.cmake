# cmake -P RemoveRpath.cmake PROGRAM: for a package whose libraries are the system's. As CMake does it when it installs.
file(RPATH_REMOVE FILE ${CMAKE_ARGV3})
