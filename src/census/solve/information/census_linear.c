/*
 * Fills the tables from the passes on the tree; for Laplace noise it finds quantiles by running
 * the same estimator on noise alone, with public keys.
 */
#include "census/solve/information/census_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_passes.h"
#include "census/solve/information/census_quantile.h"
#include "core/base/failure.h"
#include "core/number/normal.h"

enum { SAMPLES_MIN = 2000, SAMPLES_MAX = 20000, CELLS_SIMULATED = 10000000 };
static const size_t memory_max = (size_t)1 << 31; /* bytes */

/* ---- tables -------------------------------------------------------------------------------------------------- */

/* Of one cell of a query: its variance, how much of it is unknown, and its size, by component. */
struct cell_spread {
	double variance, unknown, size;
};

/* How many categories of a regular axis are in the same cell of a table. */
static size_t
axis_group(const struct sotto_census_schema *s, const uint32_t *map, size_t cell, size_t axis)
{
	size_t n = s->plan->attributes[s->order[s->explicit_count + axis]].n, stride = 1;
	size_t count = 0, first;

	for (size_t i = axis + 1; i < s->regular_count; i++)
		stride *= s->plan->attributes[s->order[s->explicit_count + i]].n;
	first = cell - cell / stride % n * stride;
	for (size_t k = 0; k < n; k++)
		count += map[first + k * stride] == map[cell];
	return count;
}

/* The share of component t in one cell of a table: g of n categories have g^2/n of the mean. */
static double
component_share(const struct sotto_census_schema *s, const uint32_t *map, size_t cell, size_t t)
{
	double share = 1;

	for (size_t i = 0; i < s->regular_count; i++) {
		size_t a = s->order[s->explicit_count + i];
		double n = (double)s->plan->attributes[a].n;
		double g = (double)axis_group(s, map, cell, i);

		share *= t >> i & 1 ? g - g * g / n : g * g / n;
	}
	return share;
}

static struct cell_spread cell_spread(const struct sotto_census_run *run, const uint32_t *map,
				      size_t cell, const double *spread)
{
	const struct sotto_census_schema *s = run->schema;
	size_t d = s->places, rest = cell % s->regular;
	struct cell_spread out = {0};

	for (size_t t = 0; t < s->components; t++) {
		const double *finite = spread + t * d * d, *unknown = finite + run->basis.block;
		double share = component_share(s, map, cell, t);

		for (size_t e = 0; share > 0 && e < d; e++) {
			if (map[e * s->regular + rest] != map[cell])
				continue;
			out.size += share;
			for (size_t f = 0; f < d; f++)
				if (map[f * s->regular + rest] == map[cell]) {
					out.variance += share * finite[e * d + f];
					out.unknown += share * unknown[e * d + f];
				}
		}
	}
	return out;
}

/* sharpest: the least variance of a measurement; what is far below it is rounding. */
static double deviation(struct cell_spread c, double sharpest)
{
	if (c.unknown > 1e-9 * c.size)
		return INFINITY;
	return c.variance > 1e-12 * sharpest ? sqrt(c.variance) : 0;
}

static double sharpest_variance(const struct sotto_census_plan *p)
{
	double most = 0;

	for (size_t l = 0; l < p->level_count; l++)
		for (size_t i = 0; i < p->levels[l].measure_count; i++)
			most = fmax(most, p->levels[l].measures[i].weight);
	return most > 0 ? 1 / most : 0;
}

/* A table that the known counts answer: points. */
static void tabulate_known(const struct sotto_census_run *run, size_t node, const uint32_t *map,
			   size_t cells, double *estimates, double *deviations)
{
	const struct sotto_census_schema *s = run->schema;
	struct sotto_census_known_row row = sotto_census_known_of(run->shape, node);

	for (size_t i = 0; i < cells; i++)
		estimates[i] = deviations[i] = 0;
	for (size_t i = 0; i < row.n; i++)
		estimates[map[s->example[row.cells[i]]]] += (double)row.counts[i];
}

/* Of a cell of a table, and of all that differ from it on axes without groups. */
static void set_deviations(const struct sotto_census_passes *p,
			   const struct sotto_census_query *q, const uint32_t *map, size_t cell,
			   double deviation_of_cell, double *deviations)
{
	const struct sotto_census_schema *s = p->run->schema;
	size_t first = cell / s->regular * s->regular;
	bool alike = true;

	for (size_t i = s->explicit_count; i < s->plan->attribute_count; i++)
		alike &= q->parts[s->order[i]] != SOTTO_CENSUS_GROUPED;
	deviations[map[cell]] = deviation_of_cell;
	for (size_t m = 0; alike && m < s->regular; m++)
		deviations[map[first + m]] = deviation_of_cell;
}

