#!/bin/sh
# A question on many workers against one engine: bench/spread_table.py.
exec /usr/bin/python3 "$(dirname "$0")/spread_table.py"
