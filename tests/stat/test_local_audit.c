/*
 * Every native encoder attacked: many devices report each of two values.  A pilot
 * sorts the reports by how much they speak for the first one, the cut is chosen on
 * more of them, and Clopper and Pearson's bounds on the rest prove an epsilon.  It is never above what
 * sotto_local_privacy_state says of the same integers, and not far below it, so
 * the attack has teeth.  Parameters are small, so that whole reports, or whole
 * histories of reports, are the events.
 *
 * Full size: 10^6 devices per value measured.  False alarm of one case: 1e-9.
 */
#include "local/protocol/design.h"
#include "sotto/local.h"

#include <stdlib.h>

#include "local/client/encode.h"
#include "local/client/primitive/family.h"
#include "local/decode/supports.h"
#include "testlib/statistics/audit.h"
#include "testlib/statistics/classes.h"
#include "testlib/effort.h"
#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

/* Two values, as numbers and as bytes. */
struct pair {
	uint64_t number[2];
	const char *text[2];
};

static const struct pair zero_one = {{0, 1}, {"\x11zero", "\xeeone"}};

struct target {
	struct sotto_client_params params;
	struct pair values;
	unsigned reports; /* of one device */
	bool redraws; /* the fault: a new key for each report */
	struct sotto_client client;
	uint64_t seed;
	struct classes *seen;
};

static enum sotto_status
encode(struct target *t, struct sotto_client *c, bool which, uint8_t *out, size_t *used)
{
	const char *text = t->values.text[which];
	enum sotto_status st =
		sotto_client_encode_number(c, t->values.number[which], out, 64, used);

	return st == SOTTO_EINVAL ? sotto_client_encode(c, text, strlen(text), out, 64, used)
				  : st;
}

/* Of a report with its own hash function: which of the two values it supports. */
static size_t supports(const struct target *t, const uint8_t *report, uint8_t *out)
{
	const struct sotto_client_params *p = &t->params;
	bool is_pem = p->protocol == SOTTO_CLIENT_PEM;
	uint32_t bits =
		is_pem ? p->grain + (report[0] + 1) * (p->size - p->grain) / p->groups : 0;

	for (unsigned i = 0; i < 2; i++) {
		const char *text = t->values.text[i];
		uint64_t count = 0, key = is_pem ? sotto_prefix_key((const uint8_t *)text,
								    strlen(text), bits)
						 : sotto_family_number_key(t->values.number[i]);

		sotto_olh_count(report + is_pem, 1, 16, p->hashes, &key, 1, &count);
		out[i] = (uint8_t)count;
	}
	return 2;
}

/* Whether the device's key has a part in the report. */
static bool uses_key(const struct sotto_client_params *p)
{
	return p->memoize || p->grain || p->protocol == SOTTO_CLIENT_RAPPOR ||
	       p->protocol == SOTTO_CLIENT_DBITFLIP;
}

static void open_device(struct target *t)
{
	static uint8_t key[32];
	struct sotto_client_secrets s = {.key = key, .fill = local_fill, .context = &t->seed};

	local_fill(&t->seed, key, 32);
	if (sotto_client_init(&t->client, &t->params, &s) != SOTTO_OK)
		abort();
}

static unsigned run(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct target *t = context;
	uint8_t history[CLASS_BYTES], report[64];
	size_t n = 0, used = 0;

	(void)rng; /* devices bring their own */
	for (unsigned i = 0; i < t->reports; i++) {
		if (uses_key(&t->params) && (i == 0 || t->redraws))
			open_device(t);
		if (encode(t, &t->client, neighbour, report, &used) != SOTTO_OK)
			abort();
		if (t->params.protocol == SOTTO_CLIENT_OLH ||
		    t->params.protocol == SOTTO_CLIENT_PEM)
			used = supports(t, report, history + n);
		else if (n + used <= CLASS_BYTES)
			memcpy(history + n, report, used);
		else
			abort();
		n += used;
	}
	return class_of(t->seen, history, n);
}

static double proved(struct target *t, uint64_t runs)
{
	struct audit a = {
		.run = run, .context = t, .classes = CLASSES, .runs = 2 * runs, .seed = 1};
	double epsilon;

	t->seen = calloc(1, sizeof *t->seen);
	if (!t->seen)
		abort();
	t->seed = 1000 + t->params.protocol;
	open_device(t);
	epsilon = audit_prove_sorted(&a).epsilon;
	free(t->seen);
	return epsilon;
}

/* Measured per value; a device that derives from its key takes longer. */
static uint64_t devices(const struct target *t)
{
	if (effort() == EFFORT_LONG)
		return 1000000;
	return uses_key(&t->params) ? 15000 : 50000;
}

