# SPDX-License-Identifier: Apache-2.0
"""Lets `pip install .` work in the root of the repository: setuptools builds the package from this folder."""
import os
from pathlib import Path

os.chdir(Path(__file__).resolve().parent)

from setuptools.build_meta import *  # noqa: E402, F401, F403
