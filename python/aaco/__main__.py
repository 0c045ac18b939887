# SPDX-License-Identifier: MIT
"""python -m aaco"""

from aaco._start import main

main()
