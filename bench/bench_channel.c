/*
 * Channels: sweeps, certificates, exact checks and linear programs.  The plain ways are in
 * here: the evaluation by the whole matrix, a loop of divisions, and Clp with a row for all
 * pairs of answers.
 */
#include <dlfcn.h>

#include "channel/matrix/channel_build.h"
#include "channel/matrix/channel_graph_named.h"
#include "channel/optimal/channel_clp.h"
#include "channel/optimal/channel_program.h"
#include "channel/utility/channel_user.h"
#include "channel/verify/channel_verify_doubles.h"
#include "sotto/utility.h"
#include "timing.h"

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		fprintf(stderr, "%s\n", sotto_status_text(st));
		exit(1);
	}
}

static double once(void (*run)(void *), void *context)
{
	double start = bench_now_ns();

	run(context);
	return bench_now_ns() - start;
}

struct setting {
	struct sotto_user_case p;
	size_t n;
};

static struct setting set(const char *graph, size_t n, const char *epsilon)
{
	struct setting s = {.n = n};

	must(sotto_user_case_make(
		&(struct sotto_user_case_texts){.answers = n,
						.graph = graph,
						.epsilon = epsilon,
						.prior = "uniform",
						.gain = n > 400 ? "identity" : "distance"},
		&s.p, NULL));
	return s;
}

/* ---- utility ------------------------------------------------------------------------------- */

struct sweep {
	struct sotto_matrix *prior;
	struct sotto_eps *eps;
	size_t n;
	double *channel, *q;
	double utility;
};

static void run_sweep(void *context)
{
	struct sweep *s = context;
	struct sotto_path_use u;

	must(sotto_path_use_find(s->prior, "distance", s->eps, &u, NULL));
	s->utility = u.utility;
	sotto_path_use_release(&u);
}

/* sum over z of max over w of sum over y: N W K products */
static void run_matrix(void *context)
{
	struct sweep *s = context;
	size_t n = s->n;

	s->utility = 0;
	for (size_t z = 0; z < n; z++) {
		double best = -INFINITY;

		for (size_t w = 0; w < n; w++) {
			double sum = 0;

			for (size_t y = 0; y < n; y++) /* rows of the transposed matrix */
				sum += s->channel[z * n + y] * s->q[w * n + y];
			best = fmax(best, sum);
		}
		s->utility += best;
	}
}

static struct sweep sweep_open(size_t n, const char *epsilon, bool with_matrix)
{
	struct sweep s = {.n = n};
	double alpha;

	must(sotto_eps_new(epsilon, &s.eps, NULL));
	must(sotto_prior_named("uniform", n, &s.prior, NULL));
	if (!with_matrix)
		return s;
	alpha = exp(-sotto_eps_double(s.eps));
	s.channel = calloc(n * n, sizeof *s.channel);
	s.q = calloc(n * n, sizeof *s.q);
	for (size_t i = 0; i < n * n; i++) {
		size_t z = i / n, y = i % n;
		double d = fabs((double)z - (double)y);

		s.channel[i] =
			(z == 0 || z == n - 1 ? 1 : 1 - alpha) / (1 + alpha) * pow(alpha, d);
		s.q[i] = ((double)(n - 1) - d) / (double)n;
	}
	return s;
}

static void sweep_close(struct sweep *s)
{
	sotto_eps_free(s->eps);
	sotto_matrix_free(s->prior);
	free(s->channel);
	free(s->q);
}

static void bench_utility(void)
{
	struct sweep s = sweep_open(1000, "0.1", true), large = sweep_open(5000, "0.1", false);
	double fast = bench_best(run_sweep, &s, 1), slow = once(run_matrix, &s);

	bench_row("utility and remap by sweeps, N = 1000", fast, "N W K evaluation", slow,
		  BENCH_FASTER, 30, 100);
	bench_note("the same, N = 5000", bench_best(run_sweep, &large, 1), "", NAN);
	sweep_close(&s);
	sweep_close(&large);
}

/* ---- certificate -------------------------------------------------------------------------- */

static void run_certificate(void *context)
{
	struct setting *s = context;
	struct sotto_certificate c;

	must(sotto_certificate_find(s->p.graph, s->p.eps, SOTTO_ALPHA_UP, s->p.prior, s->p.gain,
				    &c));
	if (!c.optimal)
		exit(1);
	sotto_certificate_release(&c);
}

static void bench_certificate(void)
{
	struct setting half = set("path", 100, "ln2"), whole = set("path", 200, "ln2");
	struct setting most = set("path", 400, "ln2");
	double small = bench_best(run_certificate, &half, 1);

	bench_row("certificate, N = 200", bench_best(run_certificate, &whole, 1), "N = 100",
		  small, BENCH_AT_MOST, 12, 8);
	bench_note("certificate, N = 400", once(run_certificate, &most), "", NAN);
	sotto_user_case_release(&half.p);
	sotto_user_case_release(&whole.p);
	sotto_user_case_release(&most.p);
}

/* N = 1000, without the limit of problem files */
static void bench_large_certificate(void)
{
	struct setting s = {.n = 1000};

	must(sotto_graph_named("path", s.n, &s.p.graph, NULL));
	must(sotto_eps_new("ln2", &s.p.eps, NULL));
	must(sotto_prior_named("uniform", s.n, &s.p.prior, NULL));
	must(sotto_gain_named("distance", s.p.graph, &s.p.gain, NULL));
	bench_note("certificate, N = 1000", once(run_certificate, &s), "", NAN);
	sotto_user_case_release(&s.p);
}

