"""A Flight SQL server with one table, for adbc.t: what ADBC's driver for Flight SQL needs and no more.

Prints its port.  It understands SELECT of columns, * or 1 from the table people, with WHERE 1 = 0 for no
row, which is all that sotto sends, and the question how names are quoted.
"""
import datetime
import decimal
import re
import sys

import pyarrow as pa
import pyarrow.flight as flight

N = 3000
people = pa.table({
	"id": pa.array(range(N), pa.int64()),
	"age": pa.array([20 + i % 50 for i in range(N)], pa.int16()),
	"city": pa.array([["Rome", "Paris", None][i % 3] for i in range(N)]),
	"pay": pa.array([decimal.Decimal(i) / 100 for i in range(N)], pa.decimal128(20, 2)),
	"born": pa.array([datetime.date(1990, 1, 1 + i % 28) for i in range(N)]),
	"seen": pa.array([datetime.datetime(2024, 1, 1, i % 24) for i in range(N)], pa.timestamp("ns", "UTC")),
	"note": pa.array([f"n{i}" for i in range(N)], pa.large_string()),
	"tags": pa.array([[i] for i in range(N)]),
})


def fields(message):
	"""The fields of a protobuf message that have a length: number to bytes."""
	out, at = {}, 0

	def varint():
		nonlocal at
		x = shift = 0
		while True:
			byte = message[at]
			at += 1
			x |= (byte & 127) << shift
			shift += 7
			if byte < 128:
				return x

	while at < len(message):
		key = varint()
		n = varint()
		if key & 7 == 2:
			out[key >> 3] = message[at:at + n]
			at += n
	return out


def answer(sql):
	if sql == 'SELECT "a" FROM (SELECT 1 AS "a") AS t':
		return pa.table({"a": pa.array([1], pa.int32())})
	m = re.fullmatch(r'SELECT (.*) FROM people( WHERE 1 = 0)?', sql)
	if not m:
		raise flight.FlightServerError("no such table, and a secret")
	table = people.slice(0, 0) if m[2] else people
	if m[1] == "*":
		return table
	if m[1] == "1":
		return pa.table({"1": pa.array([1] * len(table), pa.int32())})
	return table.select([name.strip().strip('"') for name in m[1].split(",")])


class Server(flight.FlightServerBase):
	def get_flight_info(self, context, descriptor):
		command = fields(descriptor.command)
		if not command.get(1, b"").endswith(b"CommandStatementQuery"):
			raise flight.FlightServerError("not here")
		sql = fields(command[2])[1].decode()
		endpoint = flight.FlightEndpoint(flight.Ticket(sql.encode()), [])
		return flight.FlightInfo(answer(sql).schema, descriptor, [endpoint], -1, -1)

	def do_get(self, context, ticket):
		table = answer(ticket.ticket.decode())
		return flight.GeneratorStream(table.schema, iter(table.to_batches(max_chunksize=700)))


server = Server("grpc://127.0.0.1:0")
print(server.port, flush=True)
sys.stdin.read()
