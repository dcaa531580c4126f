/*
 * Asking, forecasts, witnesses and terms: of equal questions one is paid, what is foreseen is
 * what happens, and a ledger that was put back is found out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ledger/ledger_inside.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

static void set_rational(struct sotto_rational *r, const char *text)
{
	if (sotto_rational_parse(r, text, NULL) != SOTTO_OK)
		abort();
}

/* A cost and a release of it. */
struct wish {
	struct sotto_cost cost;
	struct sotto_ledger_release release;
};

static void
wish_begin(struct wish *w, const char *analyst, const char *epsilon, const char *key)
{
	struct sotto_rational e;

	sotto_rational_init(&e);
	sotto_cost_init(&w->cost);
	set_rational(&e, epsilon);
	if (sotto_cost_set_pure(&w->cost, &e) != SOTTO_OK)
		abort();
	sotto_rational_release(&e);
	w->release = (struct sotto_ledger_release){.analyst = analyst,
						   .query = "q",
						   .key = key,
						   .cost = &w->cost,
						   .data = "monday"};
}

static enum sotto_ledger_deed ask(struct sotto_ledger *l, const char *analyst,
				  const char *epsilon, const char *answer, char found[64])
{
	struct sotto_ledger_ticket t = {0};
	enum sotto_ledger_deed deed;
	struct wish w;

	wish_begin(&w, analyst, epsilon, "k");
	CHECK_INT(sotto_ledger_ask(l, &w.release, &t, NULL), SOTTO_OK);
	snprintf(found, 64, "%s", t.found.answer ? t.found.answer : "");
	deed = t.deed;
	if (deed == SOTTO_LEDGER_CHARGED && answer)
		CHECK_INT(sotto_ledger_answer(l, t.entry, answer, NULL), SOTTO_OK);
	sotto_ledger_ticket_release(&t);
	sotto_cost_release(&w.cost);
	return deed;
}

static void share(struct sotto_ledger *l, const char *analyst, const char *epsilon)
{
	struct sotto_ledger_budget b;

	sotto_ledger_budget_init(&b);
	set_rational(&b.epsilon, epsilon);
	CHECK_INT(sotto_ledger_share(l, analyst, &b, NULL), SOTTO_OK);
	sotto_ledger_budget_release(&b);
}

