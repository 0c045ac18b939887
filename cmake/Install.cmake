# An installed tree can lie anywhere: bin/aaco looks for all else relative to itself (src/base/files/installation.h). A component
# for each part that a package may leave out; scripts/package makes packages of them:
#   program      bin/aaco
#   cuda, hip    lib/aaco/libaaco_*.so, installed only when named
#   configs      share/aaco/configs
#   completions  share/bash-completion/completions, share/zsh/site-functions, share/fish/vendor_completions.d
#   manual       share/man/man1, from the tables that make --help
#   docs         share/doc/aaco
# DT_RPATH rather than DT_RUNPATH: it holds for the libraries of our libraries too.
if(TARGET aaco)
  include(GNUInstallDirs)
  set_target_properties(aaco PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/aaco" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(aaco PRIVATE -Wl,--disable-new-dtags)
  # glibc 2.34 and the libstdc++ of GCC 11 are enough (src/base/glibc/older_symbols.cpp).
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND NOT AACO_SANITIZE)
    target_link_options(aaco PRIVATE -Wl,--wrap=hypot
      -Wl,--wrap=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)
  endif()
  install(TARGETS aaco RUNTIME DESTINATION bin COMPONENT program)
  install(DIRECTORY configs DESTINATION share/aaco COMPONENT configs)
  foreach(shell_file bash:bash-completion/completions/aaco zsh:zsh/site-functions/_aaco fish:fish/vendor_completions.d/aaco.fish)
    string(REGEX MATCH "^([a-z]+):(.*)/([^/]*)$" matched ${shell_file})
    install(CODE "
      file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${CMAKE_MATCH_2}\")
      execute_process(COMMAND env AACO_CONFIGS=${CMAKE_SOURCE_DIR}/configs $<TARGET_FILE:aaco> completion ${CMAKE_MATCH_1}
        OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${CMAKE_MATCH_2}/${CMAKE_MATCH_3}\" COMMAND_ERROR_IS_FATAL ANY)"
      COMPONENT completions)
  endforeach()
  install(CODE "
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1\")
    execute_process(COMMAND $<TARGET_FILE:aaco> manual
      OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/aaco.1\" COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT manual)
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/aaco COMPONENT docs)
  # Reports name these pages.
  install(DIRECTORY docs DESTINATION share/doc/aaco COMPONENT docs FILES_MATCHING PATTERN "*.md")
endif()
