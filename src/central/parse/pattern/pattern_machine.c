/*
 * Positions after Glushkov: each character of the pattern is a position, which may
 * follow others.
 */
#include "central/parse/pattern/pattern_machine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A part of the pattern: the positions it may begin and end with. */
struct part {
	struct sotto_positions first, last;
	bool empty; /* it may match nothing */
};

/* Whatever ends with x may go on with y. */
static void link(struct sotto_pattern_machine *m, const struct sotto_positions *x,
		 const struct sotto_positions *y)
{
	for (unsigned i = 0; i < m->positions; i++)
		if (sotto_positions_has(x, i))
			sotto_positions_join(&m->follow[i], y);
}

static void take(struct sotto_pattern_machine *m, const struct sotto_character_kinds *k)
{
	for (unsigned i = 0; i < sotto_alphabet_size(&m->alphabet); i++) {
		bool letter = i < 128 && isalpha((int)i);

		if (k->has[i] || (m->fold && letter && k->has[i ^ 0x20]))
			sotto_positions_add(&m->takes[i], m->positions);
	}
}

/* ---- parts ------------------------------------------------------------------------------------ */

static bool read_choice(struct sotto_pattern_machine *m, struct part *out);

static bool read_character(struct sotto_pattern_machine *m, struct part *out)
{
	struct sotto_character_kinds kinds = {{false}};

	bool is_anchor = *m->at == '^' || *m->at == '$';

	*out = (struct part){.empty = is_anchor && !m->is_inside};
	if (out->empty) { /* an anchor only forbids */
		m->at++;
		return true;
	}
	if (m->positions == SOTTO_POSITION_BEGIN)
		return false;
	sotto_positions_add(&out->first, m->positions);
	sotto_positions_add(&out->last, m->positions);
	if (is_anchor) /* it is passed nowhere inside a text */
		m->at++;
	else
		sotto_alphabet_read(&m->alphabet, &m->at, &kinds);
	take(m, &kinds);
	m->positions++;
	return true;
}

static bool read_atom(struct sotto_pattern_machine *m, struct part *out)
{
	if (*m->at != '(')
		return read_character(m, out);
	m->at += strncmp(m->at, "(?:", 3) == 0 ? 3 : 1;
	if (!read_choice(m, out))
		return false;
	m->at++;
	return true;
}

static void append(struct sotto_pattern_machine *m, struct part *x, const struct part *y)
{
	link(m, &x->last, &y->first);
	if (x->empty)
		sotto_positions_join(&x->first, &y->first);
	if (y->empty)
		sotto_positions_join(&x->last, &y->last);
	else
		x->last = y->last;
	x->empty = x->empty && y->empty;
}

/* {least,most}; most is -1 for no limit. */
static void read_times(struct sotto_pattern_machine *m, long *least, long *most)
{
	char *end;

	*least = *most = 1;
	switch (*m->at) {
	case '*':
		*least = 0;
		*most = -1;
		break;
	case '+':
		*most = -1;
		break;
	case '?':
		*least = 0;
		break;
	case '{':
		*least = *most = strtol(m->at + 1, &end, 10);
		if (*end == ',')
			*most = end[1] == '}' ? -1 : strtol(end + 1, &end, 10);
		m->at = strchr(m->at, '}');
		break;
	default:
		return;
	}
	m->at++;
	m->at += *m->at == '?';
}

/* An atom is read again for each time that it may stand there. */
static bool read_repeated(struct sotto_pattern_machine *m, struct part *out)
{
	const char *begin = m->at, *end;
	struct part one;
	long least, most, copies;

	if (!read_atom(m, &one))
		return false;
	read_times(m, &least, &most);
	end = m->at;
	copies = most > least ? most : least > 0 ? least : 1;
	*out = (struct part){.empty = true};
	for (long i = 0; i < copies; i++) {
		m->at = begin;
		if (i > 0 && !read_atom(m, &one))
			return false;
		if (i + 1 == copies && most < 0)
			link(m, &one.last, &one.first);
		one.empty = one.empty || i >= least;
		append(m, out, &one);
	}
	m->at = end;
	return true;
}

static bool read_sequence(struct sotto_pattern_machine *m, struct part *out)
{
	struct part one;

	*out = (struct part){.empty = true};
	while (*m->at && *m->at != '|' && *m->at != ')') {
		if (!read_repeated(m, &one))
			return false;
		append(m, out, &one);
	}
	return true;
}

static bool read_choice(struct sotto_pattern_machine *m, struct part *out)
{
	struct part one;

	if (!read_sequence(m, out))
		return false;
	while (*m->at == '|') {
		m->at++;
		if (!read_sequence(m, &one))
			return false;
		sotto_positions_join(&out->first, &one.first);
		sotto_positions_join(&out->last, &one.last);
		out->empty = out->empty || one.empty;
	}
	return true;
}

/* ---- steps -------------------------------------------------------------------------------------- */

/* Kinds that the same positions take lead to the same states. */
static bool is_new_kind(const struct sotto_pattern_machine *m, unsigned kind)
{
	for (unsigned i = 0; i < kind; i++)
		if (memcmp(&m->takes[i], &m->takes[kind], sizeof m->takes[i]) == 0)
			return false;
	return true;
}

static void find_kinds(struct sotto_pattern_machine *m)
{
	for (unsigned k = 0; k < sotto_alphabet_size(&m->alphabet); k++)
		if (is_new_kind(m, k))
			m->kinds[m->kind_count++] = k;
}

bool sotto_pattern_machine_read(struct sotto_pattern_machine *m, const char *pattern,
				bool *empty)
{
	struct part whole;

	m->at = pattern;
	sotto_alphabet_collect(&m->alphabet, pattern);
	if (!read_choice(m, &whole))
		return false;
	m->start = whole.first;
	m->ends = whole.last;
	find_kinds(m);
	*empty = whole.empty;
	return true;
}

/* What the next character is compared with. */
void sotto_pattern_look_at(const struct sotto_pattern_machine *m,
			   const struct sotto_positions *from, struct sotto_positions *ahead)
{
	*ahead = (struct sotto_positions){{0}};
	for (unsigned i = 0; i < m->positions; i++)
		if (sotto_positions_has(from, i))
			sotto_positions_join(ahead, &m->follow[i]);
	if (sotto_positions_has(from, SOTTO_POSITION_BEGIN))
		sotto_positions_join(ahead, &m->start);
}

void sotto_pattern_step(const struct sotto_pattern_machine *m,
			const struct sotto_positions *from, unsigned kind, bool anywhere,
			struct sotto_positions *to)
{
	sotto_pattern_look_at(m, from, to);
	for (unsigned i = 0; i < SOTTO_POSITION_WORDS; i++)
		to->words[i] &= m->takes[kind].words[i];
	if (anywhere)
		sotto_positions_add(to, SOTTO_POSITION_BEGIN);
}
