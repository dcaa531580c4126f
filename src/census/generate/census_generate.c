/*
 * Walks down from states to blocks with a public generator and hands each block on as soon as
 * it is made; races follow a Dirichlet law around those of the county.
 */
#include "census/generate/census_generate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/splitmix.h"

enum { STATES = 51 };

static double exponential(uint64_t *dice)
{
	return -log(sotto_splitmix_unit(dice));
}

static double normal(uint64_t *dice)
{
	return sqrt(-2 * log(sotto_splitmix_unit(dice))) *
	       cos(2 * M_PI * sotto_splitmix_unit(dice));
}

/* Where the law of normal() has share u below it, to a millionth: by halving. */
static double normal_quantile(double u)
{
	double low = -10, high = 10;

	while (high - low > 1e-6) {
		double middle = (low + high) / 2;

		if (erfc(-middle / M_SQRT2) / 2 < u)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Marsaglia and Tsang 2000, with the usual boost below 1. */
static double gamma_draw(uint64_t *dice, double shape)
{
	double boost = 1, c, k;

	if (shape < 1) {
		boost = pow(sotto_splitmix_unit(dice), 1 / shape);
		shape += 1;
	}
	c = shape - 1.0 / 3;
	k = 1 / sqrt(9 * c);
	for (;;) {
		double x = normal(dice), v = 1 + k * x, u = sotto_splitmix_unit(dice);

		v = v * v * v;
		if (v > 0 && log(u) < 0.5 * x * x + c - c * v + c * log(v))
			return boost * c * v;
	}
}

/* Six single races, then 57 combinations that become rarer and rarer. */
static void national_races(double *p)
{
	static const double single[] = {0.616, 0.124, 0.011, 0.060, 0.002, 0.084};
	double rest = 0, sum = 0;

	memcpy(p, single, sizeof single);
	for (size_t i = 6; i < SOTTO_NATION_RACES; i++)
		rest += pow(0.9, (double)(i - 6));
	for (size_t i = 6; i < SOTTO_NATION_RACES; i++)
		p[i] = 0.10 * pow(0.9, (double)(i - 6)) / rest;
	for (size_t i = 0; i < SOTTO_NATION_RACES; i++)
		sum += p[i];
	for (size_t i = 0; i < SOTTO_NATION_RACES; i++)
		p[i] /= sum;
}

static void dirichlet(uint64_t *dice, const double *mean, double weight, double *out)
{
	double sum = 0;

	for (size_t i = 0; i < SOTTO_NATION_RACES; i++)
		sum += out[i] = mean[i] > 0 ? gamma_draw(dice, weight * mean[i]) : 0;
	for (size_t i = 0; i < SOTTO_NATION_RACES; i++)
		out[i] /= sum;
}

static bool is_whole(const struct sotto_nation *nation)
{
	return nation->counties == SOTTO_NATION_COUNTIES;
}

/* What the people of one block group have in common. */
struct group {
	double races[SOTTO_NATION_RACES]; /* cumulated */
	double hispanic;
	size_t quarters; /* the kind of group quarters; 0: none */
	double in_quarters;
	bool is_empty;
};

struct maker {
	const struct sotto_nation *nation;
	sotto_nation_fn each;
	void *context;
	uint64_t dice; /* the state of the public generator */
	bool has_begun; /* the first block is made */
	size_t counties; /* made so far */
	uint32_t counts[SOTTO_NATION_CELLS];
	uint16_t cells[SOTTO_NATION_CELLS];
	uint32_t listed[SOTTO_NATION_CELLS];
};

static void make_group(struct maker *m, const double *county, struct group *g)
{
	double sum = 0;

	dirichlet(&m->dice, county, m->nation->mixing, g->races);
	for (size_t i = 0; i < SOTTO_NATION_RACES; i++)
		g->races[i] = sum += g->races[i];
	g->hispanic = fmin(0.187 * exponential(&m->dice), 0.95);
	g->quarters =
		sotto_splitmix_unit(&m->dice) < 0.12 ? 1 + sotto_splitmix(&m->dice) % 7 : 0;
	g->in_quarters = g->quarters ? 0.08 * sotto_splitmix_unit(&m->dice) : 0;
	if (m->nation->variant == SOTTO_NATION_QUARTERS) {
		g->quarters = 1 + sotto_splitmix(&m->dice) % 7;
		g->in_quarters = 1;
	}
	g->is_empty = m->nation->variant == SOTTO_NATION_EMPTY &&
		      sotto_splitmix_unit(&m->dice) < 0.25;
}

static size_t person(struct maker *m, const struct group *g)
{
	enum { NURSING = 3 };
	double u = sotto_splitmix_unit(&m->dice);
	size_t race = 0, hhgq = 0;
	uint64_t bits = sotto_splitmix(&m->dice);
	double v = (double)(bits & 0xffff) / 65536, w = (double)(bits >> 16 & 0xffff) / 65536,
	       q = (double)(bits >> 32 & 0xffff) / 65536;
	bool adult = v >= 0.22;

	while (race + 1 < SOTTO_NATION_RACES && u > g->races[race])
		race++;
	if (q < g->in_quarters)
		hhgq = g->quarters;
	if (hhgq == NURSING)
		adult = true;
	return ((hhgq * 2 + adult) * 2 + (w < g->hispanic)) * SOTTO_NATION_RACES + race;
}

static void count_facilities(const struct maker *m, struct sotto_nation_block *b)
{
	uint32_t people[SOTTO_NATION_GQ] = {0};

	for (size_t k = 0; k < b->n; k++)
		people[m->cells[k] / (4 * SOTTO_NATION_RACES)] += m->listed[k];
	b->facilities[0] = people[0] / 2 + people[0] % 2;
	for (size_t q = 1; q < SOTTO_NATION_GQ; q++)
		b->facilities[q] = people[q] > 0 ? 1 + people[q] / 100 : 0;
}

static enum sotto_status
make_block(struct maker *m, const struct group *g, struct sotto_nation_block *b)
{
	uint32_t people = (uint32_t)((is_whole(m->nation) ? 56.8 : 69) * exponential(&m->dice));
	enum sotto_nation_variant variant = m->nation->variant;

	if (variant == SOTTO_NATION_EMPTY && (g->is_empty || sotto_splitmix(&m->dice) % 2))
		people = 0;
	memset(m->counts, 0, sizeof m->counts);
	for (uint32_t i = 0; i < people; i++)
		m->counts[variant == SOTTO_NATION_ONE_CELL ? 0 : person(m, g)]++;
	if (variant == SOTTO_NATION_HUGE && !m->has_begun)
		m->counts[0] += 3000000000u;
	m->has_begun = true;
	b->n = 0;
	for (size_t cell = 0; cell < SOTTO_NATION_CELLS; cell++)
		if (m->counts[cell] > 0) {
			m->cells[b->n] = (uint16_t)cell;
			m->listed[b->n++] = m->counts[cell];
		}
	b->cells = m->cells;
	b->counts = m->listed;
	count_facilities(m, b);
	return m->each(m->context, b);
}

/* One tract with so many block groups, and so on. */
static uint32_t draw_groups(struct maker *m)
{
	bool one = m->nation->variant == SOTTO_NATION_CHAINS ||
		   m->nation->variant == SOTTO_NATION_WIDE;

	return one ? 1 : 1 + (uint32_t)(sotto_splitmix(&m->dice) % 4);
}

static uint32_t draw_blocks(struct maker *m)
{
	return m->nation->variant == SOTTO_NATION_CHAINS ? 1
	       : m->nation->variant == SOTTO_NATION_WIDE
		       ? 10000
		       : (uint32_t)ceil(24.6 * exponential(&m->dice));
}

static enum sotto_status
make_tract(struct maker *m, const double *races, struct sotto_nation_block *b)
{
	uint32_t groups = draw_groups(m);

	for (b->group = 0; b->group < groups; b->group++) {
		uint32_t blocks = draw_blocks(m);
		struct group g;

		make_group(m, races, &g);
		for (b->block = 0; b->block < blocks; b->block++)
			SOTTO_TRY(make_block(m, &g, b));
	}
	return SOTTO_OK;
}

/*
 * The law of the counties, drawn; in the whole nation the size of each is another one of its
 * quantiles, and 30 % larger, so that every seed gives the real number of blocks.
 */
static double county_people(struct maker *m)
{
	const size_t step = 1237; /* has no factor in common with the number of counties */
	double u = ((double)(m->counties++ * step % SOTTO_NATION_COUNTIES) + 0.5) /
		   SOTTO_NATION_COUNTIES;

	if (!is_whole(m->nation))
		return exp(10.268 + 1.511 * normal(&m->dice));
	return 1.305 * exp(10.268 + 1.511 * normal_quantile(u));
}

static enum sotto_status make_county(struct maker *m, struct sotto_nation_block *b)
{
	double national[SOTTO_NATION_RACES], races[SOTTO_NATION_RACES];
	double people = county_people(m);
	uint32_t tracts = (uint32_t)fmax(1, round(people / 3920));

	if (m->nation->variant == SOTTO_NATION_CHAINS ||
	    m->nation->variant == SOTTO_NATION_WIDE)
		tracts = 1;
	national_races(national);
	dirichlet(&m->dice, national, 30, races);
	for (b->tract = 0; b->tract < tracts; b->tract++)
		SOTTO_TRY(make_tract(m, races, b));
	return SOTTO_OK;
}

enum sotto_status
sotto_nation_generate(const struct sotto_nation *nation, sotto_nation_fn each, void *context)
{
	struct maker *m = calloc(1, sizeof *m);
	struct sotto_nation_block b = {0};
	enum sotto_status st = m ? SOTTO_OK : SOTTO_ENOMEM;
	size_t states = nation->counties < STATES ? nation->counties : STATES;

	if (m)
		*m = (struct maker){.nation = nation,
				    .each = each,
				    .context = context,
				    .dice = nation->seed};
	for (size_t i = 0; st == SOTTO_OK && i < nation->counties && i < SOTTO_NATION_COUNTIES;
	     i++) {
		uint32_t state = (uint32_t)(i * states / nation->counties);

		b.county = state == b.state && i > 0 ? b.county + 1 : 0;
		b.state = state;
		st = make_county(m, &b);
	}
	free(m);
	return st;
}
