/*
 * Puts scores and sensitivity on one grid so that the mechanism sees whole numbers, finds
 * epsilon from an error if that was given, and wipes the scores at the end.  The grid follows
 * from the options alone: one that followed from the scores would tell of them by what is stated,
 * by what is refused and by the time that it takes.
 */
#include "noise/choice/noise_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "read/numbers.h"
#include "show/cost_text.h"
#include "show/number_text.h"
#include "show/table.h"
#include "show/terminal.h"

static double beta_of(const struct choice_settings *settings)
{
	return numbers_complement_down(&settings->confidence.value);
}

static enum outcome
set_epsilon(struct choice *c, const struct choice_settings *settings, struct sotto_error *err)
{
	struct sotto_rational error;
	enum sotto_status st;

	if (settings->epsilon.given == settings->error.given)
		return complaint_usage(err, settings->epsilon.given
						    ? "give --epsilon or --error, not both"
						    : "--epsilon E is needed (or --error T)");
	if (settings->epsilon.given) {
		sotto_rational_set(&c->epsilon, &settings->epsilon.value);
		return OUTCOME_DONE;
	}
	sotto_rational_init(&error);
	sotto_rational_subtract(&error, &settings->error.value, &c->rounding);
	numbers_divide(&error, &error, &c->step);
	st = sotto_selection_epsilon_up(&c->selection, c->list.count, c->top, beta_of(settings),
					&error, &c->epsilon);
	sotto_rational_release(&error);
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "no epsilon gives this --error");
}

/*
 * The sensitivity in steps.  Halves are rounded up, so that rounding keeps the order of scores and
 * commutes with whole steps: scores at most S apart are at most ceil(S / step) steps apart.
 */
static enum sotto_status
set_sensitivity(struct choice *c, const struct choice_settings *settings)
{
	struct sotto_rational zero;
	enum sotto_status st;
	int64_t below;

	numbers_divide(&c->sensitivity, &settings->sensitivity.value, &c->step);
	if (!c->rounds)
		return SOTTO_OK;
	sotto_rational_init(&zero);
	sotto_rational_subtract(&c->sensitivity, &zero, &c->sensitivity);
	st = sotto_rational_floor(&c->sensitivity, &below);
	sotto_rational_release(&zero);
	if (st == SOTTO_OK)
		sotto_rational_set_integer(&c->sensitivity, -below);
	return st;
}

static enum outcome set_parameters(struct choice *c, const struct choice_settings *settings,
				   struct sotto_error *err)
{
	enum outcome outcome;

	if (set_sensitivity(c, settings) != SOTTO_OK)
		return complaint_refuse(err, "--sensitivity must be below 2^63 steps");
	c->selection = (struct sotto_selection){&c->epsilon, &c->sensitivity,
						settings->monotone, settings->min};
	outcome = set_epsilon(c, settings, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (sotto_selection_error(&c->selection, c->list.count, c->top, beta_of(settings),
				  &c->error) == SOTTO_OK)
		c->error = nextafter(c->error * sotto_rational_double_up(&c->step) +
					     sotto_rational_double_up(&c->rounding),
				     INFINITY);
	else
		c->error = INFINITY;
	return isfinite(c->error)
		       ? OUTCOME_DONE
		       : complaint_refuse(err,
					  "the accuracy at this confidence is out of reach");
}

/*
 * The largest power of ten that is at most a thousand-millionth of the sensitivity: so fine that
 * rounding to it does not matter, and such that decimals with few digits are on it.
 */
static void set_fine_step(struct choice *c, const struct sotto_rational *sensitivity)
{
	struct sotto_rational ten, most;

	sotto_rational_init(&ten);
	sotto_rational_init(&most);
	sotto_rational_set_integer(&ten, 10);
	sotto_rational_set_integer(&most, 1000000000);
	numbers_divide(&most, sensitivity, &most);
	sotto_rational_set_integer(&c->step, 1);
	while (sotto_rational_compare(&c->step, &most) <= 0)
		sotto_rational_multiply(&c->step, &c->step, &ten);
	while (sotto_rational_compare(&c->step, &most) > 0)
		numbers_divide(&c->step, &c->step, &ten);
	sotto_rational_release(&ten);
	sotto_rational_release(&most);
}

static void set_step(struct choice *c, const struct choice_settings *settings)
{
	if (settings->step.given)
		sotto_rational_set(&c->step, &settings->step.value);
	else if (c->rounds)
		set_fine_step(c, &settings->sensitivity.value);
	else
		sotto_rational_set_integer(&c->step, 1);
	/* half a step of the chosen score and half a step of the best one */
	sotto_rational_set_integer(&c->rounding, 0);
	if (c->rounds)
		sotto_rational_set(&c->rounding, &c->step);
}

enum outcome choice_read(struct choice *c, const struct invocation *call, bool any_score,
			 struct sotto_error *err)
{
	const struct choice_settings *settings = call->settings;
	const struct outcome_source source = {settings->csv, &call->operands, call->in};
	enum outcome outcome;

