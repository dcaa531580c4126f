/*
 * Joins, unions and groups over t, v and z by the unit or by the path that the policy declares;
 * other conditions are drawn.
 */
#include "testlib/question/linked.h"

#include <stdio.h>
#include <string.h>

#include "testlib/question/by_unit.h"

static const char *const joins[] = {"join", "left join", "right join", "full join"};

/* A template in which vk and zk stand for the keys of v and z. */
static void put_keys(struct writer *q, const char *text)
{
	for (const char *s = text; *s; s++) {
		bool is_key = (*s == 'v' || *s == 'z') && s[1] == 'k';

		if (is_key)
			writer_put(q, "%s", *s == 'v' ? q->w->v_key : q->w->z_key);
		else
			writer_put(q, "%c", *s);
		s += is_key;
	}
}

static void show_v(struct writer *q)
{
	writer_show(q, "v.a", WORLD_NUMBER);
	writer_show(q, "v.b", WORLD_TEXT);
}

static void show_z(struct writer *q)
{
	writer_show(q, "z.c", WORLD_NUMBER);
	writer_show(q, q->w->z_key[0] == 'a' ? "z.a" : "z.zk", WORLD_NUMBER);
}

/* The condition on the unit or on a path to it, and perhaps another one. */
static void put_on(struct writer *q, const char *path)
{
	writer_put(q, " on ");
	put_keys(q, path);
	if (writer_below(q, 2)) {
		writer_put(q, " and ");
		writer_value(q, WORLD_TRUTH, 1);
	}
	q->scope[0].is_unit = false; /* it may be NULL */
}

/* The same by the names that both sides have. */
static void put_using(struct writer *q, const char *table, const char *key)
{
	const char *how = joins[writer_below(q, 4)];

	if (writer_below(q, 2))
		writer_put(q, " natural %s %s", how, table);
	else
		writer_put(q, " %s %s using (%s)", how, table, key);
	q->scope[0].is_unit = false;
}

static const char *key_of_t(const struct writer *q)
{
	return q->w->link == WORLD_BY_UNIT ? q->w->unit : "tk";
}

static void join_v(struct writer *q)
{
	char path[64];

	writer_table(q);
	if (strcmp(q->w->v_key, key_of_t(q)) == 0 && writer_below(q, 3)) {
		put_using(q, "v", q->w->v_key);
		show_v(q);
		if (q->w->link != WORLD_BY_UNIT)
			writer_show(q, q->w->v_key, WORLD_NUMBER);
		return;
	}
	(void)snprintf(path, sizeof path, "v.vk = t.%s", key_of_t(q));
	writer_put(q, " %s v", joins[writer_below(q, 4)]);
	show_v(q);
	put_on(q, path);
}

static void join_z(struct writer *q)
{
	if (q->w->z_key[0] == 'a' && writer_below(q, 3)) {
		put_using(q, "z", q->w->z_key);
		writer_show(q, "z.c", WORLD_NUMBER);
		writer_show(q, "a", WORLD_NUMBER);
		return;
	}
	writer_put(q, " %s z", joins[writer_below(q, 4)]);
	show_z(q);
	put_on(q, "v.a = z.zk");
}

static void show_xy(struct writer *q, unsigned name)
{
	char text[24];

	q->scope_count = 0;
	(void)snprintf(text, sizeof text, "w%u.x", name);
	writer_show(q, text, WORLD_NUMBER);
	(void)snprintf(text, sizeof text, "w%u.y", name);
	writer_show(q, text, WORLD_TEXT);
}

static void unite(struct writer *q)
{
	unsigned name = ++q->names;

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
	show_xy(q, name);
}

/* Per key that leads to a unit, whatever the key is worth. */
static void by_key(struct writer *q)
{
	static const char *const queries[] = {
		"select z.zk as x, max('z') as y from z group by z.zk",
		"select count(*) as x, v.vk || '' as y from v group by v.vk having count(*) > "
		"1",
		"select distinct z.zk as x, 'd' as y from z",
		"select v.a as x, v.b as y from v where exists (select 1 from z where z.zk = "
		"v.a)",
		"select v.a as x, v.b as y from v where v.a in (select z.zk from z group by "
		"z.zk "
		"having count(*) > 1)",
		"select v.a as x, v.b as y from v where exists (select 1 from v as v2 where "
		"v2.vk = "
		"v.vk and v2.a > v.a)",
		"select row_number() over (partition by z.zk order by z.c) as x, 'w' as y from "
		"z",
		"select (select count(*) from z where z.zk = v.a) as x, v.b as y from v",
	};
	unsigned name = ++q->names;

	writer_put(q, "(");
	put_keys(q, queries[writer_below(q, sizeof queries / sizeof queries[0])]);
	writer_put(q, ") as w%u", name);
	show_xy(q, name);
}

/* A list whose first two members meet only through the last. */
static void list(struct writer *q)
{
	static const char *const tied[] = {
		"v.a as x, pub.g as y from v, pub, t where",
		"v2.a as x, v.b as y from v, pub as p, pub, t, v as v2 where v2.K = t.U and",
		"pub.w as x, v.b as y from pub, v, t where pub.w > 1 and"};
	unsigned name = ++q->names;

	writer_put(q, "(select ");
	for (const char *s = WORLD_PICK(q->w, tied); *s; s++)
		if (*s == 'U')
			writer_put(q, "%s", key_of_t(q));
		else if (*s == 'K')
			writer_put(q, "%s", q->w->v_key);
		else
			writer_put(q, "%c", *s);
	writer_put(q, " v.%s = t.%s and pub.s1 = t.s1) as w%u", q->w->v_key, key_of_t(q), name);
	show_xy(q, name);
}

/* Rows of one thing meet each other. */
static void join_itself(struct writer *q)
{
	writer_put(q, "v join v as v2");
	show_v(q);
	writer_show(q, "v2.a", WORLD_NUMBER);
	put_keys(q, " on v.vk = v2.vk");
	if (writer_below(q, 2)) {
		writer_put(q, " and ");
		writer_value(q, WORLD_TRUTH, 1);
	}
}

void writer_linked(struct writer *q)
{
	q->scope_count = 0;
	q->public_name = 0;
	switch (q->focus == QUESTION_UNITED ? 2 : writer_below(q, 10)) {
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
	case 5:
		join_itself(q);
		break;
	case 6:
	case 7:
		by_key(q);
		break;
	case 8:
		list(q);
		break;
	default:
		join_v(q);
		break;
	}
}
