# The backend for RDMA hardware. Uses libmlx5 if it is found.
pkg_check_modules(IBVERBS REQUIRED IMPORTED_TARGET libibverbs>=1.14)
latchlab_glob(sources backends/ibverbs)
if(LATCHLAB_MLX5)
  pkg_check_modules(MLX5 IMPORTED_TARGET libmlx5>=1.21)
endif()
if(MLX5_FOUND)
  list(FILTER sources EXCLUDE REGEX "/mlx5_absent\\.cc$")
else()
  message(STATUS "Devices of mlx5 are used by libibverbs' verbs alone: no masked atomics, no DC")
  list(FILTER sources EXCLUDE REGEX "/mlx5\\.cc$")
endif()
add_library(latchlab_ibverbs STATIC ${sources})
target_link_libraries(latchlab_ibverbs PUBLIC latchlab_core Threads::Threads fmt::fmt)
if(MLX5_FOUND)  # before libibverbs, which it uses
  target_link_libraries(latchlab_ibverbs PRIVATE PkgConfig::MLX5)
endif()
target_link_libraries(latchlab_ibverbs PRIVATE PkgConfig::IBVERBS)

# A ConnectX in software, for tests: see tools/soft-mlx5/README.md. Built without sanitizers,
# because it is preloaded into programs with and without them.
if(MLX5_FOUND AND LATCHLAB_TESTS)
  latchlab_glob(sources tools/soft-mlx5)
  add_library(soft-mlx5 SHARED ${sources})
  target_compile_options(soft-mlx5 PRIVATE -fno-sanitize=all)
  target_link_options(soft-mlx5 PRIVATE -fno-sanitize=all)
  target_link_libraries(soft-mlx5 PRIVATE Threads::Threads)
  set_target_properties(soft-mlx5 PROPERTIES OUTPUT_NAME soft_mlx5 CXX_VISIBILITY_PRESET hidden
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib UNITY_BUILD OFF)
endif()
