/* What stands beside the private table in random questions: rows written out, public tables, tables of the unit. */
#include "testlib/question/beside.h"

#include <stdio.h>

#include "testlib/question/by_unit.h"

/* B stands for the alias, U for the unit's column. */
static const char *const written[] = {
	"cross join unnest(array[1, 2, 3]) as B(x)",
	"cross join generate_series(1, 4) as B(x)",
	"join (values (1, 'a'), (2, 'b'), (2, 'b')) as B(x, y) on B.y = t.s1",
	"left join (select s1, max(w) as x from pub group by s1) as B on B.s1 = t.s1",
	"join (select distinct g, w as x from pub where w > 0) as B on true",
};

static const char *const of_units[] = {
	"join (select U as i, count(*) as x from t group by U) as B on B.i = t.U",
	"left join (select U as i, n0 as x, row_number() over (partition by U order by n0) as "
	"r from t) as B on B.i = t.U and B.r = 1",
	"join (select U as i, s1, sum(clip(n0, 0, 9)) as x from t group by U, s1) as B on B.i "
	"= t.U and B.s1 = t.s1",
	"join (select U as i, max(n0) as x from t group by U having count(*) > 1 union all "
	"select U, min(n0) from t group by U) as B on B.i = t.U",
	"full join (select U, avg(clip(n0, 0, 9)) over (partition by U) as x from t where s1 > "
	"'a') as B using (U)",
	"join (select distinct on (U) U as i, n0 as x from t order by U, s1 desc) as B on B.i "
	"= t.U",
	"join (select U as i, n0 as x from t where s1 > 'a' intersect select U, n0 from t "
	"where "
	"n0 > 1) as B on B.i = t.U",
	"join (select U as i, n0 as x from t except select U, n0 from t where s1 > 'b') as B "
	"on "
	"B.i = t.U and B.x = t.n0",
	"left join (select n0 as x, U as i from t where n0 > 1 union select 1, U from t) as B "
	"on B.i = t.U",
	"join (select U as i, n0 as x from t except all select U, 1 from t) as B on B.i = t.U",
	"join (select U as i, n0 as x, dense_rank() over (partition by U order by s1, n0 desc) "
	"as r from t qualify r <= 2) as B on B.i = t.U",
	"left join (select a.U as i, count(*) as x from t as a left join t as b on a.U = b.U "
	"and a.n0 < b.n0 group by a.U) as B on B.i = t.U",
	"join (select U as i, max(x) as x from (select U, s1, count(*) as x from t group by U, "
	"s1) as g group by U) as B on B.i = t.U",
	"full join (select U, s1, count(*) as x from t where n0 > 0 group by U, s1) as B using "
	"(U, s1)",
	"natural left join (select distinct U, s1, 3 as x from t where n0 < 9) as B",
	"right join (select U as i, lag(n0) over (partition by U order by s1 desc, n0) as x "
	"from t) as B on B.i = t.U and B.x is distinct from t.n0",
	"join (select U as i, n0 as x from t intersect all select U, n0 from t where s1 > 'a') "
	"as B on B.i = t.U",
	"join (select U as i, n0 as x from t where exists (select 1 from t as o where o.U = "
	"t.U and o.s1 > t.s1)) as B on B.i = t.U",
	"join (select U as i, (select count(*) from t as o where o.U = t.U and o.n0 <= t.n0) "
	"as x from t) as B on B.i = t.U",
	"join (select U as i, (select max(o.n0) from t as o where o.U = t.U and o.s1 = t.s1) "
	"as x from t) as B on B.i = t.U",
	"left join (select U as i, n0 as x from t where U not in (select U from t where s1 > "
	"'b')) as B on B.i = t.U",
	"join (select U as i, sum(clip(n0, 0, 9)) over (partition by U order by s1) as x from "
	"(select distinct U, n0, s1 from t) as d) as B on B.i = t.U",
	"join (select U as i, first_value(n0) over (partition by U, s1 order by n0 desc) as x "
	"from t union all select U, 7 from t) as B on B.i = t.U",
	"join (select a.U as i, b.n0 as x from t as a join t as b using (U) where a.s1 <> "
	"b.s1) as B on B.i = t.U",
	"join (select U as i, count(distinct s1) as x from t group by U having min(n0) < "
	"max(n0)) as B on B.i = t.U",
	"cross join (select count(*) as x from t) as B",
	"left join (select U as i, s1, bool_or(n0 > 1) as y, avg(n0) as x from t group by U, "
	"s1) as B on B.i = t.U and B.s1 = t.s1 and B.y",
	"join (select i, x, row_number() over (partition by i order by x) as r from (select U "
	"as i, max(n0) as x from t group by U, s1) as g) as B on B.i = t.U and B.r = 1",
	"join (select U as i, n0 as x from t where (U, s1) in (select U, s1 from t where n0 > "
	"2)) as B on B.i = t.U",
	"semi join (select U as i from t group by U having count(*) > 2) as B on B.i = t.U "
	"cross join (select 1 as x) as C",
	"join (select coalesce(a.U, b.U) as i, a.n0 as x from t as a full join t as b on a.U = "
	"b.U and a.s1 = b.s1 and a.n0 > b.n0) as B on B.i = t.U",
	"join (select U as i, x from (select U, n0 as x from t except select U, 1 from t) as "
	"e1 union select U, 2 from t) as B on B.i = t.U",
	"join (select U as i, rank() over (partition by U order by n0 nulls first) as x from t "
	"where s1 in (select s1 from pub)) as B on B.i = t.U",
};

void writer_beside(struct writer *q)
{
	unsigned name = ++q->names;
	const char *shape = q->w->row_unit || writer_below(q, 2) ? WORLD_PICK(q->w, written)
								 : WORLD_PICK(q->w, of_units);
	char text[24];

	writer_table(q);
	writer_put(q, " ");
	for (const char *s = shape; *s; s++)
		if (*s == 'B')
			writer_put(q, "e%u", name);
		else if (*s == 'U')
			writer_put(q, "%s", q->w->unit);
		else
			writer_put(q, "%c", *s);
	(void)snprintf(text, sizeof text, "e%u.x", name);
	writer_show(q, text, WORLD_NUMBER);
	q->scope[0].is_unit = false; /* it may be NULL, or there twice */
}

void writer_top(struct writer *q, char *key, size_t size)
{
	static const char *const keys[] = {"T", "width_bucket(N, 0, 40, 3)", "(N > C)",
					   "case when T then 'x' when T then 'y' else 'z' end"};
	static const char *const scores[] = {"count(*)",
					     "count(N)",
					     "sum(clip(N, 0, 10))",
					     "sum(clip(N, -7, 3))",
					     "sum(clip(N, -7, -2))",
					     "sum(case when T then 1 else -1 end)",
					     "count(distinct N)",
					     "sum(distinct clip(N, -2, 5))"};
	char *start = q->at;

	writer_fill(q, WORLD_PICK(q->w, keys), 2);
	(void)snprintf(key, size, "%.*s", (int)(q->at - start), start);
	q->at = start;
	writer_put(q, " group by %s order by ", key);
	writer_fill(q, WORLD_PICK(q->w, scores), 2);
	writer_put(q, "%s limit %u%s", writer_below(q, 2) ? " desc" : "",
		   1 + writer_below(q, 8) / 6, writer_below(q, 8) ? "" : " offset 1");
}
