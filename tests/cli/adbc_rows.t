#!/bin/sh
# The same as postgres_rows.t by ADBC's driver for PostgreSQL: no value of any type, and no
# row as a whole, makes a query fail or changes what it says of other rows.
root=$(cd "$(dirname "$0")/../.." && pwd)
adbc_driver=$root/.cache/adbc/adbc-driver-postgresql/adbc_driver_postgresql/libadbc_driver_postgresql.so
if [ ! -e "$adbc_driver" ]; then
	echo "1..0 # SKIP there is no ADBC driver for PostgreSQL: tools/setup fetches it"
	exit 0
fi
rounds=4
. "$(dirname "$0")/postgres_rows.t"
