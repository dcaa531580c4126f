/*
 * Five queries of TPC-H as user-level private queries, the customer being the
 * unit, against the same queries in plain DuckDB (race.h).  The best published
 * system loses 11.2, 1.76, 2.83, 3.07 and 1.85 on them.
 *
 * The data have TPC-H's tables, sizes, keys and ranges, made by hashing: DuckDB's
 * own generator is an extension that would have to be fetched.  Q19 has its join
 * condition outside the OR, which is the same query.  SOTTO_BENCH_SF sets the
 * scale factor (1).
 *
 * Q6 and Q14 filter one table, and units are in another, which the plain query does not read.  At
 * scale factor 1 a process takes 115 ms of the processor for Q6 plain.  Ours takes
 *
 *	 9 ms   more in a process more: its start (3 ms), OpenSSL's (2 ms), planning, ledger, noise
 *	 3 ms   for functions, views, macros and confining the engine
 *	 2 ms   for the engine's own planning of a longer statement
 *	 5 ms   reading the key of each row that is left (lineitem.l_orderkey)
 *	 1 ms   opening the map that sealing stored: 7 MB, looked through for its sum
 *	 3 ms   putting the rows that are left, 39 of 2048, together to whole vectors
 *	 5 ms   values in steps, looking units up
 *	 5 ms   adding 114 000 rows to the states of 70 000 units, in an array for each thread
 *
 * and saves
 *
 *	 5 ms   on 63 MB of memory for blocks, asked for block by block and not page by page
 *	 3 ms   sleeping while the engine's other thread has all the work
 *	 3 ms   at the end: the engine's process is ended, and not asked to give all memory back
 *
 * so that Q6 is at 1.20 to 1.22 and Q14 at 1.16 to 1.18 (on a machine with three times more to do
 * than cores 1.23 to 1.30 and 1.15 to 1.22).  At scale factor 10 Q6 is at 1.30 and Q14 at 1.10.  An
 * array of unit numbers by the number of a row, stored when sealing, would save 5 to 7 ms of Q6 (key,
 * look-up); it would have to be tied to what was sealed of two tables at once.
 *
 * Making the map in each query took 20 ms, joining instead of a map 42, and the engine's GROUP BY in
 * the place of the arrays 16.  Of both sides' time about 40 % is the kernel's, most of it for memory in
 * pages of 4 KiB.  Pages of 2 MiB for the engine's allocator made Q6 and Q14 20 to 50 ms faster where
 * free memory was at hand, and as much slower on a busy virtual machine, which has to get it from its
 * host: they are not used.
 */
#include "race.h"

