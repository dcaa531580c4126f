/*
 * A budget that survives the program, from C.
 *
 *	cc budget.c $(pkg-config --cflags --libs sotto) -o budget
 *	./budget ledger.db
 *
 * The ledger is a file that records what was spent on the people in the data.  A release
 * is charged before its noise is drawn; asking for the same thing again gives the stored
 * answer and costs nothing.  Run it twice: the first count is charged once and free from
 * then on; the second would pass alice's share of the budget and is refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sotto/sotto.h>

static void check(enum sotto_status status, const struct sotto_error *err)
{
	if (status == SOTTO_OK)
		return;
	fprintf(stderr, "budget: %s\n", err->text[0] ? err->text : sotto_status_text(status));
	exit(1);
}

/* Opens the ledger, and makes it the first time: epsilon 1 for everybody, 3/4 for alice. */
static struct sotto_ledger *open_ledger(const char *path)
{
	const struct sotto_ledger_terms terms = {.policy = "counts of patients",
						 .neighbours = SOTTO_NEIGHBOURS_ADD_REMOVE};
	struct sotto_error err = {0};
	struct sotto_ledger_budget total, share;
	struct sotto_ledger *ledger;
	enum sotto_status status;

	sotto_ledger_budget_init(&total);
	sotto_ledger_budget_init(&share);
	check(sotto_rational_parse(&total.epsilon, "1", NULL), &err);
	check(sotto_rational_parse(&share.epsilon, "3/4", NULL), &err);
	status = sotto_ledger_open(path, NULL, &total, &ledger, &err);
	if (status == SOTTO_EMISSING) {
		check(sotto_ledger_create(path, &terms, &err), &err);
		status = sotto_ledger_open(path, NULL, &total, &ledger, &err);
	}
	check(status, &err);
	check(sotto_ledger_share(ledger, "alice", &share, &err), &err);
	sotto_ledger_budget_release(&total);
	sotto_ledger_budget_release(&share);
	return ledger;
}

/* Draws the noise of a charged release and stores the answer with its charge. */
static void answer(struct sotto_ledger *ledger, uint64_t entry,
		   const struct sotto_laplace *laplace, struct sotto_exact count)
{
	struct sotto_error err = {0};
	struct sotto_noisy noisy;
	struct sotto_rng *rng;
	char text[32];

	check(sotto_rng_open(&rng), &err);
	if (sotto_laplace_publish(laplace, rng, count, &noisy) != SOTTO_OK) {
		/* It stays charged: whoever waits for this answer must not wait for ever. */
		sotto_ledger_give_up(ledger, entry);
		fprintf(stderr, "budget: no random numbers could be had\n");
		exit(1);
	}
	snprintf(text, sizeof text, "%" PRId64, noisy.value);
	check(sotto_ledger_answer(ledger, entry, text, &err), &err);
	printf("about %s, charged\n", text);
	sotto_rng_close(rng);
}

static void ask(struct sotto_ledger *ledger, const char *question, struct sotto_exact count)
{
	struct sotto_error err = {0};
	struct sotto_ledger_ticket ticket = {0};
	struct sotto_laplace *laplace;
	struct sotto_rational epsilon;
	struct sotto_cost cost;
	enum sotto_status status;

	sotto_rational_init(&epsilon);
	sotto_cost_init(&cost);
	check(sotto_rational_parse(&epsilon, "1/2", NULL), &err);
	check(sotto_laplace_new(&epsilon, 1, &laplace), &err);
	check(sotto_laplace_cost(laplace, 1, &cost), &err);

	const struct sotto_ledger_release release = {
		.analyst = "alice", .query = question, .key = question, .cost = &cost};

	printf("%s: ", question);
	status = sotto_ledger_ask(ledger, &release, &ticket, &err);
	if (status == SOTTO_EBUDGET)
		printf("refused, %s\n", err.text);
	else if (status != SOTTO_OK)
		check(status, &err);
	else if (ticket.deed == SOTTO_LEDGER_CHARGED)
		answer(ledger, ticket.entry, laplace, count);
	else
		printf("about %s, as before and free\n", ticket.found.answer);
	sotto_ledger_ticket_release(&ticket);
	sotto_laplace_free(laplace);
	sotto_cost_release(&cost);
	sotto_rational_release(&epsilon);
}

int main(int argc, char **argv)
{
	struct sotto_ledger *ledger;

	if (argc != 2) {
		fprintf(stderr, "usage: budget LEDGER\n");
		return 2;
	}
	ledger = open_ledger(argv[1]);
	ask(ledger, "patients", sotto_exact_of(1204)); /* counts of the private data */
	ask(ledger, "smokers", sotto_exact_of(311));
	sotto_ledger_close(ledger);
	return 0;
}
