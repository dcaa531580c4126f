/*
 * expression.h - random typed SQL expressions over what is visible
 */
#ifndef SOTTO_TESTS_EXPRESSION_H
#define SOTTO_TESTS_EXPRESSION_H

#include "testlib/question/world.h"

enum { WRITER_SCOPE_MAX = 24 };

/* What may be written where a value is wanted. */
struct visible {
	char text[40];
	enum world_kind kind;
	bool is_unit;
};

/* What a query is to be about. */
enum question_focus {
	QUESTION_ANY,
	QUESTION_LINKED, /* several private tables */
	QUESTION_BY_UNIT,
	QUESTION_PAIRS, /* joins of relations with one row for each unit */
	QUESTION_WINDOWS,
	QUESTION_FIRST, /* DISTINCT ON, semi and anti joins */
	QUESTION_DISTINCT,
	QUESTION_PICKS,
	QUESTION_SETS,
	QUESTION_LOOKUPS, /* rows are compared with finished subqueries */
	QUESTION_UNITED, /* UNION ALL of several private tables */
	QUESTION_TOP, /* the first groups by an aggregate that is not shown */
	QUESTION_FOCUSES
};

/* Text is written from at on, never past end. */
struct writer {
	struct world *w;
	enum question_focus focus;
	char *at, *end;
	struct visible scope[WRITER_SCOPE_MAX];
	size_t scope_count;
	unsigned names; /* given out so far */
	unsigned keys; /* that GROUP BY ALL finds among the outputs */
	bool by_text; /* the groups are those of t.s1, which subqueries among the outputs may read */
	unsigned public_name; /* of the last public table joined in; 0: none */
};

unsigned writer_below(struct writer *q, unsigned n);
void writer_put(struct writer *q, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A template: N, S, T, D stand for a number, text, truth value or day, C for a
 * written-out number; everything else stands for itself.
 */
void writer_fill(struct writer *q, const char *template, int depth);

/* Any expression of the kind, nested at most so deep. */
void writer_value(struct writer *q, enum world_kind kind, int depth);

/* A column of the kind, if one is visible. */
bool writer_column(struct writer *q, enum world_kind kind);

#endif