	c->scores = NULL;
	sotto_rational_init(&c->step);
	sotto_rational_init(&c->epsilon);
	sotto_rational_init(&c->sensitivity);
	sotto_rational_init(&c->rounding);
	c->rounds = any_score && !settings->step.given;
	c->top = settings->top.value ? settings->top.value : 1;
	outcome = outcomes_read(&c->list, &source, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (c->top > c->list.count)
		return complaint_refuse(err, "--top asks for more outcomes than there are");
	set_step(c, settings);
	outcome = outcomes_steps(&c->list, &c->step, c->rounds, &c->scores, err);
	return outcome == OUTCOME_DONE ? set_parameters(c, settings, err) : outcome;
}

void choice_release(struct choice *c)
{
	if (c->scores)
		explicit_bzero(c->scores, c->list.count * sizeof *c->scores);
	free(c->scores);
	outcomes_release(&c->list);
	sotto_rational_release(&c->step);
	sotto_rational_release(&c->rounding);
	sotto_rational_release(&c->epsilon);
	sotto_rational_release(&c->sensitivity);
}

void chosen_init(struct chosen *chosen, const struct choice *c)
{
	chosen->indices = memory_new(c->top, sizeof *chosen->indices);
	chosen->has_gap = false;
	sotto_rational_init(&chosen->gap);
	sotto_cost_init(&chosen->cost);
}

void chosen_release(struct chosen *chosen)
{
	free(chosen->indices);
	sotto_rational_release(&chosen->gap);
	sotto_cost_release(&chosen->cost);
}

static void print_statement(const struct choice *c, const struct chosen *chosen,
			    const struct invocation *call)
{
	const struct choice_settings *settings = call->settings;
	char *error = number_text_rounded_up(c->error, 6);
	FILE *out = command_notes(call);

	fputs(terminal_dim(out), out);
	fputs("cost: ", out);
	cost_text_print(out, &chosen->cost);
	if (c->top > 1)
		fprintf(out,
			"\naccuracy: with confidence %s each chosen score is within %s of the "
			"one that belongs in its place\n",
			settings->confidence.text, error);
	else
		fprintf(out,
			"\naccuracy: with confidence %s the chosen score is within %s of the "
			"best\n",
			settings->confidence.text, error);
	fputs(terminal_plain(out), out);
	free(error);
}

static void
print_rows(const struct choice *c, const struct chosen *chosen, const struct invocation *call)
{
	static const struct column columns[] = {{"outcome", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"gap", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	if (call->format == FORMAT_TABLE && !chosen->has_gap) {
		for (size_t k = 0; k < c->top; k++)
			fprintf(call->out, "%s\n", c->list.items[chosen->indices[k]].name);
		return;
	}
	table_init(&t, columns, chosen->has_gap ? 2 : 1);
	for (size_t k = 0; k < c->top; k++) {
		table_add_text(&t, c->list.items[chosen->indices[k]].name);
		if (chosen->has_gap)
			table_add_double(&t, sotto_rational_double_down(&chosen->gap), 6);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static void write_accuracy(struct json_writer *json, const struct choice *c,
			   const struct choice_settings *settings)
{
	json_key(json, "accuracy");
	json_open_object(json);
	json_key(json, "confidence");
	json_write_rational(json, &settings->confidence.value);
	json_member_double(json, "error", c->error);
	json_close_object(json);
}

static void
write_chosen(struct json_writer *json, const struct choice *c, const struct chosen *chosen)
{
	const struct outcome_item *first = &c->list.items[chosen->indices[0]];

	json_member_text(json, "outcome", first->name);
	json_member_integer(json, "index", (int64_t)chosen->indices[0]);
	json_key(json, "outcomes");
	json_open_row(json);
	for (size_t k = 0; k < c->top; k++)
		json_write_text(json, c->list.items[chosen->indices[k]].name);
	json_close_array(json);
	if (chosen->has_gap) {
		json_member_double(json, "gap", sotto_rational_double_down(&chosen->gap));
	}
}

static void
write_json(const struct choice *c, const struct chosen *chosen, const struct invocation *call)
{
	struct json_writer json;

	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_text(&json, "mechanism", c->name);
	write_chosen(&json, c, chosen);
	cost_text_write(&json, &chosen->cost);
	write_accuracy(&json, c, call->settings);
	json_close_object(&json);
	json_end(&json);
}

void choice_print(const struct choice *c, const struct chosen *chosen,
		  const struct invocation *call)
{
	const struct choice_settings *settings = call->settings;

	if (call->format == FORMAT_JSON) {
		write_json(c, chosen, call);
		return;
	}
	print_rows(c, chosen, call);
	if (!settings->quiet)
		print_statement(c, chosen, call);
}

static void
write_law(const struct choice *c, const struct sotto_rational *probabilities, FILE *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_open_object(&json);
	json_key(&json, "probabilities");
	json_open_object(&json);
	for (size_t i = 0; i < c->list.count; i++) {
		json_member_double(&json, c->list.items[i].name,
				   sotto_rational_double_down(&probabilities[i]));
	}
	json_close_object(&json);
	json_close_object(&json);
	json_end(&json);
}

void choice_print_law(const struct choice *c, const struct sotto_rational *probabilities,
		      const struct invocation *call)
{
	static const struct column columns[] = {
		{"outcome", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"probability", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	const struct choice_settings *settings = call->settings;
	struct table t;

	if (call->format == FORMAT_JSON) {
		write_law(c, probabilities, call->out);
		return;
	}
	table_init(&t, columns, 2);
	for (size_t i = 0; i < c->list.count; i++) {
		table_add_text(&t, c->list.items[i].name);
		table_add_double(&t, sotto_rational_double_down(&probabilities[i]), 12);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (!settings->quiet)
		fputs("these are the probabilities for the scores given; they are not "
		      "private\n",
		      call->err);
}

enum outcome
choice_refuse(enum sotto_status st, const struct sotto_error *why, struct sotto_error *err)
{
	return complaint_refuse(err, "%s",
				why && why->text[0] ? why->text : sotto_status_text(st));
}