static void tabulate_node(struct sotto_census_linear *l, const struct sotto_census_passes *p,
			  size_t node, double sharpest)
{
	const struct sotto_census_plan *plan = p->run->plan;
	const struct sotto_census_schema *s = p->run->schema;
	double *x = sotto_census_passes_z(p, node);

	sotto_census_synthesise(&p->run->basis, x);
	for (size_t t = 0; t < plan->table_count; t++) {
		const struct sotto_census_query *q = &plan->queries[plan->tables[t]];
		const uint32_t *map = s->maps[plan->tables[t]];
		double *estimates = l->estimates + node * l->per_node + l->starts[t];
		double *deviations = l->deviations + node * l->per_node + l->starts[t];

		if (p->run->shape->known.is_given && s->told[plan->tables[t]]) {
			tabulate_known(p->run, node, map, q->cells, estimates, deviations);
			continue;
		}
		for (size_t cell = 0; cell < s->cells; cell++)
			estimates[map[cell]] += x[cell];
		for (size_t i = 0; i < q->cells; i++)
			deviations[i] = -1;
		for (size_t cell = 0; cell < s->cells; cell++)
			if (deviations[map[cell]] < 0)
				set_deviations(p, q, map, cell,
					       deviation(cell_spread(p->run, map, cell,
								     sotto_census_passes_spread(
									     p, node)),
							 sharpest),
					       deviations);
	}
}

static enum sotto_status tabulate(struct sotto_census_linear *l, struct sotto_census_run *run)
{
	struct sotto_census_passes p = {.run = run};
	size_t nodes = sotto_census_node_count(run->shape);
	double sharpest = sharpest_variance(run->plan);
	enum sotto_status st = sotto_census_worker_open(run, &p.w);

	memset(l->estimates, 0, nodes * l->per_node * sizeof *l->estimates);
	p.z = malloc(nodes * run->schema->cells * sizeof *p.z);
	p.spread = malloc(nodes * sotto_census_spread_size(&run->basis) * sizeof *p.spread);
	if (st == SOTTO_OK)
		st = p.z && p.spread ? sotto_census_passes_run(&p) : SOTTO_ENOMEM;
	for (size_t v = 0; st == SOTTO_OK && v < nodes; v++)
		tabulate_node(l, &p, v, sharpest);
	free(p.z);
	free(p.spread);
	sotto_census_worker_close(p.w);
	return st;
}

/* ---- quantiles ----------------------------------------------------------------------------------------------- */

/* Ratios |error|/sd of the cells of one level and table. */
struct samples {
	double *ratios;
	size_t n;
};

struct simulation {
	struct sotto_census_linear *linear;
	const struct sotto_census_run *run;
	struct samples *samples; /* level by level, table by table */
	size_t repeats;
};

static size_t
quantile_count(const struct sotto_census_linear *l, const struct sotto_census_run *run)
{
	return run->shape->level_count * l->table_count;
}

/* Spread evenly over the cells of a level, so that no node is seen more than others. */
static void take_samples(struct simulation *sim, size_t level, size_t table)
{
	const struct sotto_census_linear *l = sim->linear;
	const struct sotto_census_shape *s = sim->run->shape;
	struct samples *to = &sim->samples[level * l->table_count + table];
	size_t cells = sim->run->plan->queries[sim->run->plan->tables[table]].cells;
	size_t all = (s->start[level + 1] - s->start[level]) * cells;
	size_t step = all * sim->repeats / SAMPLES_MAX + 1;

	for (size_t i = to->n % step; i < all && to->n < SAMPLES_MAX; i += step) {
		size_t at = (s->start[level] + i / cells) * l->per_node + l->starts[table] +
			    i % cells;

		if (l->deviations[at] > 0 && isfinite(l->deviations[at]))
			to->ratios[to->n++] = fabs(l->estimates[at]) / l->deviations[at];
	}
}

/* A country of nobody with this one's nodes: its totals are fixed at 0 where they are fixed. */
static enum sotto_status
empty_shape(const struct sotto_census_shape *from, struct sotto_census_shape *out)
{
	size_t n = sotto_census_node_count(from);

	*out = *from;
	out->total_low = calloc(n + 1, sizeof *out->total_low);
	out->total_high = malloc((n + 1) * sizeof *out->total_high);
	if (!out->total_low || !out->total_high)
		return SOTTO_ENOMEM;
	for (size_t v = 0; v < n; v++)
		out->total_high[v] =
			from->total_low[v] == from->total_high[v] ? 0 : sotto_census_unlimited;
	return SOTTO_OK;
}

/* Runs on noise alone.  The keys are public: they have nothing to do with the release's. */
static enum sotto_status
simulate_runs(struct simulation *sim, const struct sotto_census_shape *shape)
{
	struct sotto_census_measurement m;
	struct sotto_census_run run = {.plan = sim->run->plan,
				       .schema = sim->run->schema,
				       .shape = shape,
				       .measurement = &m};
	const uint8_t key[SOTTO_NOISE_KEY_BYTES] = "quantiles";
	enum sotto_status st = sotto_census_measurement_init(&m, run.schema, shape, NULL, key);

	if (st == SOTTO_OK)
		st = sotto_census_run_prepare(&run);
	for (uint64_t i = 0; st == SOTTO_OK && i < sim->repeats; i++) {
		memcpy(m.key + 16, &i, sizeof i);
		st = tabulate(sim->linear, &run);
		for (size_t l = 0; st == SOTTO_OK && l < shape->level_count; l++)
			for (size_t t = 0; t < sim->linear->table_count; t++)
				take_samples(sim, l, t);
	}
	sotto_census_run_release(&run);
	sotto_census_measurement_release(&m);
	return st;
}