static void left_of(struct sotto_ledger *l, const char *analyst, char out[64])
{
	struct sotto_ledger_totals t;
	char *text = NULL;

	sotto_ledger_totals_init(&t);
	CHECK_INT(sotto_ledger_totals(l, analyst, &t, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_format(&t.left.epsilon, &text), SOTTO_OK);
	snprintf(out, 64, "%s", text ? text : "");
	free(text);
	sotto_ledger_totals_release(&t);
}

static void seen_by(struct sotto_ledger *l, const char *analyst, char out[64])
{
	struct sotto_ledger_forecast f;
	struct sotto_cost nothing = {0};
	char *text = NULL;

	sotto_ledger_forecast_init(&f);
	CHECK_INT(sotto_ledger_forecast(l, analyst, &nothing, &f, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_format(&f.epsilon_left, &text), SOTTO_OK);
	snprintf(out, 64, "%s", text ? text : "");
	free(text);
	sotto_ledger_forecast_release(&f);
}

/* ---- equal questions ------------------------------------------------------------------------- */

static void ones_own_repeat_is_free_and_anothers_costs_a_share_alone(void)
{
	char found[64], left[64], text[64];
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	share(l, "ada", "0.5");
	share(l, "bob", "0.5");
	CHECK_INT(ask(l, "ada", "0.25", "42", found), SOTTO_LEDGER_CHARGED);
	CHECK_INT(ask(l, "ada", "0.25", NULL, found), SOTTO_LEDGER_REPEATED);
	CHECK_STR(found, "42");
	left_of(l, NULL, left);
	CHECK_STR(left, "0.75");
	seen_by(l, "bob", text);
	CHECK_STR(text, "0.5");
	CHECK_INT(ask(l, "bob", "0.25", NULL, found), SOTTO_LEDGER_SHARED_ANSWER);
	CHECK_STR(found, "42");
	left_of(l, NULL, left);
	CHECK_STR(left, "0.75"); /* the whole has paid once */
	left_of(l, "bob", left);
	CHECK_STR(left, "0.25"); /* and bob too */
	CHECK_INT(ask(l, "bob", "0.25", NULL, found), SOTTO_LEDGER_REPEATED);
	CHECK_STR(found, "42");
	left_of(l, "bob", left);
	CHECK_STR(left, "0.25");
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK); /* counted anew from the rows */
	share(l, "bob", "0.5");
	left_of(l, "bob", left);
	CHECK_STR(left, "0.25");
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* Whatever an analyst can see moves as if everything had been charged. */
static void what_is_shown_does_not_tell_a_shared_answer_from_a_new_one(void)
{
	char found[64], before[64], new[64], shared[64];
	struct sotto_ledger *l;
	struct ledgers b;

	for (int others = 0; others < 2; others++) {
		ledgers_begin(&b, "1", "0");
		REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
		if (others)
			CHECK_INT(ask(l, "ada", "0.25", "42", found), SOTTO_LEDGER_CHARGED);
		else
			CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
		seen_by(l, "bob", before);
		CHECK_STR(before, "0.75");
		CHECK_INT(ask(l, "bob", "0.25", "7", found),
			  others ? SOTTO_LEDGER_SHARED_ANSWER : SOTTO_LEDGER_CHARGED);
		seen_by(l, "bob", others ? shared : new);
		sotto_ledger_close(l);
		ledgers_end(&b);
	}
	CHECK_STR(new, shared);
}

/* ada's or bob's question with a part that finds limits: 0.25 and 0.125. */
static enum sotto_ledger_deed
ask_with_limits(struct sotto_ledger *l, const char *who, const char *data, bool *is_found)
{
	static const char *const found[] = {"limits a", "limits b"};
	struct sotto_ledger_ticket t = {0};
	struct wish w, first, last;
	struct sotto_ledger_part parts[2];

	wish_begin(&first, who, "0.25", "");
	wish_begin(&last, who, "0.125", "");
	wish_begin(&w, who, "0.25", who); /* another question each */
	sotto_cost_add(&w.cost, &last.cost);
	parts[0] = (struct sotto_ledger_part){"question", &first.cost};
	parts[1] = (struct sotto_ledger_part){"limits", &last.cost};
	w.release.parts = parts;
	w.release.part_count = 2;
	w.release.found = found;
	w.release.found_count = 2;
	w.release.data = data;
	CHECK_INT(sotto_ledger_ask(l, &w.release, &t, NULL), SOTTO_OK);
	*is_found = t.is_found;
	CHECK_INT(sotto_ledger_answer(l, t.entry, "7", NULL), SOTTO_OK);
	for (size_t i = 0; i < 2; i++)
		CHECK_INT(sotto_ledger_mark(l, t.entry, found[i], NULL), SOTTO_OK);
	sotto_cost_release(&w.cost);
	sotto_cost_release(&first.cost);
	sotto_cost_release(&last.cost);
	return t.deed;
}

static void what_another_has_found_costs_a_share_alone(void)
{
	static const char *const data[] = {"monday", "tuesday", ""};
	static const char *const left_after[] = {"0.375", "0.25", "0.25"};

	for (size_t i = 0; i < 3; i++) {
		char left[64];
		struct sotto_ledger *l;
		struct ledgers b;
		bool is_found;

		ledgers_begin(&b, "1", "0");
		REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
		share(l, "bob", "0.5");
		CHECK_INT(ask_with_limits(l, "ada", i == 2 ? "" : "monday", &is_found),
			  SOTTO_LEDGER_CHARGED);
		CHECK(!is_found);
		CHECK_INT(ask_with_limits(l, "bob", data[i], &is_found), SOTTO_LEDGER_CHARGED);
		CHECK_INT(is_found, i == 0); /* about the same data, which are known */
		for (int opened = 0; opened < 2; opened++) { /* and counted anew */
			left_of(l, NULL, left);
			CHECK_STR(left, left_after[i]);
			left_of(l, "bob", left);
			CHECK_STR(left, "0.125");
			seen_by(l, "eve", left); /* whom nobody tells */
			CHECK_STR(left, "0.25");
			sotto_ledger_close(l);
			REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
			share(l, "bob", "0.5");
		}
		sotto_ledger_close(l);
		ledgers_end(&b);
	}
}

static void a_rival_that_was_asked_is_not_charged_beside(void)
{
	struct sotto_ledger_ticket t = {0}, other = {0};
	char left[64];
	struct sotto_ledger *l, *beside; /* another session has a handle of its own */
	struct ledgers b;
	struct wish w;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	REQUIRE(ledgers_open(&b, &beside) == SOTTO_OK);
	wish_begin(&w, "ada", "0.25", "gaussian");
	w.release.rival = "laplace";
	CHECK_INT(sotto_ledger_ask(l, &w.release, &t, NULL), SOTTO_OK);
	CHECK_INT(t.deed, SOTTO_LEDGER_CHARGED);
	w.release.key = "laplace";
	w.release.rival = "gaussian";
	CHECK_INT(sotto_ledger_ask(beside, &w.release, &other, NULL), SOTTO_OK);
	CHECK_INT(other.deed, SOTTO_LEDGER_RIVALLED); /* somebody is at work on it */
	CHECK_INT(sotto_ledger_answer(l, t.entry, "7", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_ask(beside, &w.release, &other, NULL), SOTTO_OK);
	CHECK_INT(other.deed, SOTTO_LEDGER_RIVALLED);
	left_of(l, NULL, left);
	CHECK_STR(left, "0.75");
	w.release.analyst = "bob"; /* whom it does not concern */
	CHECK_INT(sotto_ledger_ask(beside, &w.release, &other, NULL), SOTTO_OK);
	CHECK_INT(other.deed, SOTTO_LEDGER_CHARGED);
	sotto_ledger_give_up(beside, other.entry);
	w.release.analyst = "eve"; /* a rival that failed is none */
	CHECK_INT(sotto_ledger_ask(beside, &w.release, &other, NULL), SOTTO_OK);
	sotto_ledger_give_up(beside, other.entry);
	w.release.key = "gaussian";
	w.release.rival = "laplace";
	w.release.own_only = true;
	CHECK_INT(sotto_ledger_ask(beside, &w.release, &other, NULL), SOTTO_OK);
	CHECK_INT(other.deed, SOTTO_LEDGER_CHARGED);
	sotto_ledger_give_up(beside, other.entry);
	sotto_cost_release(&w.cost);
	sotto_ledger_close(beside);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void a_shared_answer_needs_room_for_a_new_one(void)
{
	struct sotto_ledger_ticket t = {0};
	struct sotto_ledger *l;
	struct ledgers b;
	struct wish w;
	char found[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ask(l, "ada", "0.75", "42", found), SOTTO_LEDGER_CHARGED);
	wish_begin(&w, "bob", "0.75", "k");
	CHECK_INT(sotto_ledger_ask(l, &w.release, &t, &b.err), SOTTO_EBUDGET);
	sotto_cost_release(&w.cost);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void an_answer_about_other_data_is_not_shared(void)
{
	struct sotto_ledger_ticket t = {0};
	struct sotto_ledger *l;
	struct ledgers b;
	struct wish w;
	char found[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ask(l, "ada", "0.25", "42", found), SOTTO_LEDGER_CHARGED);
	for (int unknown = 0; unknown < 2; unknown++) {
		wish_begin(&w, unknown ? "eve" : "bob", "0.25", "k");
		w.release.data = unknown ? "" : "tuesday";
		CHECK_INT(sotto_ledger_ask(l, &w.release, &t, NULL), SOTTO_OK);
		CHECK_INT(t.deed, SOTTO_LEDGER_CHARGED);
		sotto_ledger_ticket_release(&t);
		sotto_cost_release(&w.cost);
	}
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* Another process holds the first one's entry; ours waits and is charged nothing. */
static void simultaneous_questions_are_charged_once(void)
{
	enum { ASKERS = 6 };
	int ends[2], charged = 0, status;
	struct sotto_ledger *l;
	struct ledgers b;
	char byte, left[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_make(&b) == SOTTO_OK && pipe(ends) == 0);
	fflush(stdout);
	for (int i = 0; i < ASKERS; i++)
		if (fork() == 0) {
			struct sotto_ledger_ticket t = {0};
			struct wish w;
			bool ok = ledgers_open(&b, &l) == SOTTO_OK;

			wish_begin(&w, "ada", "0.125", "k");
			w.release.patience = (uint64_t)60 * 1000000000;
			ok = ok && sotto_ledger_ask(l, &w.release, &t, NULL) == SOTTO_OK;
			if (ok && t.deed == SOTTO_LEDGER_CHARGED) {
				usleep(200000); /* the others come while this is at work */
				ok = sotto_ledger_answer(l, t.entry, "42", NULL) == SOTTO_OK &&
				     write(ends[1], "x", 1) == 1;
			} else {
				ok = ok && strcmp(t.found.answer, "42") == 0;
			}
			_exit(ok ? 0 : 1);
		}
	close(ends[1]);
	while (read(ends[0], &byte, 1) == 1)
		charged++;
	for (int i = 0; i < ASKERS; i++) {
		wait(&status);
		CHECK_INT(status, 0);
	}
	CHECK_INT(charged, 1);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	left_of(l, NULL, left);
	CHECK_STR(left, "0.875");
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* Who died at work leaves a charge and no answer: the next one is charged, not left waiting. */
static void a_question_whose_asker_died_is_asked_anew(void)
{
	struct sotto_ledger *l, *other;
	struct ledgers b;
	char found[64];
	int status;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	fflush(stdout);
	if (fork() == 0) {
		if (ledgers_open(&b, &other) != SOTTO_OK ||
		    ask(other, "ada", "0.25", NULL, found) != SOTTO_LEDGER_CHARGED)
			_exit(1);
		_exit(0);
	}
	wait(&status);
	CHECK_INT(status, 0);
	CHECK_INT(ask(l, "ada", "0.25", "42", found), SOTTO_LEDGER_CHARGED);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* ---- forecasts ------------------------------------------------------------------------------- */

/* As many as were foreseen are admitted, and what is left is what was foreseen. */
static void as_many_fit_as_were_foreseen(void)
{
	static const char *const budgets[][2] = {{"1", "0"}, {"1", "1e-6"}, {"3", "0.001"}};
	static const char *const costs[] = {"0.1", "0.03", "1/3", "0.7", "2"};

	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 5; k++) {
			struct sotto_ledger_forecast f;
			struct sotto_ledger *l;
			uint64_t entry, done = 0, foreseen = 0;
			struct ledgers b;
			struct wish w;
			char *text = NULL, left[64], after[64] = "";

			ledgers_begin(&b, budgets[i][0], budgets[i][1]);
			REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
			wish_begin(&w, "ada", costs[k], "k");
			sotto_ledger_forecast_init(&f);
			for (;;) {
				CHECK_INT(sotto_ledger_forecast(l, "ada", &w.cost, &f, NULL),
					  SOTTO_OK);
				if (done == 0)
					foreseen = f.fits;
				CHECK_INT(f.fits, foreseen - done);
				CHECK_INT(f.affordable, f.fits > 0);
				CHECK_INT(sotto_rational_format(&f.epsilon_left, &text),
					  SOTTO_OK);
				snprintf(after, sizeof after, "%s", text);
				free(text);
				if (sotto_ledger_charge(l, &w.release, &entry, NULL) !=
				    SOTTO_OK)
					break;
				done++;
				left_of(l, NULL, left);
				CHECK_STR(left, after);
			}
			CHECK_INT(done, foreseen);
			sotto_ledger_forecast_release(&f);
			sotto_cost_release(&w.cost);
			sotto_ledger_close(l);
			ledgers_end(&b);
		}
}

/* Gaussian noise leaves only the zCDP branch: there, too, nothing is subtracted naively. */
static void what_is_left_is_exact_in_the_zcdp_branch(void)
{
	struct sotto_ledger_forecast f;
	struct sotto_rational rho, none;
	struct sotto_ledger *l;
	struct ledgers b;
	struct wish w;
	uint64_t entry;
	char *text = NULL, left[64];

	ledgers_begin(&b, "1", "1e-6");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	wish_begin(&w, "ada", "0.1", "k");
	sotto_rational_init(&rho);
	sotto_rational_init(&none);
	set_rational(&rho, "0.004");
	CHECK_INT(sotto_cost_set_zcdp(&w.cost, &rho, &none), SOTTO_OK);
	sotto_ledger_forecast_init(&f);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(sotto_ledger_forecast(l, "ada", &w.cost, &f, NULL), SOTTO_OK);
		CHECK(f.affordable);
		CHECK_INT(sotto_rational_format(&f.epsilon_left, &text), SOTTO_OK);
		CHECK_INT(sotto_ledger_charge(l, &w.release, &entry, NULL), SOTTO_OK);
		left_of(l, NULL, left);
		CHECK_INT(strncmp(text, left, 60), 0);
		free(text);
	}
	sotto_ledger_forecast_release(&f);
	sotto_rational_release(&rho);
	sotto_rational_release(&none);
	sotto_cost_release(&w.cost);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* ---- making, accepting, a witness ------------------------------------------------------------- */

static void a_ledger_is_never_made_by_opening(void)
{
	struct sotto_ledger *l = NULL;
	struct ledgers b;
	char want[2 * FOLDER_PATH_MAX];

	ledgers_begin(&b, "1", "0");
	CHECK_INT(sotto_ledger_open(b.path, NULL, &b.budget, &l, &b.err), SOTTO_EMISSING);
	snprintf(want, sizeof want,
		 "no ledger at %s; create one with sotto ledger create, or restore it: a new "
		 "ledger starts the budget again",
		 b.path);
	CHECK_STR(b.err.text, want);
	CHECK(access(b.path, F_OK) != 0);
	CHECK_INT(ledgers_make(&b), SOTTO_OK);
	CHECK_INT(ledgers_make(&b), SOTTO_ESTATE);
	ledgers_end(&b);
}

static void a_ledger_keeps_its_neighbours_and_what_was_accepted(void)
{
	const struct sotto_ledger_terms terms = {.policy = "a\t1\n",
						 .neighbours = SOTTO_NEIGHBOURS_REPLACE_ONE};
	enum sotto_ledger_neighbours n = SOTTO_NEIGHBOURS_ADD_REMOVE;
	struct sotto_ledger *l = NULL;
	struct ledgers b;
	char *text = NULL;

	ledgers_begin(&b, "1", "0");
	CHECK_INT(sotto_ledger_create(b.path, &terms, NULL), SOTTO_OK);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_accept(l, "owner", "a\t2\n", "a: 1 -> 2", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_neighbours(l, &n, NULL), SOTTO_OK);
	CHECK_INT(n, SOTTO_NEIGHBOURS_REPLACE_ONE);
	CHECK_INT(sotto_ledger_policy(l, &text, NULL), SOTTO_OK);
	CHECK_STR(text, "a\t2\n");
	free(text);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void copy_file(const char *from, const char *to)
{
	char command[2 * FOLDER_PATH_MAX + 16];

	snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
	if (system(command) != 0)
		abort();
}

static void an_older_copy_that_is_put_back_is_found_out(void)
{
	char witness[FOLDER_PATH_MAX], old[FOLDER_PATH_MAX], left[64];
	struct sotto_ledger_terms terms = {.policy = "p\n"};
	struct sotto_ledger *l = NULL;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	folder_file(&b.folder, "witness", witness);
	folder_file(&b.folder, "old.db", old);
	terms.witness = witness;
	REQUIRE(sotto_ledger_create(b.path, &terms, NULL) == SOTTO_OK);
	REQUIRE(sotto_ledger_open(b.path, witness, &b.budget, &l, NULL) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_backup(l, old, NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	copy_file(old, b.path);
	CHECK_INT(sotto_ledger_open(b.path, witness, &b.budget, &l, &b.err), SOTTO_ESTATE);
	CHECK(strstr(b.err.text, "an older copy was put back") != NULL);
	/* Charged on from there it is as long as before, and still not the same. */
	REQUIRE(sotto_ledger_open(b.path, NULL, &b.budget, &l, NULL) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.125", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sotto_ledger_open(b.path, witness, &b.budget, &l, &b.err), SOTTO_ESTATE);
	CHECK_INT(sotto_ledger_reset_witness(b.path, witness, "owner", NULL), SOTTO_OK);
	REQUIRE(sotto_ledger_open(b.path, witness, &b.budget, &l, NULL) == SOTTO_OK);
	left_of(l, NULL, left);
	CHECK_STR(left, "0.625");
	CHECK_INT(ledgers_charge(l, "0.125", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void a_missing_or_damaged_witness_is_refused(void)
{
	char witness[FOLDER_PATH_MAX];
	struct sotto_ledger_terms terms = {.policy = "p\n"};
	struct sotto_ledger *l = NULL;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	folder_file(&b.folder, "witness", witness);
	terms.witness = witness;
	REQUIRE(sotto_ledger_create(b.path, &terms, NULL) == SOTTO_OK);
	REQUIRE(sotto_ledger_open(b.path, witness, &b.budget, &l, NULL) == SOTTO_OK);
	/* One slot torn in a crash leaves the other. */
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	for (int slot = 0; slot < 2; slot++) {
		FILE *f = fopen(witness, "r+");

		REQUIRE(f != NULL);
		fseek(f, slot * 192 + 30, SEEK_SET);
		fputs("torn", f);
		fclose(f);
		CHECK_INT(sotto_ledger_open(b.path, witness, &b.budget, &l, &b.err),
			  slot == 0 ? SOTTO_OK : SOTTO_ECORRUPT);
		if (slot == 0)
			sotto_ledger_close(l);
	}
	unlink(witness);
	CHECK_INT(sotto_ledger_open(b.path, witness, &b.budget, &l, &b.err), SOTTO_EMISSING);
	CHECK(strstr(b.err.text, "witness") != NULL);
	ledgers_end(&b);
}

/* As somebody who may write neither the file nor its folder. */
static void a_ledger_that_cannot_be_written_can_be_read(void)
{
	struct sotto_ledger *l = NULL;
	struct ledgers b;
	char left[64];
	int status;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(chmod(b.path, 0444), 0);
	CHECK_INT(chmod(b.folder.path, 0555), 0);
	fflush(stdout);
	if (fork() == 0) {
		if (getuid() == 0 && setuid(65534) != 0)
			_exit(9);
		if (sotto_ledger_open(b.path, NULL, &b.budget, &l, &b.err) != SOTTO_OK)
			_exit(1);
		left_of(l, NULL, left);
		if (!sotto_ledger_is_read_only(l) || strcmp(left, "0.75") != 0)
			_exit(2);
		_exit(ledgers_charge(l, "0.25", &b.err) == SOTTO_EIO &&
				      strstr(b.err.text, "cannot be written")
			      ? 0
			      : 3);
	}
	wait(&status);
	CHECK_INT(status >> 8, 0);
	CHECK_INT(chmod(b.folder.path, 0700), 0);
	ledgers_end(&b);
}

static bool is_asked(struct sotto_ledger *l, const char *analyst)
{
	bool asked = false;

	CHECK_INT(sotto_ledger_is_asked(l, analyst, "k", &asked, NULL), SOTTO_OK);
	return asked;
}

/* A file that another took away meanwhile holds no lock that others see. */
static void the_file_of_locks_goes_with_the_last_and_not_before(void)
{
	struct sotto_ledger *one = NULL, *other = NULL;
	struct ledgers b;
	struct wish w;
	struct sotto_ledger_ticket t = {0};
	char file[FOLDER_PATH_MAX + 16], found[64];

	ledgers_begin(&b, "4", "0");
	(void)snprintf(file, sizeof file, "%s-asking", b.path);
	REQUIRE(ledgers_open(&b, &one) == SOTTO_OK && ledgers_open(&b, &other) == SOTTO_OK);
	CHECK(!is_asked(other, "ann"));
	wish_begin(&w, "ann", "1", "k");
	CHECK_INT(sotto_ledger_ask(one, &w.release, &t, NULL), SOTTO_OK);
	CHECK_INT(access(file, F_OK), 0);
	CHECK(is_asked(other, "ann"));
	CHECK(!is_asked(other, "bob"));
	sotto_ledger_close(other); /* the first is still at work */
	CHECK_INT(access(file, F_OK), 0);
	REQUIRE(ledgers_open(&b, &other) == SOTTO_OK);
	CHECK(is_asked(other, "ann"));
	CHECK_INT(sotto_ledger_answer(one, t.entry, "seven", NULL), SOTTO_OK);
	CHECK(is_asked(other, "ann"));
	sotto_ledger_close(one);
	CHECK_INT(ask(other, "bob", "1", "eight", found), SOTTO_LEDGER_SHARED_ANSWER);
	sotto_ledger_close(other);
	CHECK(access(file, F_OK) != 0);
	sotto_ledger_ticket_release(&t);
	sotto_cost_release(&w.cost);
	ledgers_end(&b);
}

int main(void)
{
	RUN(ones_own_repeat_is_free_and_anothers_costs_a_share_alone);
	RUN(what_is_shown_does_not_tell_a_shared_answer_from_a_new_one);
	RUN(what_another_has_found_costs_a_share_alone);
	RUN(a_rival_that_was_asked_is_not_charged_beside);
	RUN(a_shared_answer_needs_room_for_a_new_one);
	RUN(an_answer_about_other_data_is_not_shared);
	RUN(simultaneous_questions_are_charged_once);
	RUN(the_file_of_locks_goes_with_the_last_and_not_before);
	RUN(a_question_whose_asker_died_is_asked_anew);
	RUN(as_many_fit_as_were_foreseen);
	RUN(what_is_left_is_exact_in_the_zcdp_branch);
	RUN(a_ledger_is_never_made_by_opening);
	RUN(a_ledger_keeps_its_neighbours_and_what_was_accepted);
	RUN(an_older_copy_that_is_put_back_is_found_out);
	RUN(a_missing_or_damaged_witness_is_refused);
	RUN(a_ledger_that_cannot_be_written_can_be_read);
	return tap_done();
}
