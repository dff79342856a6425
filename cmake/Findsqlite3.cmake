# Find SQLite: sqlite3::sqlite3
find_path(sqlite3_INCLUDE_DIR sqlite3.h)
find_library(sqlite3_LIBRARY sqlite3)
mark_as_advanced(sqlite3_INCLUDE_DIR sqlite3_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(sqlite3 REQUIRED_VARS sqlite3_LIBRARY sqlite3_INCLUDE_DIR)
if(sqlite3_FOUND AND NOT TARGET sqlite3::sqlite3)
  add_library(sqlite3::sqlite3 UNKNOWN IMPORTED)
  set_target_properties(sqlite3::sqlite3 PROPERTIES
    IMPORTED_LOCATION ${sqlite3_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${sqlite3_INCLUDE_DIR})
endif()
