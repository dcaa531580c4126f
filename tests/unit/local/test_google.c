/* Files of google/rappor as its tools and R really write them. */
#include "sotto/decode.h"

#include <stdlib.h>
#include <string.h>

#include "testlib/tap.h"

static const struct sotto_local_google small = {
	.bits = 4, .hashes = 2, .cohorts = 3, .p = .25, .q = .75, .f = .5};

static enum sotto_status read_params(const char *text, struct sotto_local_google *out)
{
	struct sotto_error err = {""};
	enum sotto_status st = sotto_local_google_params(text, strlen(text), out, &err);

	CHECK((st == SOTTO_OK) == (err.text[0] == '\0'));
	return st;
}

static void parameters_may_have_blanks_quotes_and_a_mark(void)
{
	static const char *const good[] = {
		"k, h, m, p, q, f\n16, 2, 64, 0.1, 0.9, 0.2\n",
		"\"k\",\"h\",m,p,q,f\r\n16,2,64,1e-01,.9,\"0.2\"\r\n",
		"\xef\xbb\xbfk,h,m,p,q,f\n\n16,2,64,0.1,0.9,0.2",
		" \"k\" , \"h\",m\t,p,q,f\n16,2,64,0.1,0.9,0.2\n"};
	static const char *const bad[] = {
		"k,h,m,p,q\n16,2,64,0.1,0.9\n",
		"h,k,m,p,q,f\n16,2,64,0.1,0.9,0.2\n",
		"k,h,m,p,q,f\n16,2,64,0.1,0.9,0.2\n16,2,64,0.1,0.9,0.2\n",
		"k,h,m,p,q,f\n16,2,64,0.1,0.9\n",
		"\"k\"x,h,m,p,q,f\n16,2,64,0.1,0.9,0.2\n",
		"k,h,m,p,q,f\n"};
	struct sotto_local_google g;

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		g.bits = 0;
		CHECK_INT(read_params(good[i], &g), SOTTO_OK);
		CHECK(g.bits == 16 && g.hashes == 2 && g.cohorts == 64);
		CHECK_REL(g.p, .1, 1e-15);
		CHECK_REL(g.q, .9, 1e-15);
		CHECK_REL(g.f, .2, 1e-15);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK_INT(read_params(bad[i], &g), SOTTO_EPARSE);
}

static void counts_in_the_notation_of_r_are_read(void)
{
	static const char text[] = "1e+05,5e+04,12345,0,99999\r\n"
				   "1.5e5, 1e3,150000.0,1.25e+02,\"7\"\r\n"
				   "0,0,0,0,0\r\n";
	static const uint64_t want[] = {50000, 12345, 0, 99999, 1000, 150000,
					125,   7,     0, 0,     0,    0};
	uint64_t *reports, *ones;

	REQUIRE(sotto_local_google_counts(text, strlen(text), &small, false, &reports, &ones,
					  NULL) == SOTTO_OK);
	CHECK(reports[0] == 100000 && reports[1] == 150000 && reports[2] == 0);
	CHECK(memcmp(ones, want, sizeof want) == 0);
	free(reports);
	free(ones);
}

static void counts_that_are_none_are_refused(void)
{
	static const char *const rows[] = {"9,1.5,0,0,0",  "9,1e-1,0,0,0", "9,-1,0,0,0",
					   "9,10,0,0,0",   "9,,0,0,0",     "NA,0,0,0,0",
					   "9,1e99,0,0,0", "9,1e,0,0,0",   "9,.,0,0,0",
					   "9,0,0,0",      "9,0,0,0,0,0",  "N,a,b,c,d"};
	uint64_t *reports, *ones;
	char text[128];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		snprintf(text, sizeof text, "9,0,0,0,0\n9,0,0,0,0\n%s\n", rows[i]);
		CHECK_INT(sotto_local_google_counts(text, strlen(text), &small, false, &reports,
						    &ones, NULL),
			  SOTTO_EPARSE);
	}
}

/* Chrome numbered more cohorts than were analysed: rows fold, whole sets of them. */
static void rows_fold_when_asked_and_only_whole(void)
{
	static const char six[] = "3,1,0,0,0\n0,0,0,0,0\n5,0,0,0,5\n"
				  "4,2,0,0,0\n1,0,0,0,0\n5,0,0,0,1\n";
	static const char huge[] = "4e18,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n"
				   "4e18,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n";
	uint64_t *reports, *ones;

	CHECK_INT(sotto_local_google_counts(six, strlen(six), &small, false, &reports, &ones,
					    NULL),
		  SOTTO_EPARSE);
	CHECK_INT(sotto_local_google_counts(six, strlen(six) - 10, &small, true, &reports,
					    &ones, NULL),
		  SOTTO_EPARSE);
	CHECK_INT(sotto_local_google_counts(huge, strlen(huge), &small, true, &reports, &ones,
					    NULL),
		  SOTTO_EPARSE);
	REQUIRE(sotto_local_google_counts(six, strlen(six), &small, true, &reports, &ones,
					  NULL) == SOTTO_OK);
	CHECK(reports[0] == 7 && reports[1] == 1 && reports[2] == 10);
	CHECK(ones[0] == 3 && ones[11] == 6);
	free(reports);
	free(ones);
}

