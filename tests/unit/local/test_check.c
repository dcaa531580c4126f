/*
 * Which reports can have come from a client: over all values of the bytes that matter,
 * exactly as many are accepted as the layout has reports.
 */
#include "local/aggregate/report_check.h"
#include "sotto/collect.h"

#include "testlib/tap.h"

enum { REPORT_MAX = 32, VARIED_MAX = 4 };

struct layout {
	struct sotto_client_params params;
	unsigned positions[VARIED_MAX]; /* of bytes that run through `values` */
	unsigned count, values;
	unsigned accepted;
};

static const struct layout layouts[] = {
	{{.protocol = SOTTO_CLIENT_RR}, {0}, 1, 256, 2},
	{{.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 10}, {0}, 1, 256, 2},
	{{.protocol = SOTTO_CLIENT_GRR, .size = 5}, {0}, 1, 256, 5},
	{{.protocol = SOTTO_CLIENT_GRR, .size = 300}, {0, 1}, 2, 256, 300},
	{{.protocol = SOTTO_CLIENT_SUE, .size = 5}, {0}, 1, 256, 1 << 5},
	{{.protocol = SOTTO_CLIENT_OUE, .size = 8}, {0}, 1, 256, 1 << 8},
	{{.protocol = SOTTO_CLIENT_OUE, .size = 11}, {0, 1}, 2, 256, 1 << 11},
	{{.protocol = SOTTO_CLIENT_OLH, .hashes = 3}, {7, 8}, 2, 256, 256 * 3},
	{{.protocol = SOTTO_CLIENT_FLH, .hashes = 3, .groups = 5}, {0, 1}, 2, 256, 5 * 3},
	{{.protocol = SOTTO_CLIENT_HR, .width = 4, .groups = 3}, {0}, 1, 256, 12},
	{{.protocol = SOTTO_CLIENT_SUBSET, .size = 5, .hashes = 3}, {0, 1, 2}, 3, 16, 10},
	{{.protocol = SOTTO_CLIENT_RAPPOR, .width = 12, .groups = 5}, {0, 2}, 2, 256, 5 << 4},
	{{.protocol = SOTTO_CLIENT_CMS, .width = 8, .groups = 6}, {0, 1}, 2, 256, 6 << 8},
	{{.protocol = SOTTO_CLIENT_CMS, .width = 8, .groups = 8}, {0, 1}, 2, 256, 8 << 8},
	{{.protocol = SOTTO_CLIENT_CMS, .width = 8, .groups = 300}, {0, 1}, 2, 256, 300},
	{{.protocol = SOTTO_CLIENT_HCMS, .width = 4, .groups = 5}, {0, 1}, 2, 256, 5 * 8},
	{{.protocol = SOTTO_CLIENT_SFP, .size = 10, .hashes = 2, .width = 4, .groups = 3},
	 {0, 1, 3},
	 3,
	 16,
	 5 * 3 * 3},
	{{.protocol = SOTTO_CLIENT_SFP, .size = 10, .hashes = 2, .width = 4, .groups = 3},
	 {2, 4},
	 2,
	 256,
	 16 * 16},
	{{.protocol = SOTTO_CLIENT_DBITFLIP, .size = 5, .hashes = 3},
	 {0, 1, 2, 3},
	 4,
	 16,
	 10 * 8},
	{{.protocol = SOTTO_CLIENT_PEM, .hashes = 3, .groups = 5}, {0, 9}, 2, 256, 5 * 3},
	{{.protocol = SOTTO_CLIENT_TREEHIST, .size = 10, .grain = 4, .width = 4, .groups = 5},
	 {0, 1, 2},
	 3,
	 16,
	 3 * 5 * 8},
	{{.protocol = SOTTO_CLIENT_TREEHIST, .size = 10, .grain = 4, .width = 4, .groups = 5},
	 {3, 4},
	 2,
	 256,
	 5 * 8},
};

