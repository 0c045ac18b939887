# bin/aaco finds its libraries in lib/ beside bin/, so that the tree can lie anywhere; scripts/package fills lib/.
# DT_RPATH rather than DT_RUNPATH: it holds for the libraries of our libraries too.
if(TARGET aaco)
  set_target_properties(aaco PROPERTIES INSTALL_RPATH "$ORIGIN/../lib" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(aaco PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS aaco RUNTIME DESTINATION bin)
  install(DIRECTORY configs DESTINATION .)
  install(CODE "
    file(MAKE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions\")
    execute_process(COMMAND env AACO_CONFIGS=${CMAKE_SOURCE_DIR}/configs $<TARGET_FILE:aaco> completion bash
      OUTPUT_FILE \"\${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions/aaco\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES LICENSE README.md DESTINATION .)
endif()
