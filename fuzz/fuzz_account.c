/*
 * Workloads, one event a line: what parses formats to text that parses to the same event,
 * a refusal says why, the order of lines changes nothing, and every theorem gives a number
 * that is not below what the loss distribution proves.
 */
#include "core/account/event/event.h"
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sotto/account.h"

enum { LINES_MAX = 8, LINE_MAX_ = 300 };

static void insist(int ok)
{
	if (!ok)
		abort();
}

/* Reads a line; the event is formatted and read again. */
static struct sotto_event *read_event(const char *text)
{
	struct sotto_event *e = NULL, *again = NULL;
	struct sotto_error err = {""};
	char *first = NULL, *second = NULL;

	if (sotto_event_parse(text, NULL, NULL, &e, &err) != SOTTO_OK) {
		insist(err.text[0] != '\0' && !e);
		return NULL;
	}
	insist(sotto_event_check(e, &err) == SOTTO_OK);
	insist(sotto_event_format(e, &first) == SOTTO_OK);
	if (strlen(first) < 4000) {
		insist(sotto_event_parse(first, NULL, NULL, &again, &err) == SOTTO_OK);
		insist(sotto_event_format(again, &second) == SOTTO_OK);
		insist(strcmp(first, second) == 0);
	}
	free(first);
	free(second);
	sotto_event_free(again);
	return e;
}

/* Prices of what would take long say nothing about parsing: small events only. */
static int is_cheap(const struct sotto_event *e)
{
	double a = mpq_get_d(e->first.q);

	if (e->count > 50 || e->whole > 8 || a > 30 || (a != 0 && a < 0.02) ||
	    e->n_children > 2)
		return 0;
	for (size_t i = 0; i < e->n_children; i++)
		if (e->children[i]->n_children || !is_cheap(e->children[i]))
			return 0;
	return 1;
}

static void check_prices(const struct sotto_workload *w, const struct sotto_workload *reversed)
{
	struct sotto_account_answer pld, other, same;
	struct sotto_rational delta;

	sotto_rational_init(&delta);
	insist(sotto_rational_set_ratio(&delta, 1, 1000) == SOTTO_OK);
	insist(sotto_account_epsilon(w, &delta, SOTTO_PLD, &pld) == SOTTO_OK);
	insist(!isnan(pld.upper) && pld.lower <= pld.upper);
	for (int m = 0; m < SOTTO_METHODS; m++) {
		enum sotto_method method = (enum sotto_method)m;

		insist(sotto_account_epsilon(w, &delta, method, &other) == SOTTO_OK);
		insist(sotto_account_epsilon(reversed, &delta, method, &same) == SOTTO_OK);
		insist(other.upper == same.upper && other.lower == same.lower);
		/* an exponential event is charged as pure there, and by less elsewhere */
		insist(!pld.finite || !pld.exact_pair || other.upper >= pld.lower);
	}
	sotto_rational_release(&delta);
}

static struct sotto_workload *workload_of(struct sotto_event **events, size_t n, int backwards)
{
	struct sotto_workload *w = NULL;

	insist(sotto_workload_new(&w) == SOTTO_OK);
	for (size_t i = 0; i < n; i++) {
		struct sotto_error err = {""};
		enum sotto_status st =
			sotto_workload_add(w, events[backwards ? n - 1 - i : i], 1, &err);

		if (st != SOTTO_OK) { /* mixed neighbours, or too many */
			insist(err.text[0] != '\0');
			sotto_workload_free(w);
			return NULL;
		}
	}
	return w;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_event *events[LINES_MAX];
	char *text, *rest, *line;
	size_t n = 0;
	int cheap = 1;

	if (size > 4000 || memchr(data, 0, size))
		return 0;
	rest = text = strndup((const char *)data, size);
	while (n < LINES_MAX && (line = strsep(&rest, "\n"))) {
		struct sotto_event *e = read_event(line);

		if (e) {
			cheap &= strlen(line) < LINE_MAX_ && is_cheap(e);
			events[n++] = e;
		}
	}
	if (n > 0) {
		struct sotto_workload *w = workload_of(events, n, 0);
		struct sotto_workload *reversed = workload_of(events, n, 1);

		insist(!w == !reversed);
		if (w && cheap && n <= 2)
			check_prices(w, reversed);
		sotto_workload_free(w);
		sotto_workload_free(reversed);
	}
	for (size_t i = 0; i < n; i++)
		sotto_event_free(events[i]);
	free(text);
	return 0;
}
