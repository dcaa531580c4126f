/* Answers in the ledger: found again by their keys, with the name of the data they are about. */
#include <string.h>

#include "core/ledger/ledger_inside.h"
#include "sotto/ledger.h"
#include "testlib/fake_time.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

/* The stored answer of an analyst under a key, or "" if there is none. */
static void find(struct sotto_ledger *l, const char *analyst, const char *key, char out[64])
{
	struct sotto_ledger_found found = {0};

	CHECK_INT(sotto_ledger_find(l, analyst, key, &found, NULL), SOTTO_OK);
	snprintf(out, 64, "%s", found.answer ? found.answer : "");
	sotto_ledger_found_release(&found);
}

static void the_same_question_finds_the_same_answer(void)
{
	struct sotto_ledger *l;
	uint64_t entry, second;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "ada", "0.1", "question", &entry, NULL), SOTTO_OK);
	find(l, "ada", "question", text);
	CHECK_STR(text, "");
	CHECK_INT(sotto_ledger_answer(l, entry, "{\"rows\":[[42]]}", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "other", NULL), SOTTO_ESTATE);
	CHECK_INT(sotto_ledger_answer(l, entry + 1, "other", NULL), SOTTO_ESTATE);
	CHECK_INT(ledgers_charge_as(l, "eve", "0.1", "question", &second, NULL), SOTTO_OK);
	find(l, "ada", "question", text);
	CHECK_STR(text, "{\"rows\":[[42]]}");
	find(l, "eve", "question", text);
	CHECK_STR(text, "");
	CHECK_INT(sotto_ledger_answer(l, second, "newer", NULL), SOTTO_OK);
	find(l, "eve", "question", text);
	CHECK_STR(text, "newer");
	find(l, "ada", "question ", text);
	CHECK_STR(text, "");
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void an_answer_is_found_under_further_keys(void)
{
	struct sotto_ledger *l;
	uint64_t entry, other, entries, answers;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "ada", "0.1", "question", &entry, NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "eve", "0.1", "another", &other, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "42", NULL), SOTTO_OK);
	find(l, "ada", "part of it", text);
	CHECK_STR(text, "");
	CHECK_INT(sotto_ledger_mark(l, entry, "part of it", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_mark(l, entry, "part of it", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_mark(l, other + 1, "part of it", NULL), SOTTO_ESTATE);
	CHECK_INT(sotto_ledger_mark(l, entry, NULL, NULL), SOTTO_EINVAL);
	find(l, "ada", "part of it", text);
	CHECK_STR(text, "42");
	find(l, "eve", "part of it", text);
	CHECK_STR(text, "");
	find(l, NULL, "part of it", text);
	CHECK_STR(text, "42");
	CHECK_INT(sotto_ledger_verify(l, &entries, &answers, NULL), SOTTO_OK);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void an_answer_keeps_the_name_of_its_data(void)
{
	struct sotto_ledger_found found = {0};
	struct sotto_ledger *l;
	struct sotto_cost cost;
	struct sotto_ledger_release release = {
		.analyst = "ada", .query = "q", .key = "k", .cost = &cost, .data = "monday"};
	struct ledgers b;
	uint64_t entry;

	ledgers_begin(&b, "1", "0");
	sotto_cost_init(&cost);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "42", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_find(l, "ada", "k", &found, NULL), SOTTO_OK);
	CHECK_STR(found.data, "monday");
	CHECK_INT(found.number, entry);
	CHECK_INT(found.time, fake_time);
	sotto_ledger_found_release(&found);
	sotto_cost_release(&cost);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

int main(void)
{
	RUN(the_same_question_finds_the_same_answer);
	RUN(an_answer_is_found_under_further_keys);
	RUN(an_answer_keeps_the_name_of_its_data);
	return tap_done();
}
