/*
 * A witness that can be read but not written: nobody pays for a question that is refused because of it,
 * and one that was paid for before that came out says so.
 *
 * Seen to fail: without sotto_witness_hold every refused question was charged, and the sentence did not
 * say so.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "central/session/session.h"
#include "core/ledger/ledger_inside.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nledger-witness: seen\nbudget: {epsilon: 10}\ndiagnostics: 0\n"
	"tables:\n  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n"
	"    max_rows: 2\n    columns:\n      x: {bounds: [0, 100]}\n"
	"      ward: {keys: [a, b, c]}\n";

/* How many writes to the witness still succeed, before the C library's own call. */
static int writes = 1000;

static bool is_witness(int fd)
{
	char link[64], path[FOLDER_PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	return n >= 5 && memcmp(path + n - 5, "/seen", 5) == 0;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	if (is_witness(fd) && writes-- <= 0) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, bytes, n, at);
}

static enum sotto_status add_up(void *context, const struct sotto_ledger_entry *e)
{
	double *spent = context;

	*spent += mpq_get_d(e->cost->epsilon.q);
	return SOTTO_OK;
}

static double spent(struct clinic *c)
{
	struct sotto_ledger *l = NULL;
	double sum = 0;

	CHECK_INT(sotto_session_ledger(c->session, &l, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(l, add_up, &sum, NULL), SOTTO_OK);
	return sum;
}

static bool is_answered(struct clinic *c, const char *epsilon)
{
	struct sotto_answer *a =
		clinic_ask(c, "SELECT COUNT(*) FROM visits", epsilon, NULL, false);

	sotto_answer_free(a);
	return a != NULL;
}

static void a_witness_without_room_charges_nothing(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, clinic_csv));
	CHECK(is_answered(&c, "1"));
	writes = 0;
	for (int i = 0; i < 3; i++) {
		CHECK(!is_answered(&c, "2"));
		CHECK(strstr(c.err.text, "witness") != NULL);
	}
	CHECK(spent(&c) == 1);
	writes = 1000;
	CHECK(is_answered(&c, "2"));
	CHECK(spent(&c) == 3);
	clinic_close(&c);
}

/* The first write tries it, the second is after the commit. */
static void what_is_charged_all_the_same_says_so(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, clinic_csv));
	CHECK(is_answered(&c, "1"));
	writes = 1;
	CHECK(!is_answered(&c, "2"));
	CHECK_STR(c.err.text, SOTTO_CHARGED_SENTENCE);
	CHECK(spent(&c) == 3);
	writes = 1000;
	CHECK(is_answered(&c, "1.5"));
	CHECK(spent(&c) == 4.5);
	clinic_close(&c);
}

static void the_ledger_says_that_the_entry_is_there(void)
{
	struct sotto_ledger *l = NULL;
	struct sotto_rational one;
	struct sotto_cost cost;
	struct sotto_ledger_release r = {
		.analyst = "ada", .query = "q", .key = "k", .cost = &cost};
	struct clinic c;
	uint64_t entry = 7;

	REQUIRE(clinic_open(&c, policy, clinic_csv));
	REQUIRE(sotto_session_ledger(c.session, &l, NULL) == SOTTO_OK);
	sotto_rational_init(&one);
	sotto_cost_init(&cost);
	CHECK_INT(sotto_rational_parse(&one, "0.5", NULL), SOTTO_OK);
	CHECK_INT(sotto_cost_set_pure(&cost, &one), SOTTO_OK);
	writes = 1;
	CHECK_INT(sotto_ledger_charge(l, &r, &entry, &c.err), SOTTO_EIO);
	CHECK_INT(entry, 7);
	CHECK(strstr(c.err.text, "the entry is in the ledger, with its cost, but") != NULL);
	writes = 1000;
	CHECK(spent(&c) == 0.5);
	sotto_cost_release(&cost);
	sotto_rational_release(&one);
	clinic_close(&c);
}

int main(void)
{
	RUN(a_witness_without_room_charges_nothing);
	RUN(what_is_charged_all_the_same_says_so);
	RUN(the_ledger_says_that_the_entry_is_there);
	return tap_done();
}
