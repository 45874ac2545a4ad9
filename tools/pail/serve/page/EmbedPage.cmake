# SPDX-License-Identifier: Apache-2.0
# cmake -DFROM=FOLDER -DOUT=FILE -P EmbedPage.cmake: page.html with page.css and page.js in it as a string of C, and the
# policy that lets a browser run these two and nothing else.
function(base64 out hex)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(i RANGE 0 60 3) # 21 groups of 12 bits
    string(SUBSTRING "${hex}" ${i} 3 group)
    math(EXPR high "0x${group} >> 6")
    math(EXPR low "0x${group} & 63")
    string(SUBSTRING "${digits}" ${high} 1 a)
    string(SUBSTRING "${digits}" ${low} 1 b)
    string(APPEND text "${a}${b}")
  endforeach()
  string(SUBSTRING "${hex}" 63 1 group) # and 4 bits
  math(EXPR rest "0x${group} << 2")
  string(SUBSTRING "${digits}" ${rest} 1 a)
  set(${out} "${text}${a}=" PARENT_SCOPE)
endfunction()

file(READ ${FROM}/page.html page)
foreach(part IN ITEMS STYLE:page.css SCRIPT:page.js)
  string(REGEX REPLACE "^(.*):(.*)$" "\\1" name ${part})
  string(REGEX REPLACE "^(.*):(.*)$" "\\2" file ${part})
  file(READ ${FROM}/${file} ${name})
  string(SHA256 hash "${${name}}")
  base64(${name}_HASH ${hash})
  string(REPLACE "@${name}@" "${${name}}" page "${page}")
endforeach()
file(WRITE ${OUT}.html "${page}")
file(READ ${OUT}.html bytes HEX)
string(LENGTH "${bytes}" length)
math(EXPR length "${length} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}") # no string is that long in C
string(REGEX REPLACE "(('[^']*',){16})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Written by EmbedPage.cmake. */
#include <serve/page/page.h>

const char pail_page[] = {
${bytes}'\\0'};
const size_t pail_page_bytes = ${length};
const char pail_page_policy[] = \"default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; style-src 'sha256-${STYLE_HASH}'; \"
                                \"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\";
")