/* ---- exact check of doubles ----------------------------------------------------------------- */

struct check {
	struct sotto_graph *graph;
	double *cells;
	size_t n;
	double most;
};

static void run_exact(void *context)
{
	struct check *c = context;
	struct sotto_witness w;
	bool infinite;

	must(sotto_verify_doubles(c->cells, c->n, c->n, c->graph, &w, &infinite));
	c->most = c->cells[w.row * c->n + w.column];
}

static void run_plain(void *context)
{
	struct check *c = context;
	double most = 1;

	for (size_t y = 0; y + 1 < c->n; y++)
		for (size_t z = 0; z < c->n; z++) {
			double p = c->cells[y * c->n + z], q = c->cells[(y + 1) * c->n + z];

			if (p / q > most)
				most = p / q;
			if (q / p > most)
				most = q / p;
		}
	c->most = most;
}

static void bench_verify(void)
{
	struct check c = {.n = 1000};
	double fast;

	must(sotto_graph_named("path", c.n, &c.graph, NULL));
	c.cells = calloc(c.n * c.n, sizeof *c.cells);
	for (size_t i = 0; i < c.n * c.n; i++)
		c.cells[i] = exp(-0.1 * fabs((double)(i / c.n) - (double)(i % c.n)));
	fast = bench_best(run_exact, &c, 1);
	bench_row("exact check of 1000 x 1000 doubles", fast, "loop of divisions",
		  bench_best(run_plain, &c, 1), BENCH_AT_MOST, 8, 3);
	free(c.cells);
	sotto_graph_free(c.graph);
}

/* ---- linear programs ---------------------------------------------------------------------------- */

static void run_program(void *context)
{
	struct setting *s = context;
	struct sotto_optimal o;

	must(sotto_optimal_find(s->p.graph, s->p.eps, s->p.prior, s->p.gain, SOTTO_WAYS_PROGRAM,
				&o, NULL));
	sotto_optimal_release(&o);
}

/* One row for each ordered pair of answers and each guess: p_yw <= e^(eps d) p_y'w. */
static struct sotto_program *plain_program(const struct setting *s)
{
	size_t n = s->n;
	struct sotto_rational cell;
	struct sotto_program *p;
	mpq_t one, factor;

	mpq_inits(one, factor, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	sotto_rational_init(&cell);
	must(sotto_program_new(n * n, &p));
	for (size_t i = 0; i < n * n; i++) {
		must(sotto_matrix_get(s->p.gain, i % n, i / n, &cell));
		mpq_set(p->objective[i], cell.q);
	}
	for (size_t y = 0; y < n; y++) {
		must(sotto_program_row(p, true));
		mpq_set_ui(p->right[p->rows - 1], 1, 1);
		for (size_t w = 0; w < n; w++)
			must(sotto_program_entry(p, y * n + w, one));
	}
	for (size_t y = 0; y < n; y++)
		for (size_t other = 0; other < n; other++) {
			long d = labs((long)y - (long)other);

			if (d == 0)
				continue;
			mpq_set_d(factor, -exp(sotto_eps_double(s->p.eps) * (double)d));
			for (size_t w = 0; w < n; w++) {
				must(sotto_program_row(p, false));
				must(sotto_program_entry(p, y * n + w, one));
				must(sotto_program_entry(p, other * n + w, factor));
			}
		}
	sotto_rational_release(&cell);
	mpq_clears(one, factor, (mpq_ptr)0);
	return p;
}

static void run_all_pairs(void *context)
{
	struct setting *s = context;
	struct sotto_program_answer a;
	struct sotto_program *p = plain_program(s);

	if (sotto_program_solve(p, &a, NULL) == SOTTO_OK)
		sotto_program_answer_release(&a);
	sotto_program_free(p);
}

static void bench_programs(void)
{
	static const struct {
		const char *label, *graph;
		size_t n;
		bool all_pairs;
	} rows[] = {{"linear program, path, N = 51", "path", 51, true},
		    {"linear program, path, N = 101", "path", 101, false},
		    {"linear program, path, N = 201", "path", 201, false},
		    {"linear program, grid 7x7", "grid 7x7", 49, false},
		    {"linear program, grid 10x10", "grid 10x10", 100, false}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct setting s = set(rows[i].graph, rows[i].n, "ln2");
		double fast = once(run_program, &s);

		if (rows[i].all_pairs)
			bench_row(rows[i].label, fast, "a row for all pairs",
				  once(run_all_pairs, &s), BENCH_FASTER, 5, 10);
		else
			bench_note(rows[i].label, fast, "", NAN);
		sotto_user_case_release(&s.p);
	}
}

int main(void)
{
	struct sotto_clp clp;

	bench_open("channel");
	bench_utility();
	bench_certificate();
	bench_large_certificate();
	bench_verify();
	if (sotto_clp_load(&clp, NULL) == SOTTO_OK)
		bench_programs();
	else
		puts("COIN-OR Clp is not installed: no linear programs");
	return bench_close();
}