/* %ld: customers, orders, parts, suppliers by their marks @C @O @P @S. */
static const char *const tables[] = {
	"CREATE TABLE d.region AS SELECT CAST(i AS INTEGER) AS r_regionkey, ['AFRICA', "
	"'AMERICA', "
	"'ASIA', 'EUROPE', 'MIDDLE EAST'][i + 1] AS r_name FROM range(5) AS r(i)",
	"CREATE TABLE d.nation AS SELECT CAST(i AS INTEGER) AS n_nationkey, 'NATION ' || i AS "
	"n_name, CAST(i % 5 AS INTEGER) AS n_regionkey FROM range(25) AS r(i)",
	"CREATE TABLE d.supplier AS SELECT CAST(i AS INTEGER) AS s_suppkey, CAST(hash(i, 1) % "
	"25 "
	"AS INTEGER) AS s_nationkey FROM range(@S) AS r(i)",
	"CREATE TABLE d.part AS SELECT CAST(i AS INTEGER) AS p_partkey, 'Brand#' || (1 + "
	"hash(i, "
	"2) % 5) || (1 + hash(i, 3) % 5) AS p_brand, ['PROMO', 'STANDARD', 'SMALL', 'MEDIUM', "
	"'LARGE', 'ECONOMY'][1 + CAST(hash(i, 4) % 6 AS INTEGER)] || ' POLISHED STEEL' AS "
	"p_type, "
	"CAST(1 + hash(i, 5) % 50 AS INTEGER) AS p_size, ['SM', 'MED', 'LG', 'JUMBO', "
	"'WRAP'][1 + "
	"CAST(hash(i, 6) % 5 AS INTEGER)] || ' ' || ['CASE', 'BOX', 'BAG', 'JAR', 'PKG', "
	"'PACK', "
	"'CAN', 'DRUM'][1 + CAST(hash(i, 7) % 8 AS INTEGER)] AS p_container FROM range(@P) AS "
	"r(i)",
	"CREATE TABLE d.customer AS SELECT CAST(i AS INTEGER) AS c_custkey, CAST(hash(i, 8) % "
	"25 "
	"AS INTEGER) AS c_nationkey FROM range(@C) AS r(i)",
	"CREATE TABLE d.orders AS SELECT CAST(i AS INTEGER) AS o_orderkey, CAST((hash(i, 9) % "
	"(@C "
	"* 2 // 3)) * 3 // 2 AS INTEGER) AS o_custkey, DATE '1992-01-01' + CAST(hash(i, 10) % "
	"2406 "
	"AS INTEGER) AS o_orderdate FROM range(@O) AS r(i)",
	"CREATE TABLE d.lineitem AS SELECT o AS l_orderkey, CAST(hash(o, i, 1) % @P AS "
	"INTEGER) "
	"AS l_partkey, CAST(hash(o, i, 2) % @S AS INTEGER) AS l_suppkey, CAST(1 + hash(o, i, "
	"3) % "
	"50 AS DECIMAL(15, 2)) AS l_quantity, CAST(900 + hash(o, i, 4) % 104000 AS DECIMAL(15, "
	"2)) AS l_extendedprice, CAST(CAST(hash(o, i, 5) % 11 AS INTEGER) / 100 AS DECIMAL(15, "
	"2)) AS l_discount, CAST(CAST(hash(o, i, 6) % 9 AS INTEGER) / 100 AS DECIMAL(15, 2)) "
	"AS "
	"l_tax, CASE WHEN s > DATE '1995-06-17' THEN 'N' WHEN hash(o, i, 7) % 2 = 0 THEN 'R' "
	"ELSE "
	"'A' END AS l_returnflag, CASE WHEN s > DATE '1995-06-17' THEN 'O' ELSE 'F' END AS "
	"l_linestatus, s AS l_shipdate, ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', "
	"'FOB'][1 + CAST(hash(o, i, 8) % 7 AS INTEGER)] AS l_shipmode, ['DELIVER IN PERSON', "
	"'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][1 + CAST(hash(o, i, 9) % 4 AS INTEGER)] AS "
	"l_shipinstruct FROM (SELECT o_orderkey AS o, i, o_orderdate + CAST(1 + "
	"hash(o_orderkey, "
	"i, 10) % 121 AS INTEGER) AS s FROM d.orders, range(7) AS r(i) WHERE i <= "
	"hash(o_orderkey, 11) % 7)",
};

static const char policy_text[] =
	"ledger: tpch-ledger.db\n"
	"budget: { epsilon: 1000000 }\n"
	"tables:\n"
	"  customer: { source: %s, unit: c_custkey, columns: { c_custkey: { unique: true } } "
	"}\n"
	"  orders:\n"
	"    source: %s\n"
	"    unit: { column: c_custkey, via: orders.o_custkey -> customer.c_custkey }\n"
	"    max_rows: 100\n"
	"    max_groups: 10\n"
	"    columns: { o_orderkey: { unique: true } }\n"
	"  lineitem:\n"
	"    source: %s\n"
	"    unit: { column: c_custkey, via: lineitem.l_orderkey -> orders.o_orderkey }\n"
	"    max_rows: 200\n"
	"    max_groups: 10\n"
	"    columns:\n"
	"      l_quantity: { bounds: [0, 50], step: 1, nullable: false }\n"
	"      l_extendedprice: { bounds: [0, 105000], step: 0.01, nullable: false }\n"
	"      l_discount: { bounds: [0, 0.1], step: 0.01, nullable: false }\n"
	"      l_tax: { bounds: [0, 0.08], step: 0.01, nullable: false }\n"
	"      l_returnflag: { keys: [A, N, R] }\n"
	"      l_linestatus: { keys: [F, O] }\n"
	"  part: { source: %s, public: true }\n"
	"  supplier: { source: %s, public: true }\n"
	"  nation: { source: %s, public: true }\n"
	"  region: { source: %s, public: true }\n";

