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
