/*
 * Questions of a conversation.
 *
 * A question that runs cannot be stopped with Ctrl-C: it is charged by then, and stopping it
 * would throw away what was paid for.  The policy's time limit ends it at the latest.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "query/answer_chart.h"
#include "query/answer_print.h"
#include "query/explain_print.h"
#include "show/waiting.h"
#include "shell/shell.h"
#include "show/number_text.h"
#include "show/chart/picture_file.h"
#include "show/terminal.h"

static const struct sotto_rational *given(const struct option_rational *option)
{
	return option->given ? &option->value : NULL;
}

static struct sotto_question question_of(const struct shell *s, const char *sql)
{
	const struct ask_settings *a = &s->settings.ask;

	return (struct sotto_question){.sql = sql,
				       .analyst = a->analyst,
				       .epsilon = a->error.given ? NULL : given(&a->epsilon),
				       .delta = given(&a->delta),
				       .error = given(&a->error),
				       .diagnostics =
					       a->diagnostics ? &a->diagnostics_share : NULL,
				       .fresh = a->fresh};
}

/* The same text again may be s->last itself. */
static void remember(struct shell *s, const char *sql)
{
	char *copy = memory_copy_text(sql);

	free(s->last);
	s->last = copy;
}

/* ---- Ctrl-C ----------------------------------------------------------------------------------- */

static void say_patience(int number)
{
	static const char text[] =
		"\nthe question is being answered and may be charged already; "
		"it ends by itself\n";

	(void)number;
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		return;
}

static void hold_interrupts(struct sigaction *before)
{
	struct sigaction patient = {.sa_handler = say_patience, .sa_flags = SA_RESTART};

	(void)sigemptyset(&patient.sa_mask);
	(void)sigaction(SIGINT, &patient, before);
}

static void release_interrupts(const struct sigaction *before)
{
	(void)sigaction(SIGINT, before, NULL);
}

/* ---- the price --------------------------------------------------------------------------------- */

static void print_error(const struct sotto_explained_column *c, FILE *out)
{
	bool known = isfinite(c->error);
	char *error;

	if (!c->noisy || (!known && !isfinite(c->error_times_count)))
		return;
	error = number_text_brief(known ? c->error : c->error_times_count);
	fprintf(out, known ? "; %s +- %s" : "; %s about +- %s / n", c->name, error);
	free(error);
}

static void print_price(const struct sotto_explanation *e, FILE *out)
{
	if (e->repeated) {
		fputs("price: free, it was answered before\n", out);
		return;
	}
	if (sotto_rational_sign(&e->epsilon) == 0) {
		fputs("price: free, nothing private is asked\n", out);
		return;
	}
	fputs("price: ", out);
	answer_print_spent(out, &e->epsilon,
			   sotto_rational_sign(&e->delta) > 0 ? &e->delta : NULL);
	fputs(e->affordable ? ", afterwards left " : ", too much: left ", out);
	answer_print_left(out, &e->epsilon_left, NULL);
	for (size_t i = 0; i < e->column_count; i++)
		print_error(&e->columns[i], out);
	fputs(e->assumes_limits ? ", more if one unit may count with more than 1 group and row "
				  "(auto)\n"
				: "\n",
	      out);
}

/* Nobody is asked where nobody types. */
static bool is_agreed(struct shell *s)
{
	const char *line;

	if (!line_editor_is_terminal(s->editor))
		return true;
	return line_editor_read(s->editor, "ask it? [y/N] ", &line) == LINE_READ &&
	       (line[0] == 'y' || line[0] == 'Y');
}

/* False: it is not to be asked. */
static bool show_price(struct shell *s, const struct sotto_question *q)
{
	struct sotto_explanation *e = NULL;
	struct sotto_error err = {""};
	bool free_of_charge;

	if (ask_outcome(sotto_session_explain(s->session, q, &e, &err), &err) != OUTCOME_DONE) {
		shell_complain(s, &err);
		return false;
	}
	print_price(e, s->out);
	fflush(s->out);
	free_of_charge = e->repeated || sotto_rational_sign(&e->epsilon) == 0;
	sotto_explanation_free(e);
	return free_of_charge || is_agreed(s);
}

