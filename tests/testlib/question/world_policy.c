/*
 * Declares bounds, steps and keys at random for each column, and parses the policy as the
 * product does.
 */
#include <string.h>

#include "core/base/buffer.h"
#include "testlib/tap.h"
#include "testlib/question/world.h"

/* A name between single quotes is any text to YAML. */
static void declare_number(struct world *w, struct sotto_buffer *b, const char *name)
{
	static const char *const bounds[] = {"[0, 50]",     "[-20, 20]",     "[10, 12]",
					     "[0.5, 7.25]", "[-1000, 1000]", "[0, 0]",
					     "[-5, -1]",    "[0, 1000000]",  "[-1e12, 1e15]"};
	static const char *const steps[] = {
		"", "", "", ", step: 1", ", step: 0.01", ", step: 1/3", ", step: 7"};
	unsigned range = chance_below(&w->chance, 9);
	const char *step = range == 8 ? "" : WORLD_PICK(w, steps);

	if (chance_in(&w->chance, 5)) {
		world_append(b, "      '%s': {bounds: [0, 50], keys: [1, 2, 3, -5, null]}\n",
			     name);
		return;
	}
	world_append(b, "      '%s': {bounds: %s%s%s}\n", name, bounds[range], step,
		     chance_in(&w->chance, 5) ? ", nullable: false" : "");
}

static void declare_text(struct world *w, struct sotto_buffer *b, const struct world_column *c)
{
	static const char *const keys[] = {"[a, b, c]", "[a, b, null, zz, ' a']",
					   "['O''Hara', '%', a]", "['', A, a]",
					   "['1', '01', ' 1']"};
	static const char *const loose[] = {"{bounds: [-10, 10]}", "{keys: [1, 2, -3]}",
					    "{type: integer}",     "{type: boolean}",
					    "{type: date}",        "{keys: [1, 01, 001]}"};

	if (c->loose && chance_in(&w->chance, 2))
		world_append(b, "      '%s': %s\n", c->name, WORLD_PICK(w, loose));
	else
		world_append(b, "      '%s': {keys: %s}\n", c->name, WORLD_PICK(w, keys));
}

bool world_make_policy(struct world *w)
{
	struct sotto_error err = {""};
	struct sotto_buffer b;
	bool done;

	sotto_buffer_init(&b, sizeof w->policy_text - 1);
	world_append(&b,
		     "budget: {epsilon: 1, delta: 1e-6}\ntables:\n  t:\n    source: t.csv\n    "
		     "unit: "
		     "%s\n",
		     w->row_unit ? "row" : w->unit);
	world_append(&b, "    max_groups: %u\n    max_rows: %u\n",
		     1 + chance_below(&w->chance, 4), 1 + chance_below(&w->chance, 4));
	if (chance_in(&w->chance, 4)) /* many texts begin alike */
		world_append(&b, "    max_text: %u\n", 1 + chance_below(&w->chance, 2));
	world_append(&b, "    columns:\n");
	if (w->link == WORLD_BY_PROMISE || w->link == WORLD_BY_SEALED_KEY)
		world_append(&b, "      tk: {unique: true}\n");
	for (size_t i = 0; i < w->column_count; i++) {
		const struct world_column *c = &w->columns[i];

		if (c->kind == WORLD_NUMBER && (i == 0 || !chance_in(&w->chance, 4)))
			declare_number(w, &b, c->name);
		else if (c->kind == WORLD_TEXT && chance_in(&w->chance, 2))
			declare_text(w, &b, c);
		else if (c->kind == WORLD_TRUTH && chance_in(&w->chance, 3))
			world_append(&b, "      '%s': {keys: [true]}\n", c->name);
		else if (c->kind == WORLD_DAY && chance_in(&w->chance, 2))
			world_append(&b, "      '%s': {bounds: [2023-12-20, 2024-03-05]}\n",
				     c->name);
	}
	world_append(&b, "  pub: {source: pub.csv, public: true}\n  codes: {source: c.csv, "
			 "public: true");
	world_append(&b, chance_in(&w->chance, 2) ? ", columns: {code: {type: integer}}}\n"
						  : "}\n");
	world_declare_linked(w, &b);
	(void)snprintf(w->policy_text, sizeof w->policy_text, "%s", sotto_buffer_text(&b));
	done = sotto_policy_parse(&w->policy, "p.yaml", w->policy_text, strlen(w->policy_text),
				  &err) == SOTTO_OK;
	sotto_buffer_release(&b);
	if (!done) /* a policy may be refused, with words */
		(void)tap_check(err.text[0] != '\0', __FILE__, __LINE__, "%s", w->policy_text);
	return done;
}