static void set_quantiles(struct simulation *sim, double confidence)
{
	double cautious = fmax(sotto_census_sum_quantile(true, confidence, 1),
			       sotto_normal_upper((1 - confidence) / 2));

	for (size_t i = 0; i < quantile_count(sim->linear, sim->run); i++)
		sim->linear->quantiles[i] =
			sim->samples[i].n >= SAMPLES_MIN
				? sotto_census_sample_quantile(sim->samples[i].ratios,
							       sim->samples[i].n, confidence)
				: cautious;
}

/*
 * For Laplace noise: the estimator is linear, so its error is what it makes of noise alone.
 * Runs it on an empty country; nothing private is read.  A small country is run often enough to
 * have samples of every level; where a large one has too few, the widest of the laws is taken.
 */
static enum sotto_status
simulate(struct sotto_census_linear *l, struct sotto_census_run *run, double confidence)
{
	size_t n = quantile_count(l, run),
	       cells = sotto_census_node_count(run->shape) * run->schema->cells;
	struct simulation sim = {.linear = l, .run = run};
	struct sotto_census_shape nobody = {0};
	enum sotto_status st = empty_shape(run->shape, &nobody);

	sim.repeats = CELLS_SIMULATED / cells;
	sim.repeats = sim.repeats < 2             ? 2
		      : sim.repeats > SAMPLES_MIN ? SAMPLES_MIN
						  : sim.repeats;
	sim.samples = calloc(n + 1, sizeof *sim.samples);
	if (!sim.samples)
		st = SOTTO_ENOMEM;
	for (size_t i = 0; st == SOTTO_OK && i < n; i++) {
		sim.samples[i].ratios = malloc(SAMPLES_MAX * sizeof(double));
		if (!sim.samples[i].ratios)
			st = SOTTO_ENOMEM;
	}
	if (st == SOTTO_OK)
		st = simulate_runs(&sim, &nobody);
	if (st == SOTTO_OK)
		set_quantiles(&sim, confidence);
	for (size_t i = 0; sim.samples && i < n; i++)
		free(sim.samples[i].ratios);
	free(sim.samples);
	free(nobody.total_low);
	free(nobody.total_high);
	return st;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

enum sotto_status sotto_census_linear_check(const struct sotto_census_plan *p,
					    const struct sotto_census_schema *schema,
					    const struct sotto_census_shape *shape,
					    struct sotto_error *err)
{
	size_t block = schema->components * schema->places * schema->places, tables = 0;

	for (size_t t = 0; t < p->table_count; t++)
		tables += p->queries[p->tables[t]].cells;
	if (sotto_census_node_count(shape) * (schema->cells + 2 * block + 2 * tables) >
	    memory_max / sizeof(double))
		return sotto_fail(
			err, SOTTO_ERANGE,
			"intervals and linear estimates need all cells of all nodes in "
			"memory, and this plan has too many; leave them out");
	return SOTTO_OK;
}

static enum sotto_status
reserve(struct sotto_census_linear *l, const struct sotto_census_run *run, double quantile)
{
	const struct sotto_census_plan *p = run->plan;
	size_t nodes = sotto_census_node_count(run->shape);

	l->table_count = p->table_count;
	l->starts = calloc(p->table_count + 1, sizeof *l->starts);
	l->quantiles = calloc(quantile_count(l, run) + 1, sizeof *l->quantiles);
	if (!l->starts || !l->quantiles)
		return SOTTO_ENOMEM;
	for (size_t t = 0; t < p->table_count; t++) {
		l->starts[t] = l->per_node;
		l->per_node += p->queries[p->tables[t]].cells;
	}
	for (size_t i = 0; i < quantile_count(l, run); i++)
		l->quantiles[i] = quantile;
	l->estimates = calloc(nodes * l->per_node + 1, sizeof *l->estimates);
	l->deviations = calloc(nodes * l->per_node + 1, sizeof *l->deviations);
	return l->estimates && l->deviations ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_census_linear_init(struct sotto_census_linear *l, struct sotto_census_run *run)
{
	const struct sotto_census_plan *p = run->plan;
	double confidence = p->intervals ? mpq_get_d(p->intervals->q) : 0.95;

	*l = (struct sotto_census_linear){.per_node = 0};
	SOTTO_TRY(reserve(l, run, sotto_normal_upper((1 - confidence) / 2)));
	if (p->model == SOTTO_CENSUS_PURE && p->intervals)
		SOTTO_TRY(simulate(l, run, confidence));
	return tabulate(l, run);
}

void sotto_census_linear_release(struct sotto_census_linear *l)
{
	free(l->starts);
	free(l->quantiles);
	free(l->estimates);
	free(l->deviations);
}
