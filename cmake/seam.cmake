# Latchlab::plugin: the headers against which plug-ins are compiled. A hash of these headers detects
# a plug-in that was built against other headers than the program, even with an equal version.
file(GLOB seam CONFIGURE_DEPENDS core/base/*.h core/coro/*.h core/verbs/*.h core/protocols/lock.h
     core/protocols/message_names.h core/protocols/peers.h core/protocols/plugin.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${seam})
set(hashes)
foreach(header IN LISTS seam)
  file(SHA256 ${header} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 latchlab_seam)

add_library(latchlab_plugin INTERFACE)
add_library(Latchlab::plugin ALIAS latchlab_plugin)
set_target_properties(latchlab_plugin PROPERTIES EXPORT_NAME plugin)
target_compile_features(latchlab_plugin INTERFACE cxx_std_20)
target_compile_options(latchlab_plugin INTERFACE -ffp-contract=off)
target_compile_definitions(latchlab_plugin INTERFACE LATCHLAB_VERSION="${PROJECT_VERSION}"
                           LATCHLAB_SEAM="${latchlab_seam}")
target_include_directories(latchlab_plugin INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
                           $<INSTALL_INTERFACE:include/latchlab>)
include(cmake/plugin.cmake)
