# Find CHOLMOD of SuiteSparse (Debian ships no CMake package of it): cholmod::cholmod
find_path(cholmod_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(cholmod_LIBRARY cholmod)
mark_as_advanced(cholmod_INCLUDE_DIR cholmod_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(cholmod REQUIRED_VARS cholmod_LIBRARY cholmod_INCLUDE_DIR)
if(cholmod_FOUND AND NOT TARGET cholmod::cholmod)
  add_library(cholmod::cholmod UNKNOWN IMPORTED)
  set_target_properties(cholmod::cholmod PROPERTIES
    IMPORTED_LOCATION ${cholmod_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${cholmod_INCLUDE_DIR})
endif()
