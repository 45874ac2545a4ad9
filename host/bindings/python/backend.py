# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel by setuptools, in a copy of this folder: setuptools leaves build/ and *.egg-info where it works, and this
folder may be of a clone, or not writable.

Front ends call these functions in a process of their own, whose working directory is this folder (PEP 517)."""

import os
import shutil
import tempfile


def _in_a_copy(function, to, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "pail-prover")
        shutil.copytree(".", copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        os.chdir(copy)
        from setuptools import build_meta  # reads the working directory
        return getattr(build_meta, function)(to, *arguments)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """With libpail.so.1 in the package, which tools/release puts there, the wheel is for x86-64 Linux alone."""
    settings = {"--build-option": ["--plat-name=linux_x86_64"]} if os.path.exists("pail/libpail.so.1") else {}
    return _in_a_copy("build_wheel", os.path.abspath(wheel_directory), {**(config_settings or {}), **settings})


def build_sdist(sdist_directory, config_settings=None):
    return _in_a_copy("build_sdist", os.path.abspath(sdist_directory), config_settings)


def get_requires_for_build_wheel(config_settings=None):
    return ["wheel"]
