# Find jansson (Debian ships no CMake package of it): jansson::jansson
# CAROM_JANSSON_SOURCE names its source instead, for targets that have no package of it.
if(CAROM_JANSSON_SOURCE)
  file(GLOB jansson_sources ${CAROM_JANSSON_SOURCE}/src/*.c)
  add_library(jansson STATIC EXCLUDE_FROM_ALL ${jansson_sources})
  target_include_directories(jansson SYSTEM
    PUBLIC ${CAROM_JANSSON_SOURCE}/src ${CMAKE_CURRENT_LIST_DIR}/jansson)
  target_compile_definitions(jansson PRIVATE HAVE_CONFIG_H)
  target_compile_options(jansson PRIVATE -w)
  add_library(jansson::jansson ALIAS jansson)
  set(jansson_FOUND TRUE)
  return()
endif()

find_path(jansson_INCLUDE_DIR jansson.h)
find_library(jansson_LIBRARY jansson)
mark_as_advanced(jansson_INCLUDE_DIR jansson_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(jansson REQUIRED_VARS jansson_LIBRARY jansson_INCLUDE_DIR)
if(jansson_FOUND AND NOT TARGET jansson::jansson)
  add_library(jansson::jansson UNKNOWN IMPORTED)
  set_target_properties(jansson::jansson PROPERTIES
    IMPORTED_LOCATION ${jansson_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${jansson_INCLUDE_DIR})
endif()