/* ---- the answer -------------------------------------------------------------------------------- */

/* What stands below the table names settings as the shell spells them; names and keys stay. */
static void print(const struct shell *s, const struct sotto_answer *a)
{
	char *text = NULL, *below = NULL;
	size_t length = 0;
	FILE *copy;

	if (s->format != FORMAT_TABLE) {
		answer_print(a, s->format, false, s->out);
		return;
	}
	copy = open_memstream(&text, &length);
	if (!copy)
		memory_fail();
	answer_print(a, s->format, false, copy);
	if (fclose(copy) != 0)
		memory_fail();
	for (char *at = text; (at = strstr(at, "\n\n")); at++)
		below = at;
	fwrite(text, 1, below ? (size_t)(below - text) : length, s->out);
	if (below)
		shell_print_words(below, s->out);
	free(text);
}

static void
draw(struct shell *s, const struct sotto_answer *a, const struct picture_file *picture)
{
	struct sotto_error err = {""};
	FILE *out;

	if (s->settings.chart && s->format == FORMAT_TABLE) {
		fputc('\n', s->out);
		if (!answer_chart_print(a, s->out, terminal_width(s->out)))
			fputs("there is no number to draw\n", s->out);
	}
	if (!picture->path)
		return;
	out = picture_open(picture, &err);
	if (!out ||
	    picture_close(picture, out, answer_chart_write(a, out), &err) != OUTCOME_DONE)
		shell_complain(s, &err);
	free(s->svg);
	s->svg = NULL;
}

static void
answer(struct shell *s, const struct sotto_question *q, const struct picture_file *picture)
{
	struct sotto_answer *a = NULL;
	struct sotto_error err = {""};
	struct sigaction before;
	struct waiting waiting;
	enum outcome outcome;

	hold_interrupts(&before);
	waiting_begin(&waiting, "asking");
	outcome = ask_outcome(sotto_session_query(s->session, q, &a, &err), &err);
	waiting_end(&waiting);
	if (outcome == OUTCOME_DONE) {
		print(s, a);
		fflush(s->out);
		draw(s, a, picture);
	} else {
		picture_forget(picture);
		shell_complain(s, &err);
	}
	release_interrupts(&before);
	sotto_answer_free(a);
}

/* Nobody would read its answer, which is paid for, once an earlier one could not be written. */
void shell_query(struct shell *s, const char *sql)
{
	struct sotto_question q;
	struct picture_file picture;
	struct sotto_error err = {""};

	if (ferror(s->out))
		return;
	remember(s, sql);
	q = question_of(s, s->last);
	if (s->settings.price && !show_price(s, &q))
		return;
	if (picture_try(&picture, s->svg, &err) != OUTCOME_DONE) {
		shell_complain(s, &err);
		return;
	}
	answer(s, &q, &picture);
}

void shell_explain(struct shell *s, const char *sql)
{
	struct sotto_explanation *e = NULL;
	struct sotto_error err = {""};
	struct sotto_question q;

	remember(s, sql);
	q = question_of(s, s->last);
	if (ask_outcome(sotto_session_explain(s->session, &q, &e, &err), &err) == OUTCOME_DONE)
		explain_print(e, s->format, false, s->out);
	else
		shell_complain(s, &err);
	sotto_explanation_free(e);
}

void shell_preview(struct shell *s, const char *sql)
{
	struct sotto_answer *a = NULL;
	struct sotto_error err = {""};
	struct sotto_question q;

	remember(s, sql);
	q = question_of(s, s->last);
	if (ask_outcome(sotto_session_preview(s->session, &q, &a, &err), &err) ==
	    OUTCOME_DONE) {
		const struct picture_file nowhere = {0};

		print(s, a);
		draw(s, a, &nowhere);
	} else {
		shell_complain(s, &err);
	}
	sotto_answer_free(a);
}
