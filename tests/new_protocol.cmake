# Builds what `latchlab new protocol sample` writes into a source tree, with this compiler's
# warnings, and tests it like any other lock. The tree has only the files by which the command
# recognises one.
set(tree ${CMAKE_CURRENT_BINARY_DIR}/new-protocol)
set(registry core/protocols/registry.cc)
set(written core/protocols/sample/sample.cc tests/protocols/sample/sample_test.cc
    tests/protocols/sample/sample_planted.cc)
list(TRANSFORM written PREPEND ${tree}/)
add_custom_command(
  OUTPUT ${written}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${tree}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${tree}/core/protocols
  COMMAND ${CMAKE_COMMAND} -E copy ${registry} ${tree}/core/protocols
  COMMAND latchlab new protocol sample --out ${tree}
  DEPENDS latchlab ${CMAKE_SOURCE_DIR}/${registry}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "Writing a new lock" VERBATIM)
latchlab_locks(${CMAKE_CURRENT_BINARY_DIR}/locks_and_sample.cc ${latchlab_locks} sample)
add_executable(test_new_protocol ${written} ${CMAKE_CURRENT_BINARY_DIR}/locks_and_sample.cc)
target_include_directories(test_new_protocol BEFORE PRIVATE ${tree})
target_link_libraries(test_new_protocol PRIVATE latchlab_explore_planted latchlab_run
                      latchlab_protocols_planted latchlab_explorer GTest::gtest_main GTest::gmock)
gtest_discover_tests(test_new_protocol DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
