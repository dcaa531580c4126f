/*
 * Channels: sweeps, certificates, exact checks and linear programs.  The plain ways are in
 * here: the evaluation by the whole matrix, a loop of divisions, and Clp with a row for all
 * pairs of answers, in a process of its own with a limit of time.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel/matrix/channel_graph_named.h"
#include "channel/optimal/program/channel_clp.h"
#include "channel/utility/channel_user.h"
#include "channel/verify/channel_verify_doubles.h"
#include "sotto/utility.h"
#include "timing.h"

/* Seconds of processor time that a plain program gets. */
enum { PLAIN_SECONDS = 60 };

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

	must(sotto_user_case_make(&(struct sotto_user_case_texts){.answers = n,
								  .graph = graph,
								  .epsilon = epsilon,
								  .prior = "uniform",
								  .gain = "distance"},
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

struct long_path {
	struct sotto_matrix *prior;
	struct sotto_eps *eps;
	const char *gain;
};

static void run_long(void *context)
{
	struct long_path *s = context;
	struct sotto_certificate c;

	must(sotto_path_certificate_find(s->prior, s->gain, s->eps, SOTTO_ALPHA_UP, &c, NULL));
	if (!c.optimal)
		exit(1);
	sotto_certificate_release(&c);
}

/* Exact, at epsilon ln 2: the integers have thousands of bits. */
static void bench_long_certificates(void)
{
	static const struct {
		const char *label, *gain;
		size_t n;
	} rows[] = {{"certificate, N = 1000, identity", "identity", 1000},
		    {"certificate, N = 1000, distance", "distance", 1000},
		    {"certificate, N = 5000, identity", "identity", 5000},
		    {"certificate, N = 5000, distance", "distance", 5000}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct long_path s = {.gain = rows[i].gain};

		must(sotto_prior_named("uniform", rows[i].n, &s.prior, NULL));
		must(sotto_eps_new("ln2", &s.eps, NULL));
		bench_note(rows[i].label, once(run_long, &s), "", NAN);
		sotto_matrix_free(s.prior);
		sotto_eps_free(s.eps);
	}
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

/* ---- the same in plain Clp ----------------------------------------------------------------------- */

/* Column after column, as Clp takes it: y n + w is p(w|y). */
struct plain {
	size_t n, rows;
	int *start, *index;
	double *value, *objective, *low, *high;
};

static double cell_of(const struct sotto_matrix *m, size_t row, size_t column)
{
	struct sotto_rational cell;
	double x;

	sotto_rational_init(&cell);
	must(sotto_matrix_get(m, row, column, &cell));
	x = mpq_get_d(cell.q);
	sotto_rational_release(&cell);
	return x;
}

/* The row of p(w|y) <= e^(eps d) p(w|other), behind the n sums of rows. */
static int row_of(const struct plain *p, size_t y, size_t other, size_t w)
{
	size_t place = other < y ? other : other - 1;

	return (int)(p->n + (y * (p->n - 1) + place) * p->n + w);
}

static void
plain_column(struct plain *p, const double *distance, double epsilon, size_t y, size_t w)
{
	size_t n = p->n, column = y * n + w;
	int at = (int)(column * (2 * n - 1));

	p->start[column] = at;
	p->index[at] = (int)y;
	p->value[at++] = 1;
	for (size_t other = 0; other < n; other++) {
		if (other == y)
			continue;
		p->index[at] = row_of(p, y, other, w);
		p->value[at++] = 1;
		p->index[at] = row_of(p, other, y, w);
		p->value[at++] = -exp(epsilon * distance[y * n + other]);
	}
}

/* One row for each ordered pair of answers and each guess, and nothing that is known of it. */
static struct plain plain_of(const struct setting *s)
{
	size_t n = s->n, entries = n * n * (2 * n - 1);
	struct plain p = {.n = n, .rows = n + n * (n - 1) * n};
	double *distance = calloc(n * n, sizeof *distance),
	       epsilon = sotto_eps_double(s->p.eps);

	p.start = calloc(n * n + 1, sizeof *p.start);
	p.index = calloc(entries, sizeof *p.index);
	p.value = calloc(entries, sizeof *p.value);
	p.objective = calloc(n * n, sizeof *p.objective);
	p.low = calloc(p.rows, sizeof *p.low);
	p.high = calloc(p.rows, sizeof *p.high);
	for (size_t i = 0; i < n * n; i++)
		distance[i] = cell_of(s->p.gain, 0, 0) - cell_of(s->p.gain, i / n, i % n);
	for (size_t i = 0; i < n * n; i++) {
		p.objective[i] = -cell_of(s->p.gain, i % n, i / n) / (double)n;
		plain_column(&p, distance, epsilon, i / n, i % n);
	}
	p.start[n * n] = (int)entries;
	for (size_t r = 0; r < p.rows; r++) {
		p.high[r] = r < n;
		p.low[r] = r < n ? 1 : -SOTTO_CLP_INFINITY;
	}
	free(distance);
	return p;
}

/* Solves it in this process and returns nanoseconds; NAN if Clp gives up. */
static double solve_plain(const struct setting *s)
{
	double start = bench_now_ns();
	struct plain p = plain_of(s);
	struct sotto_clp clp;
	void *model, *options;

	must(sotto_clp_load(&clp, NULL));
	model = clp.Clp_newModel();
	options = clp.ClpSolve_new();
	clp.Clp_setLogLevel(model, 0);
	clp.Clp_loadProblem(model, (int)(p.n * p.n), (int)p.rows, p.start, p.index, p.value,
			    NULL, NULL, p.objective, p.low, p.high);
	clp.ClpSolve_setSolveType(options, 0, -1);
	clp.Clp_initialSolveWithOptions(model, options);
	return clp.Clp_status(model) == 0 ? bench_now_ns() - start : NAN;
}

/* In a process of its own: its time, INFINITY beyond the limit, NAN if it failed. */
static double time_plain(const struct setting *s)
{
	double ns = NAN;
	int ends[2], status;
	pid_t child;

	if (pipe(ends) != 0)
		exit(1);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		(void)setrlimit(RLIMIT_CPU, &(struct rlimit){PLAIN_SECONDS, PLAIN_SECONDS + 1});
		(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		ns = solve_plain(s);
		_exit(write(ends[1], &ns, sizeof ns) != sizeof ns);
	}
	close(ends[1]);
	if (child < 0 || read(ends[0], &ns, sizeof ns) != sizeof ns)
		ns = NAN;
	close(ends[0]);
	if (child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	    (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		ns = INFINITY;
	return ns;
}

static void print_program(const char *label, double ours, double plain, double floor)
{
	char a[16], b[16], limit[16];

	(void)snprintf(limit, sizeof limit, "> %d s", PLAIN_SECONDS);
	bench_judge(label, bench_time(ours, a), "Clp, a row for all pairs",
		    isnan(plain)   ? "no answer"
		    : isinf(plain) ? limit
				   : bench_time(plain, b),
		    (isinf(plain) ? 1e9 * PLAIN_SECONDS : plain) / ours, BENCH_FASTER, floor,
		    2 * floor);
}

static void bench_programs(bool has_clp)
{
	static const struct {
		const char *label, *graph;
		size_t n;
		double floor; /* what the limit of time leaves to show */
	} rows[] = {{"linear program, path, N = 51", "path", 51, 5},
		    {"linear program, path, N = 101", "path", 101, 5},
		    {"linear program, path, N = 201", "path", 201, 3},
		    {"linear program, grid 3x17, N = 51", "grid 3x17", 51, 5},
		    {"linear program, grid 10x10, N = 100", "grid 10x10", 100, 5},
		    {"linear program, grid 10x20, N = 200", "grid 10x20", 200, 1}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct setting s;

		if (!has_clp) {
			printf("%-48s COIN-OR Clp is not installed\n", rows[i].label);
			continue;
		}
		s = set(rows[i].graph, rows[i].n, "ln2");
		print_program(rows[i].label, once(run_program, &s), time_plain(&s),
			      rows[i].floor);
		sotto_user_case_release(&s.p);
	}
}

int main(void)
{
	struct sotto_clp clp;

	bench_open("channel");
	bench_utility();
	bench_certificate();
	bench_long_certificates();
	bench_verify();
	bench_programs(sotto_clp_load(&clp, NULL) == SOTTO_OK);
	printf("a plain program gets %d s of processor time; \"> %d s\" is where it was "
	       "stopped, "
	       "and the ratio is then a least one; \"no answer\": its factors e^(epsilon d) "
	       "are "
	       "too large for Clp\n",
	       PLAIN_SECONDS, PLAIN_SECONDS);
	return bench_close();
}