static double claimed(const struct sotto_client_params *p, unsigned reports)
{
	struct sotto_local_privacy s;

	sotto_local_privacy_init(&s);
	CHECK_INT(sotto_local_privacy_state(p, reports, &s), SOTTO_OK);
	sotto_local_privacy_release(&s);
	return reports == 1 ? s.report : s.after;
}

/* Proves at least this share of the claim, and no more than the claim. */
static void holds(const char *name, struct target *t, double share)
{
	double claim = claimed(&t->params, t->reports), epsilon = proved(t, devices(t));

	tap_note("%s: proved %.3f of %.3f", name, epsilon, claim);
	CHECK(epsilon <= claim);
	CHECK(epsilon >= share * claim);
}

static struct target
designed(uint32_t protocol, uint32_t size, uint32_t width, uint32_t groups, const char *eps)
{
	struct target t = {.params = {.protocol = protocol,
				      .size = size,
				      .width = width,
				      .groups = groups},
			   .values = zero_one,
			   .reports = 1};

	if (protocol == SOTTO_CLIENT_DBITFLIP)
		t.params.hashes = 2;
	CHECK_INT(sotto_local_design(&t.params, ratio(eps), NULL, NULL, NULL), SOTTO_OK);
	return t;
}

static void symbols_and_unary_vectors(void)
{
	static const struct {
		uint32_t protocol, size;
		const char *eps;
	} cases[] = {{SOTTO_CLIENT_GRR, 3, "1"},    {SOTTO_CLIENT_GRR, 50, "2"},
		     {SOTTO_CLIENT_SUE, 3, "1"},    {SOTTO_CLIENT_OUE, 3, "1"},
		     {SOTTO_CLIENT_HR, 3, "1"},     {SOTTO_CLIENT_HR, 6, "2"},
		     {SOTTO_CLIENT_SUBSET, 5, "1"}, {SOTTO_CLIENT_SUBSET, 6, "1/2"}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct target t =
			designed(cases[i].protocol, cases[i].size, 0, 0, cases[i].eps);

		holds(sotto_local_protocol_name(cases[i].protocol), &t, .6);
	}
}

static void grr_on_two_symbols_gives_nine_tenths_of_its_epsilon(void)
{
	struct target t = designed(SOTTO_CLIENT_GRR, 2, 0, 0, "1");
	double claim = claimed(&t.params, 1), epsilon = proved(&t, 1000000);

	CHECK(epsilon <= claim);
	CHECK(epsilon >= .9 * claim);
}

static void coin_tosses_one_and_two(void)
{
	struct target t = {.values = {{1, 0}, {NULL, NULL}}, .reports = 1};

	CHECK_INT(sotto_local_design_coin(&t.params, ratio("1/2"), ratio("1/2"), NULL),
		  SOTTO_OK);
	holds("one coin toss", &t, .6);
	t.reports = 2;
	holds("two coin tosses", &t, .6);
}

static void local_hashing_with_many_and_few_functions(void)
{
	struct target olh = designed(SOTTO_CLIENT_OLH, 3, 0, 0, "1");
	struct target flh = designed(SOTTO_CLIENT_FLH, 3, 0, 8, "1");

	holds("OLH", &olh, .6);
	holds("FLH", &flh, .6);
}

static void sketches(void)
{
	struct target cms = designed(SOTTO_CLIENT_CMS, 0, 4, 2, "1");
	struct target hcms = designed(SOTTO_CLIENT_HCMS, 0, 4, 2, "1");

	holds("CMS", &cms, .6);
	holds("HCMS", &hcms, .6);
}

