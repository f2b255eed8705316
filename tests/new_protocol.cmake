# What `latchlab new protocol sample` writes into a source tree: built with this compiler's warnings
# and tested as any other lock. Of the tree it needs only the files that it changes.
set(tree ${CMAKE_CURRENT_BINARY_DIR}/new-protocol)
set(common core/protocols/common)
set(written core/protocols/sample.cc core/protocols/registry.cc ${common}/planted.cc
    tests/protocols/sample_test.cc tests/planted/sample_planted.cc)
list(TRANSFORM written PREPEND ${tree}/)
add_custom_command(
  OUTPUT ${written}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${tree}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${tree}/${common}
  COMMAND ${CMAKE_COMMAND} -E copy core/protocols/registry.cc ${tree}/core/protocols
  COMMAND ${CMAKE_COMMAND} -E copy ${common}/planted.h ${common}/planted.cc ${tree}/${common}
  COMMAND latchlab new protocol sample --out ${tree}
  DEPENDS latchlab ${CMAKE_SOURCE_DIR}/core/protocols/registry.cc
          ${CMAKE_SOURCE_DIR}/${common}/planted.h ${CMAKE_SOURCE_DIR}/${common}/planted.cc
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "Writing a new lock" VERBATIM)
add_executable(test_new_protocol ${written})
target_include_directories(test_new_protocol BEFORE PRIVATE ${tree})
target_link_libraries(test_new_protocol PRIVATE latchlab_explore_planted latchlab_study
                      latchlab_protocols_planted latchlab_explorer GTest::gtest_main GTest::gmock)
gtest_discover_tests(test_new_protocol DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
