#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same digits everywhere: fail when a library of ours calls a function of the system's
mathematical library whose last digits may differ. usage: check_elementary.py LIBRARY.a..."""
import re
import subprocess
import sys

# Functions of C17 <math.h> and <complex.h> without one exact answer, and what compilers call for
# complex quotients (for products they call theirs for NaN only).
REAL = ("a?(sin|cos|tan)h?|atan2|exp(2|m1|10)?|log(1p|2|10)?|pow|cbrt|hypot|erfc?|[lt]gamma|sincos|"
        "fma|fmin|fmax|j[01n]|y[01n]")
COMPLEX = "c(a?(sin|cos|tan)h?|exp|log|pow|sqrt|abs|arg|proj)|__div[dsx]c3"
FORBIDDEN = re.compile(f"^(({REAL}|{COMPLEX})[fl]?|__({REAL})_finite)$")

faults = 0
for library in sys.argv[1:]:
    listing = subprocess.run(["nm", "-A", "-u", library], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        place, symbol = line.rsplit(" U ", 1)
        if FORBIDDEN.match(symbol):
            print(f"{place.strip(': ')}: calls {symbol}: include base/elementary.h, and add {symbol} "
                  "to it if it is not there")
            faults += 1
print(f"elementary: {len(sys.argv) - 1} libraries, {faults} faults")
sys.exit(faults > 0 or len(sys.argv) < 2)
