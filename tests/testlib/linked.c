#include "testlib/linked.h"

#include <stdio.h>

#include "testlib/by_unit.h"

static const char *const joins[] = {"join", "left join", "right join", "full join"};

static void show_v(struct writer *q)
{
	writer_show(q, "v.a", WORLD_NUMBER);
	writer_show(q, "v.b", WORLD_TEXT);
}

static void show_z(struct writer *q)
{
	writer_show(q, "z.c", WORLD_NUMBER);
	writer_show(q, "z.zk", WORLD_NUMBER);
}

/* The condition on the unit or on a path to it, and perhaps another one. */
static void put_on(struct writer *q, const char *path)
{
	writer_put(q, " on %s", path);
	if (writer_below(q, 2)) {
		writer_put(q, " and ");
		writer_value(q, WORLD_TRUTH, 1);
	}
	q->scope[0].is_unit = false; /* it may be NULL */
}

static void join_v(struct writer *q)
{
	char path[64];

	writer_table(q);
	(void)snprintf(path, sizeof path, "v.vk = t.%s",
		       q->w->link == WORLD_BY_UNIT ? q->w->unit : "tk");
	writer_put(q, " %s v", joins[writer_below(q, 4)]);
	show_v(q);
	put_on(q, path);
}

static void join_z(struct writer *q)
{
	writer_put(q, " %s z", joins[writer_below(q, 4)]);
	show_z(q);
	put_on(q, "v.a = z.zk");
}

static void unite(struct writer *q)
{
	unsigned name = ++q->names;
	char text[24];

	writer_put(q, "(select v.a as x, v.b as y from v union all select ");
	if (writer_below(q, 2)) {
		writer_put(q, "z.c, 'z' from z");
	} else {
		q->scope_count = 0;
		writer_show(q, "t.tk", WORLD_NUMBER);
		writer_show(q, "t.s1", WORLD_TEXT);
		writer_fill(q, "N, S || '' from t where T", 1);
	}
	writer_put(q, ") as w%u", name);
	q->scope_count = 0;
	(void)snprintf(text, sizeof text, "w%u.x", name);
	writer_show(q, text, WORLD_NUMBER);
	(void)snprintf(text, sizeof text, "w%u.y", name);
	writer_show(q, text, WORLD_TEXT);
}

void writer_linked(struct writer *q)
{
	q->scope_count = 0;
	q->public_name = 0;
	switch (writer_below(q, 6)) {
	case 0:
		writer_put(q, "v");
		show_v(q);
		break;
	case 1:
		writer_put(q, "z");
		show_z(q);
		break;
	case 2:
		unite(q);
		break;
	case 3:
		join_v(q);
		join_z(q);
		break;
	case 4:
		writer_put(q, "v");
		show_v(q);
		join_z(q);
		break;
	default:
		join_v(q);
		break;
	}
}
