# SPDX-License-Identifier: Apache-2.0
# cmake -DFROM=FOLDER -DOUT=FILE -P TwinRows.cmake: writes ROW(id) for each line PAIL_TWIN(id, function) of FOLDER/*.c.
file(GLOB twins ${FROM}/*.c)
set(rows "")
foreach(twin IN LISTS twins)
  file(STRINGS ${twin} lines REGEX "^PAIL_TWIN\\(")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^PAIL_TWIN\\(([A-Z0-9_]+),.*" "ROW(\\1)\n" row "${line}")
    string(APPEND rows "${row}")
  endforeach()
endforeach()
file(WRITE ${OUT} "${rows}")
