# latchlab_locks(OUT lock...): writes the file OUT, which defines built_in_protocols()
# (core/protocols/registry.h) for these locks. A lock NAME is a folder of core/protocols in which
# NAME.h declares NAME_entry().
function(latchlab_locks out)
  set(includes)
  set(entries)
  foreach(name IN LISTS ARGN)
    string(APPEND includes "#include \"core/protocols/${name}/${name}.h\"\n")
    string(APPEND entries "  all.push_back(${name}_entry());\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out} CONTENT "#include \"core/protocols/registry.h\"\n@includes@
namespace latchlab {

std::deque<ProtocolEntry> built_in_protocols() {
  std::deque<ProtocolEntry> all;
@entries@  return all;
}

}  // namespace latchlab
" @ONLY)
endfunction()

# Every folder of core/protocols except common/, sorted by name.
file(GLOB lock_headers CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE
     ${CMAKE_SOURCE_DIR}/core/protocols ${CMAKE_SOURCE_DIR}/core/protocols/*/*.h)
set(latchlab_locks)
foreach(header IN LISTS lock_headers)
  cmake_path(GET header PARENT_PATH folder)
  if(NOT folder STREQUAL common)
    list(APPEND latchlab_locks ${folder})
  endif()
endforeach()
list(REMOVE_DUPLICATES latchlab_locks)
list(SORT latchlab_locks)
