// SPDX-License-Identifier: Apache-2.0
// The texts of the status codes, and the version that is linked.
#include "carom/base.h"

const char *carom_status_text(CaromStatus status) {
    switch (status) {
#define STATUS_CASE(code, text)                                                                    \
    case code:                                                                                     \
        return text;
        CAROM_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status"; // a number that is none of ours
}

const char *carom_version(void) {
    return CAROM_VERSION;
}
