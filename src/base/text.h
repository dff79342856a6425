// SPDX-License-Identifier: Apache-2.0
// Texts of an enumeration from the one list of its codes.
#pragma once

#define CAROM_TEXT_CASE(code, text)                                                                \
    case code:                                                                                     \
        return text;
/// The function that gives the text of a value, where LIST(X) is X(code, text) for each code.
#define CAROM_DEFINE_TEXT(function, Type, LIST)                                                    \
    const char *function(Type value) {                                                             \
        switch (value) { LIST(CAROM_TEXT_CASE) }                                                   \
        return "unknown";                                                                          \
    }