/* Puts the digits of `number` into the bytes that vary. */
static void write_report(const struct layout *l, unsigned number, uint8_t *report)
{
	for (unsigned i = 0; i < l->count; i++) {
		report[l->positions[i]] = (uint8_t)(number % l->values);
		number /= l->values;
	}
}

/* A report that is sound, for the bytes that do not vary. */
static void start_report(const struct layout *l, uint8_t *report)
{
	memset(report, 0, REPORT_MAX);
	for (unsigned i = 0; i < l->params.hashes; i++)
		if (l->params.protocol == SOTTO_CLIENT_DBITFLIP ||
		    l->params.protocol == SOTTO_CLIENT_SUBSET)
			report[i] = (uint8_t)i;
}

static void as_many_are_accepted_as_there_are(void)
{
	for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
		const struct layout *l = &layouts[k];
		unsigned all = 1, accepted = 0;
		uint8_t report[REPORT_MAX];

		start_report(l, report);
		for (unsigned i = 0; i < l->count; i++)
			all *= l->values;
		for (unsigned number = 0; number < all; number++) {
			write_report(l, number, report);
			accepted +=
				sotto_local_reports_check(&l->params, report, 1) == SOTTO_OK;
		}
		(void)tap_check(accepted == l->accepted, __FILE__, __LINE__,
				"layout %zu: %u accepted, expected %u", k, accepted,
				l->accepted);
	}
}

/* Wherever it stands among sound ones, also where many are looked at together. */
static void one_bad_report_among_many_is_found(void)
{
	for (uint32_t groups = 6; groups <= 8; groups += 2) {
		const struct sotto_client_params p = {
			.protocol = SOTTO_CLIENT_RAPPOR, .width = 8, .groups = groups};
		uint8_t reports[2 * 11] = {0};

		for (size_t i = 0; i < 11; i++)
			reports[2 * i] = (uint8_t)(i % groups);
		for (size_t n = 0; n <= 11; n++)
			CHECK_INT(sotto_local_reports_check(&p, reports, n), SOTTO_OK);
		for (size_t i = 0; i < 11; i++) {
			reports[2 * i] = (uint8_t)groups;
			CHECK_INT(sotto_local_reports_check(&p, reports, 11), SOTTO_EINVAL);
			CHECK_INT(sotto_local_reports_check(&p, reports, i), SOTTO_OK);
			reports[2 * i] = (uint8_t)(groups - 1);
		}
	}
}

static void what_is_wrong_with_a_report_is_said(void)
{
	const struct sotto_client_params rappor = {.protocol = SOTTO_CLIENT_RAPPOR,
						   .width = 12,
						   .groups = 6},
					 oue = {.protocol = SOTTO_CLIENT_OUE, .size = 12},
					 grr = {.protocol = SOTTO_CLIENT_GRR, .size = 12},
					 flh = {.protocol = SOTTO_CLIENT_FLH,
						.hashes = 3,
						.groups = 5};
	const struct {
		const struct sotto_client_params *params;
		uint8_t report[3];
		enum sotto_local_reason flaw;
	} cases[] = {
		{&rappor, {6, 0, 0}, SOTTO_LOCAL_REASON_COHORT},
		{&rappor, {5, 0, 0x10}, SOTTO_LOCAL_REASON_PADDING},
		{&rappor, {6, 0, 0x10}, SOTTO_LOCAL_REASON_COHORT},
		{&oue, {0xff, 0x1f}, SOTTO_LOCAL_REASON_PADDING},
		{&grr, {12}, SOTTO_LOCAL_REASON_REPORT},
		{&flh, {5, 0}, SOTTO_LOCAL_REASON_COHORT},
		{&flh, {4, 3}, SOTTO_LOCAL_REASON_REPORT},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_INT(sotto_local_reports_flaw(cases[i].params, cases[i].report, 1),
			  cases[i].flaw);
}

int main(void)
{
	RUN(what_is_wrong_with_a_report_is_said);
	RUN(as_many_are_accepted_as_there_are);
	RUN(one_bad_report_among_many_is_found);
	return tap_done();
}
