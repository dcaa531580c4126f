/*
 * Positions after Glushkov: each character of the pattern is a position, which may
 * follow others.  A state is the set of positions that a text may have reached; the
 * states are found from the start on, one step for each kind of character.  A search
 * may begin at the beginning only or anywhere, which depends on ^: the larger counts.
 */
#include "central/parse/pattern/pattern_automaton.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/pattern/pattern_alphabet.h"
#include "central/parse/pattern/text_pattern.h"
#include "core/base/failure.h"

enum {
	POSITIONS_MAX = 1024,
	BEGIN = POSITIONS_MAX - 1, /* where no character was read yet */
	WORDS = POSITIONS_MAX / 64,
	LARGE = 256, /* positions: the states of a longer pattern are not looked for */
	STATES_MAX = SOTTO_SQL_AUTOMATON_MAX,
};

struct set {
	uint64_t words[WORDS];
};

/* A part of the pattern: the positions it may begin and end with. */
struct part {
	struct set first, last;
	bool empty; /* it may match nothing */
};

struct machine {
	const char *at;
	unsigned positions;
	struct set follow[POSITIONS_MAX];
	struct set takes[SOTTO_ALPHABET_MAX]; /* positions that a kind of character matches */
	struct sotto_pattern_alphabet alphabet;
	bool fold; /* upper and lower case are the same */
	struct set start, states[STATES_MAX + 1];
};

static void add(struct set *s, unsigned i)
{
	s->words[i / 64] |= (uint64_t)1 << i % 64;
}

static bool has(const struct set *s, unsigned i)
{
	return s->words[i / 64] >> i % 64 & 1;
}

static void join(struct set *s, const struct set *more)
{
	for (unsigned i = 0; i < WORDS; i++)
		s->words[i] |= more->words[i];
}

/* Whatever ends with x may go on with y. */
static void link(struct machine *m, const struct set *x, const struct set *y)
{
	for (unsigned i = 0; i < m->positions; i++)
		if (has(x, i))
			join(&m->follow[i], y);
}

static void take(struct machine *m, const struct sotto_character_kinds *k)
{
	for (unsigned i = 0; i < sotto_alphabet_size(&m->alphabet); i++) {
		bool letter = i < 128 && isalpha((int)i);

		if (k->has[i] || (m->fold && letter && k->has[i ^ 0x20]))
			add(&m->takes[i], m->positions);
	}
}

/* ---- parts ------------------------------------------------------------------------------------ */

static bool read_choice(struct machine *m, struct part *out);

static bool read_character(struct machine *m, struct part *out)
{
	struct sotto_character_kinds kinds = {{false}};

	*out = (struct part){.empty = *m->at == '^' || *m->at == '$'};
	if (out->empty) { /* an anchor only forbids */
		m->at++;
		return true;
	}
	if (m->positions == BEGIN)
		return false;
	add(&out->first, m->positions);
	add(&out->last, m->positions);
	sotto_alphabet_read(&m->alphabet, &m->at, &kinds);
	take(m, &kinds);
	m->positions++;
	return true;
}

static bool read_atom(struct machine *m, struct part *out)
{
	if (*m->at != '(')
		return read_character(m, out);
	m->at += strncmp(m->at, "(?:", 3) == 0 ? 3 : 1;
	if (!read_choice(m, out))
		return false;
	m->at++;
	return true;
}

static void append(struct machine *m, struct part *x, const struct part *y)
{
	link(m, &x->last, &y->first);
	if (x->empty)
		join(&x->first, &y->first);
	if (y->empty)
		join(&x->last, &y->last);
	else
		x->last = y->last;
	x->empty = x->empty && y->empty;
}

/* {least,most}; most is -1 for no limit. */
static void read_times(struct machine *m, long *least, long *most)
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
static bool read_repeated(struct machine *m, struct part *out)
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

static bool read_sequence(struct machine *m, struct part *out)
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

static bool read_choice(struct machine *m, struct part *out)
{
	struct part one;

	if (!read_sequence(m, out))
		return false;
	while (*m->at == '|') {
		m->at++;
		if (!read_sequence(m, &one))
			return false;
		join(&out->first, &one.first);
		join(&out->last, &one.last);
		out->empty = out->empty || one.empty;
	}
	return true;
}

/* ---- states ------------------------------------------------------------------------------------ */

static unsigned find_state(struct machine *m, unsigned count, const struct set *s)
{
	for (unsigned i = 0; i < count; i++)
		if (memcmp(&m->states[i], s, sizeof *s) == 0)
			return i;
	m->states[count] = *s;
	return count;
}

/* Kinds that the same positions take lead to the same states. */
static bool is_new_kind(const struct machine *m, unsigned kind)
{
	for (unsigned i = 0; i < kind; i++)
		if (memcmp(&m->takes[i], &m->takes[kind], sizeof m->takes[i]) == 0)
			return false;
	return true;
}

static void step(const struct machine *m, const struct set *from, unsigned kind, bool anywhere,
		 struct set *to)
{
	struct set reached = {{0}};

	for (unsigned i = 0; i < m->positions; i++)
		if (has(from, i))
			join(&reached, &m->follow[i]);
	if (has(from, BEGIN))
		join(&reached, &m->start);
	for (unsigned i = 0; i < WORDS; i++)
		to->words[i] = reached.words[i] & m->takes[kind].words[i];
	if (anywhere)
		add(to, BEGIN);
}

/* From the beginning of the text only, or from anywhere in it. */
static unsigned count_states(struct machine *m, bool anywhere)
{
	unsigned kinds[SOTTO_ALPHABET_MAX], new_kinds = 0, count = 1;

	m->states[0] = (struct set){{0}};
	add(&m->states[0], BEGIN);
	for (unsigned k = 0; k < sotto_alphabet_size(&m->alphabet); k++)
		if (is_new_kind(m, k))
			kinds[new_kinds++] = k;
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < new_kinds; k++) {
			struct set next;

			step(m, &m->states[i], kinds[k], anywhere, &next);
			if (find_state(m, count, &next) == count && ++count > STATES_MAX)
				return count;
		}
	return count;
}

static unsigned most_states(struct machine *m)
{
	unsigned fixed = m->positions > LARGE ? STATES_MAX + 1 : count_states(m, false);
	unsigned anywhere = fixed > STATES_MAX ? fixed : count_states(m, true);

	return fixed > anywhere ? fixed : anywhere;
}

static enum sotto_status
make(struct machine *m, const char *pattern, struct sotto_sql_automaton *out)
{
	struct part whole;

	m->at = pattern;
	sotto_alphabet_collect(&m->alphabet, pattern);
	if (!read_choice(m, &whole))
		return SOTTO_ERANGE;
	m->start = whole.first;
	*out = (struct sotto_sql_automaton){.positions = m->positions,
					    .states = most_states(m)};
	return SOTTO_OK;
}

enum sotto_status
sotto_sql_automaton_make(const char *pattern, bool fold, struct sotto_sql_automaton *out)
{
	struct machine *m;
	enum sotto_status st;

	if (!sotto_sql_pattern_is_plain(pattern))
		return SOTTO_ERANGE;
	m = calloc(1, sizeof *m);
	if (!m)
		return SOTTO_ENOMEM;
	m->fold = fold;
	st = make(m, pattern, out);
	free(m);
	return st;
}