/* The map that google/rappor ships closes the gap that a collision leaves. */
static void cells_say_their_cohort_themselves(void)
{
	static const char text[] = "\"V_1\",1,3,5,8,9,12\r\n"
				   "\"V_2\",2,6,7,10,11,\r\n" /* one bit in the first cohort */
				   "\"V_3\",4,8,12\r\n" /* one each, the blanks cut */
				   "V_4,12,9,8,5,3,1\r\n"
				   "V_5,1,1,5,NA,9,9\r\n";
	struct sotto_local_map m;
	struct sotto_local_names names;
	static const uint32_t none = SOTTO_LOCAL_NO_CELL;
	static const uint32_t want[] = {0, 2, 0, 3,    0, 3,    1, none, 1, 2,
					1, 2, 3, none, 3, none, 3, none, 2, 0,
					3, 0, 3, 0,    0, none, 0, none, 0, none};

	REQUIRE(sotto_local_google_map(text, strlen(text), &small, &m, &names, NULL) ==
		SOTTO_OK);
	CHECK_INT(m.candidates, 5);
	CHECK_STR(names.names[1], "V_2");
	CHECK(memcmp(m.cells, want, sizeof want) == 0);
	sotto_local_map_release(&m);
	sotto_local_names_release(&names);
}

static void maps_of_another_collection_are_refused(void)
{
	static const char *const maps[] = {"a,1,2,3,5,6,9\n", /* three bits of one cohort */
					   "a,1,2,5,6,9,13\n", /* beyond the last cohort */
					   "a,0,2,5,6,9,10\n",
					   "a,1,2,5,6,9,10,11\n",
					   "a,1,2,5,6\n", /* the last cohort was cut off */
					   "a,1,5,9\nb,2,6,10\n", /* of one hash */
					   "string,b1,b2,b3,b4,b5,b6\n",
					   "\"a,1,2,5,6,9,10\n",
					   ""};
	struct sotto_local_map m;
	struct sotto_local_names names;

	for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
		CHECK_INT(sotto_local_google_map(maps[i], strlen(maps[i]), &small, &m, &names,
						 NULL),
			  SOTTO_EPARSE);
}

static void reports_are_found_by_the_names_of_their_columns(void)
{
	static const char *const files[] = {
		"client,cohort,bloom,prr,irr\r\nc1,2,0000,0000,0011\r\nc2,0,x,y,1000\r\n",
		"user_id,cohort,rappor\n5,2,0011\n5,0,1000\n",
		"cohort, irr\n2, 0011\n0, 1000\n"};
	static const char *const bad[] = {"client,bloom,prr,irr\nc1,0,0,0011\n",
					  "client,cohort\nc1,2\n",
					  "cohort,irr\n3,0011\n",
					  "cohort,irr\n2,00110\n",
					  "cohort,irr\n2,0021\n",
					  "cohort,irr\n2\n",
					  "cohort,irr\n2,0011,1\n",
					  "cohort,irr\n,0011\n",
					  ""};
	uint64_t *reports, *ones;

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		REQUIRE(sotto_local_google_reports(files[i], strlen(files[i]), &small, &reports,
						   &ones, NULL) == SOTTO_OK);
		CHECK(reports[0] == 1 && reports[1] == 0 && reports[2] == 1);
		CHECK(ones[3] == 1 && ones[8] == 1 && ones[9] == 1 && ones[10] == 0);
		free(reports);
		free(ones);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK_INT(sotto_local_google_reports(bad[i], strlen(bad[i]), &small, &reports,
						     &ones, NULL),
			  SOTTO_EPARSE);
}

static void params_csv_is_a_text_of_parameters(void)
{
	static const char csv[] = "k, h, m, p, q, f\r\n128,2,8,0.5,7.5e-1,.25\r\n";
	static const char ours[] = "protocol rappor\nwidth 128\nhashes 2\ngroups 8\n"
				   "p .5\nq .75\nf .25\n";
	static const char *const bad[] = {
		"k,h,m,p,q,f\n128,2,8,0.5,0.5,0\n", "k,h,m,p,q,f\n128,2,8,0.5,0.75\n",
		"k,h,m,p,q,f\n1.28e2,2,8,0.5,0.75,0\n", "k,h\n128,2\n"};
	struct sotto_client_params a, b;
	uint8_t x[SOTTO_CLIENT_PARAMS_BYTES], y[SOTTO_CLIENT_PARAMS_BYTES];

	REQUIRE(sotto_local_params_parse(csv, strlen(csv), &a, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_params_parse(ours, strlen(ours), &b, NULL) == SOTTO_OK);
	sotto_client_params_store(&a, x);
	sotto_client_params_store(&b, y);
	CHECK(memcmp(x, y, sizeof x) == 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK(sotto_local_params_parse(bad[i], strlen(bad[i]), &a, NULL) != SOTTO_OK);
}

int main(void)
{
	RUN(parameters_may_have_blanks_quotes_and_a_mark);
	RUN(counts_in_the_notation_of_r_are_read);
	RUN(counts_that_are_none_are_refused);
	RUN(rows_fold_when_asked_and_only_whole);
	RUN(cells_say_their_cohort_themselves);
	RUN(maps_of_another_collection_are_refused);
	RUN(reports_are_found_by_the_names_of_their_columns);
	RUN(params_csv_is_a_text_of_parameters);
	return tap_done();
}