/* Fragment and word, level and value: both parts speak. */
static void discovery_of_strings(void)
{
	struct target sfp = {
		.params = {.protocol = SOTTO_CLIENT_SFP,
			   .size = 4,
			   .hashes = 2,
			   .width = 4,
			   .groups = 1,
			   .grain = 8,
			   .salt = 4}, /* no collision */
		.values = zero_one,
		.reports = 1,
	};
	struct target pem = {
		.params = {.protocol = SOTTO_CLIENT_PEM, .size = 16, .groups = 2, .grain = 2},
		.values = zero_one,
		.reports = 1};
	struct target tree = {.params = {.protocol = SOTTO_CLIENT_TREEHIST,
					 .size = 16,
					 .grain = 8,
					 .width = 4,
					 .groups = 1},
			      .values = zero_one,
			      .reports = 1};

	CHECK_INT(sotto_local_design(&sfp.params, ratio("1"), ratio("1/2"), NULL, NULL),
		  SOTTO_OK);
	CHECK_INT(sotto_local_design(&pem.params, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_local_design(&tree.params, ratio("1"), ratio("1/2"), NULL, NULL),
		  SOTTO_OK);
	holds("SFP", &sfp, .6);
	holds("PEM", &pem, .6);
	holds("TreeHist", &tree, .6);
}

/* Rounding points and memoized bits; histories of four reports with output perturbation. */
static void means(void)
{
	struct target t = {.params = {.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 60},
			   .values = {{0, 60}, {NULL, NULL}},
			   .reports = 1};

	CHECK_INT(sotto_local_design(&t.params, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	holds("1BitMean", &t, .6);
	t.params.grain = 20;
	t.params.memoize = 1;
	t.reports = 4;
	holds("1BitMean, rounded, memoized, 4 reports", &t, .6);
	CHECK_INT(sotto_local_design(&t.params, ratio("1"), NULL, ratio(".2"), NULL), SOTTO_OK);
	t.reports = 1;
	holds("1BitMean, output perturbation", &t, .6);
	t.reports = 4;
	holds("1BitMean, output perturbation, 4 reports", &t, .5);
	t.values.number[1] = 33; /* between two grid points, less is given away */
	CHECK(proved(&t, devices(&t)) <= claimed(&t.params, 4));
}

static void histograms(void)
{
	struct target t = designed(SOTTO_CLIENT_DBITFLIP, 3, 0, 0, "1");

	holds("dBitFlip", &t, .6);
	t.params.memoize = 1;
	t.reports = 3;
	holds("dBitFlip, memoized, 3 reports", &t, .6);
	CHECK_INT(sotto_local_design(&t.params, ratio("1"), NULL, ratio(".1"), NULL), SOTTO_OK);
	t.reports = 1;
	holds("dBitFlip, output perturbation", &t, .5);
	t.reports = 3;
	holds("dBitFlip, output perturbation, 3 reports", &t, .4);
}

/* Two strings whose filters share no bit, in the one cohort there is. */
static struct target
rappor(uint32_t bits, uint32_t hashes, const char *f, const char *p, const char *q)
{
	static char texts[8][2][8];
	static unsigned calls;
	char(*text)[8] = texts[calls++ % 8];
	struct target t = {.params = {.width = bits, .hashes = hashes, .groups = 1},
			   .reports = 1};
	uint8_t bloom[2][1] = {{0}};

	CHECK_INT(sotto_local_design_rappor(&t.params, ratio(f), ratio(p), ratio(q), NULL),
		  SOTTO_OK);
	for (unsigned i = 0, found = 0; found < 2; i++) {
		struct sotto_client_value v = {.bytes = (const uint8_t *)text[found]};

		v.length = (size_t)snprintf(text[found], sizeof text[found], "s%u", i);
		sotto_rappor_bloom(&t.params, 0, &v, bloom[found]);
		if (__builtin_popcount(bloom[found][0]) == (int)hashes &&
		    (found == 0 || !(bloom[0][0] & bloom[1][0])))
			t.values.text[found] = text[found], found++;
	}
	return t;
}

static void strings(void)
{
	struct target permanent = rappor(8, 2, ".5", "0", "1");
	struct target instant = rappor(8, 2, ".5", ".25", ".75");
	struct target history = rappor(2, 1, ".5", ".25", ".75");
	struct target mirrored = rappor(8, 1, ".25", ".875", ".125");
	struct target basic = {.params = {.size = 3, .width = 3, .hashes = 1, .groups = 1},
			       .values = zero_one,
			       .reports = 1};

	holds("RAPPOR, permanent response", &permanent, .6);
	holds("RAPPOR, one report", &instant, .6);
	for (history.reports = 2; history.reports <= 4; history.reports++)
		holds("RAPPOR, several reports", &history, .6);
	holds("RAPPOR, p > q", &mirrored, .6);
	CHECK_INT(sotto_local_design_rappor(&basic.params, ratio(".25"), ratio(".125"),
					    ratio(".875"), NULL),
		  SOTTO_OK);
	holds("RAPPOR on symbols", &basic, .6);
}

/* A client that draws its permanent answer again for each report keeps nothing. */
static void a_redrawn_memo_is_caught(void)
{
	struct target mean = {
		.params = {.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 60, .memoize = 1},
		.values = {{0, 60}, {NULL, NULL}},
		.reports = 4,
		.redraws = true};
	struct target filter = rappor(2, 1, ".5", "0", "1");

	CHECK_INT(sotto_local_design(&mean.params, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK(proved(&mean, devices(&mean)) > claimed(&mean.params, 4));
	filter.reports = 3;
	CHECK(proved(&filter, devices(&filter)) <= claimed(&filter.params, 3));
	filter.redraws = true;
	CHECK(proved(&filter, devices(&filter)) > claimed(&filter.params, 3));
}

int main(void)
{
	RUN(symbols_and_unary_vectors);
	RUN(grr_on_two_symbols_gives_nine_tenths_of_its_epsilon);
	RUN(coin_tosses_one_and_two);
	RUN(local_hashing_with_many_and_few_functions);
	RUN(sketches);
	RUN(discovery_of_strings);
	RUN(means);
	RUN(histograms);
	RUN(strings);
	RUN(a_redrawn_memo_is_caught);
	return tap_done();
}