static const struct {
	const char *name, *sql;
	double limit;
} queries[] = {
	{"Q1",
	 "SELECT l_returnflag, l_linestatus, SUM(l_quantity), SUM(l_extendedprice), "
	 "SUM(l_extendedprice * (1 - l_discount)), SUM(l_extendedprice * (1 - l_discount) * (1 "
	 "+ "
	 "l_tax)), AVG(l_quantity), AVG(l_extendedprice), AVG(l_discount), COUNT(*) FROM "
	 "lineitem "
	 "WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus",
	 5},
	{"Q5",
	 "SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) FROM customer, orders, "
	 "lineitem, supplier, nation, region WHERE c_custkey = o_custkey AND l_orderkey = "
	 "o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = "
	 "n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= "
	 "DATE "
	 "'1994-01-01' AND o_orderdate < DATE '1995-01-01' GROUP BY n_name",
	 1.3},
	{"Q6",
	 "SELECT SUM(l_extendedprice * l_discount) FROM lineitem WHERE l_shipdate >= DATE "
	 "'1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 "
	 "AND l_quantity < 24",
	 1.3},
	{"Q14",
	 "SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - "
	 "l_discount) ELSE 0 END) / SUM(l_extendedprice * (1 - l_discount)) FROM lineitem, "
	 "part "
	 "WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01' AND l_shipdate < "
	 "DATE "
	 "'1995-10-01'",
	 1.3},
	{"Q19",
	 "SELECT SUM(l_extendedprice * (1 - l_discount)) FROM lineitem, part WHERE p_partkey = "
	 "l_partkey AND l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN "
	 "PERSON' AND ((p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM "
	 "PACK', "
	 "'SM PKG') AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5) OR (p_brand = "
	 "'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND "
	 "l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10) OR (p_brand = 'Brand#34' "
	 "AND "
	 "p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') AND l_quantity BETWEEN 20 "
	 "AND "
	 "30 AND p_size BETWEEN 1 AND 15))",
	 1.3},
};

/* The text with each mark in place of its number. */
static void fill(const char *text, double sf, char *out, size_t size)
{
	static const struct {
		char mark;
		double count;
	} marks[] = {{'C', 150000}, {'O', 1500000}, {'P', 200000}, {'S', 10000}};
	size_t n = 0;

	for (; *text && n + 24 < size; text++) {
		out[n] = *text;
		for (size_t i = 0; *text == '@' && i < sizeof marks / sizeof marks[0]; i++)
			if (text[1] == marks[i].mark) {
				n += (size_t)snprintf(out + n, size - n, "%ld",
						      lround(marks[i].count * sf)) -
				     1;
				text++;
				break;
			}
		n++;
	}
	out[n] = '\0';
}

static void make_data(const char *path, double sf)
{
	struct sotto_embedded *e = race_engine();
	char sql[4096];

	(void)snprintf(sql, sizeof sql, "ATTACH '%s' AS d", path);
	race_execute(e, sql);
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
		fill(tables[i], sf, sql, sizeof sql);
		race_execute(e, sql);
	}
	race_execute(e, "CHECKPOINT d");
	sotto_embedded_close(e);
}

static void write_policy(const char *path, const char *file)
{
	FILE *out = fopen(path, "w");

	if (!out || fprintf(out, policy_text, file, file, file, file, file, file, file) < 0 ||
	    fclose(out) != 0)
		race_stop("policy", path);
}

int main(int argc, char **argv)
{
	const char *wish = getenv("SOTTO_BENCH_SF");
	double sf = wish ? strtod(wish, NULL) : 1;
	char name[64], data[RACE_PATH], policy[RACE_PATH];

	if (argc == 3)
		return race_plain(argv[1], argv[2]);
	(void)snprintf(name, sizeof name, "tpch-%g.duckdb", sf);
	race_file(name, data);
	race_file("tpch.yaml", policy);
	if (access(data, F_OK) != 0)
		make_data(data, sf);
	write_policy(policy, name);
	(void)snprintf(name, sizeof name, "TPC-H-like, scale factor %g, unit: customer", sf);
	race_title(name);
	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
		race(queries[i].name, policy, queries[i].sql, data, queries[i].sql,
		     queries[i].limit);
	return 0;
}
