# cmake --install: the program with its data, and two targets for a lock outside this tree:
#   Latchlab::plugin     headers, for a lock that is a plug-in (latchlab_add_plugin)
#   Latchlab::latchlab   the headers plus core, explorer, world and search, for the lock's tests
include(CMakePackageConfigHelpers)

add_library(latchlab_library INTERFACE)
set_target_properties(latchlab_library PROPERTIES EXPORT_NAME latchlab)
target_link_libraries(latchlab_library INTERFACE latchlab_explore latchlab_world
                      latchlab_protocols latchlab_plugin)

install(TARGETS latchlab RUNTIME DESTINATION bin)
install(TARGETS latchlab_core latchlab_scenario latchlab_protocols latchlab_world latchlab_run
        latchlab_conclude latchlab_explorer latchlab_explore latchlab_plugin latchlab_library
        EXPORT LatchlabTargets ARCHIVE DESTINATION lib)
install(EXPORT LatchlabTargets NAMESPACE Latchlab:: DESTINATION lib/cmake/Latchlab)

install(DIRECTORY core DESTINATION include/latchlab FILES_MATCHING PATTERN *.h)
install(DIRECTORY backends/explorer DESTINATION include/latchlab/backends FILES_MATCHING
        PATTERN *.h)
install(DIRECTORY tools/explore DESTINATION include/latchlab/tools FILES_MATCHING PATTERN *.h)
install(FILES tests/protocols/bug.h tests/protocols/harness.h tests/protocols/planted.h
        tests/protocols/promises.h tests/protocols/worlds.h
        DESTINATION include/latchlab/tests/protocols)
install(DIRECTORY models/cpu models/fits models/nics models/software
        DESTINATION share/latchlab/models)
install(DIRECTORY scenarios DESTINATION share/latchlab)

configure_package_config_file(cmake/LatchlabConfig.cmake.in LatchlabConfig.cmake
                              INSTALL_DESTINATION lib/cmake/Latchlab
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(LatchlabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/LatchlabConfig.cmake
        ${CMAKE_BINARY_DIR}/LatchlabConfigVersion.cmake cmake/plugin.cmake
        DESTINATION lib/cmake/Latchlab)

# The program itself generates the manual page and the completions.
install(CODE "
  function(made file)
    execute_process(COMMAND \"$<TARGET_FILE:latchlab>\" \${ARGN} OUTPUT_FILE
                    \"${CMAKE_BINARY_DIR}/made/\${file}\" COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  file(MAKE_DIRECTORY \"${CMAKE_BINARY_DIR}/made\")
  made(latchlab.1 manual)
  made(latchlab completion bash)
  made(_latchlab completion zsh)
  made(latchlab.fish completion fish)")
install(FILES ${CMAKE_BINARY_DIR}/made/latchlab.1 DESTINATION share/man/man1)
install(FILES ${CMAKE_BINARY_DIR}/made/latchlab DESTINATION share/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/made/_latchlab DESTINATION share/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/made/latchlab.fish
        DESTINATION share/fish/vendor_completions.d)
