# schemas/sql/NNNN_*.sql as a C source that defines schemas[] (daemon/store/schema.h). Written when
# CMake runs, which a changed or new file makes happen.
file(GLOB SCHEMAS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/schemas/sql/[0-9][0-9][0-9][0-9]_*.sql)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SCHEMAS})
set(SCHEMA_C ${CMAKE_CURRENT_BINARY_DIR}/schema.c)
set(SCHEMA_TEXTS "")
set(SCHEMA_ROWS "")
foreach(schema IN LISTS SCHEMAS)
	get_filename_component(name ${schema} NAME)
	string(REGEX MATCH "^0*([0-9]+)_" _ ${name})
	set(version ${CMAKE_MATCH_1})
	file(READ ${schema} bytes HEX)
	string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
	string(APPEND SCHEMA_TEXTS "static const char sql_${version}[] = {${bytes}0};\n")
	string(APPEND SCHEMA_ROWS "\t{${version}, sql_${version}},\n")
endforeach()
file(CONFIGURE OUTPUT ${SCHEMA_C} @ONLY CONTENT [[
#include "daemon/store/schema.h"

@SCHEMA_TEXTS@
const struct schema schemas[] = {
@SCHEMA_ROWS@};
const size_t schemas_n = sizeof(schemas) / sizeof(schemas[0]);
]])
