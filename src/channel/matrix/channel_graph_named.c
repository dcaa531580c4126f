/*
 * Graphs by name: of a shape, or of the query that it belongs to.  A count is a path, one
 * category of N the complete graph, k counts of which one moves a grid, u bits a hypercube,
 * a sum of values 0 .. m the m-th power of a path.
 */
#include "channel/matrix/channel_graph_named.h"
#include "sotto/channel.h"

#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_graph.h"
#include "core/base/failure.h"
#include "sotto/rational.h"

/* Edges while they are collected. */
struct list {
	size_t (*ends)[2];
	size_t count, room;
	bool failed, too_many;
};

/* The complete graph on 2000 answers has as many. */
enum { EDGES_MAX = 2000000 };

static void add(struct list *l, size_t a, size_t b)
{
	if (l->count == l->room && !l->failed && !l->too_many) {
		size_t room = l->room ? 2 * l->room : 64;
		void *grown = realloc(l->ends, room * sizeof *l->ends);

		l->failed = !grown;
		if (grown) {
			l->ends = grown;
			l->room = room;
		}
	}
	l->too_many = l->too_many || l->count == EDGES_MAX;
	if (l->failed || l->too_many)
		return;
	l->ends[l->count][0] = a;
	l->ends[l->count++][1] = b;
}

static void add_power(struct list *l, size_t n, size_t reach)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n && j - i <= reach; j++)
			add(l, i, j);
}

/* The last side runs fastest: node (i, j) of a x b is i b + j. */
static void add_grid(struct list *l, const size_t *sides, size_t count, size_t nodes)
{
	for (size_t i = 0; i < nodes; i++)
		for (size_t k = count, step = 1; k-- > 0; step *= sides[k])
			if (i / step % sides[k] + 1 < sides[k])
				add(l, i, i + step);
}

static void add_hypercube(struct list *l, size_t bits)
{
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		for (size_t b = 0; b < bits; b++)
			if (!(i >> b & 1))
				add(l, i, i | (size_t)1 << b);
}

/* ---- names with sizes --------------------------------------------------------------- */

/* The word of the name, and the numbers behind it: "grid 3x4", "power(2)", "hypercube-3". */
enum { NUMBERS_MAX = 8 };
struct request {
	char word[16];
	size_t number[NUMBERS_MAX];
	size_t numbers;
};

/* The shape of a query's graph. */
static void name_shape(struct request *r)
{
	static const char *const shapes[][2] = {{"count", "path"},
						{"sum", "power"},
						{"category", "complete"},
						{"counts", "grid"},
						{"bits", "hypercube"}};

	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		if (strcmp(r->word, shapes[i][0]) == 0) {
			memcpy(r->word, shapes[i][1], strlen(shapes[i][1]) + 1);
			return;
		}
}

static bool read_request(const char *name, struct request *r)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");
	const char *p = name + n;

	*r = (struct request){.numbers = 0};
	if (n == 0 || n >= sizeof r->word)
		return false;
	memcpy(r->word, name, n);
	name_shape(r);
	while (*p) {
		char *end;

		p += strspn(p, " (x)-");
		if (!*p)
			break;
		if (r->numbers == NUMBERS_MAX || *p < '0' || *p > '9')
			return false;
		r->number[r->numbers] = strtoul(p, &end, 10);
		if (r->number[r->numbers] == 0 || r->number[r->numbers] > SOTTO_GRAPH_NODES_MAX)
			return false;
		r->numbers++;
		p = end;
	}
	return true;
}

/* The number of nodes that the name asks for; 0: any. */
static size_t nodes_of(const struct request *r)
{
	if (strcmp(r->word, "grid") == 0) {
		size_t nodes = 1;

		for (size_t i = 0; i < r->numbers && nodes <= SOTTO_GRAPH_NODES_MAX; i++)
			nodes *= r->number[i];
		return nodes;
	}
	if (strcmp(r->word, "hypercube") == 0)
		return r->number[0] < 14 ? (size_t)1 << r->number[0] : SIZE_MAX;
	return 0;
}

static bool add_shape(struct list *l, const struct request *r, size_t n)
{
	const char *word = r->word;
	bool grid = strcmp(word, "grid") == 0;
	size_t takes = strcmp(word, "hypercube") == 0 || strcmp(word, "power") == 0;

	if (grid ? r->numbers < 2 : r->numbers != takes)
		return false;
	if (strcmp(word, "path") == 0)
		add_power(l, n, 1);
	else if (strcmp(word, "power") == 0)
		add_power(l, n, r->number[0]);
	else if (strcmp(word, "complete") == 0)
		add_power(l, n, n);
	else if (grid)
		add_grid(l, r->number, r->numbers, n);
	else if (strcmp(word, "hypercube") == 0)
		add_hypercube(l, r->number[0]);
	else if (strcmp(word, "cycle") == 0) {
		add_power(l, n, 1);
		if (n > 2)
			add(l, 0, n - 1);
	} else if (strcmp(word, "star") == 0)
		for (size_t i = 1; i < n; i++)
			add(l, 0, i);
	else if (strcmp(word, "tree") == 0)
		for (size_t i = 1; i < n; i++)
			add(l, (i - 1) / 2, i);
	else
		return false;
	return true;
}

/* ---- lines --------------------------------------------------------------------------- */

enum { POINTS_MAX = 1000 };

static enum sotto_status read_points(char *text, struct sotto_rational *points, size_t *count)
{
	char *save = NULL;

	*count = 0;
	for (char *word = strtok_r(text, " ,", &save); word;
	     word = strtok_r(NULL, " ,", &save)) {
		if (*count == POINTS_MAX)
			return SOTTO_ERANGE;
		sotto_rational_init(&points[(*count)++]);
		SOTTO_TRY(sotto_rational_parse(&points[*count - 1], word, NULL));
		if (*count > 1 &&
		    sotto_rational_compare(&points[*count - 2], &points[*count - 1]) >= 0)
			return SOTTO_EINVAL;
	}
	return *count ? SOTTO_OK : SOTTO_EPARSE;
}

static enum sotto_status line_of_points(const struct sotto_rational *points, size_t count,
					struct sotto_graph **out, struct sotto_error *err)
{
	mpq_t *gaps = calloc(count, sizeof *gaps);
	struct list l = {0};
	enum sotto_status st = SOTTO_ENOMEM;

	add_power(&l, count, 1);
	if (gaps && !l.failed) {
		for (size_t i = 0; i + 1 < count; i++) {
			mpq_init(gaps[i]);
			mpq_sub(gaps[i], points[i + 1].q, points[i].q);
		}
		st = sotto_graph_new(count, (const size_t(*)[2])l.ends, (const mpq_t *)gaps,
				     l.count, out, err);
		for (size_t i = 0; i + 1 < count; i++)
			mpq_clear(gaps[i]);
	}
	free(gaps);
	free(l.ends);
	return st;
}

static enum sotto_status line_graph(const char *positions, size_t nodes,
				    struct sotto_graph **out, struct sotto_error *err)
{
	struct sotto_rational *points = calloc(POINTS_MAX, sizeof *points);
	char *text = strdup(positions);
	size_t count = 0;
	enum sotto_status st =
		points && text ? read_points(text, points, &count) : SOTTO_ENOMEM;

	if (st == SOTTO_OK && nodes && nodes != count)
		st = sotto_fail(err, SOTTO_ERANGE,
				"the line has %zu positions, but there are %zu answers", count,
				nodes);
	else if (st == SOTTO_OK)
		st = line_of_points(points, count, out, err);
	else if (st != SOTTO_ENOMEM)
		st = sotto_fail(err, SOTTO_EPARSE,
				"a line is written with rising positions, like 'line 0 2 3 7'");
	for (size_t i = 0; i < count; i++)
		sotto_rational_release(&points[i]);
	free(points);
	free(text);
	return st;
}

static enum sotto_status refuse_name(const char *name, struct sotto_error *err)
{
	return sotto_fail(
		err, SOTTO_EPARSE,
		"there is no graph '%.40s'; write path, cycle, complete, star, tree, "
		"'grid 3x4', 'hypercube 3', 'power 2' or 'line 0 2 3 7', or the query: count, "
		"'sum 2', category, 'counts 3x4' or 'bits 3'; with at most %d answers",
		name, SOTTO_GRAPH_NODES_MAX);
}

enum sotto_status sotto_graph_named(const char *name, size_t nodes, struct sotto_graph **out,
				    struct sotto_error *err)
{
	struct request r;
	struct list l = {0};
	size_t wanted;
	enum sotto_status st;

	if (!name || !out)
		return SOTTO_EINVAL;
	if (strncmp(name, "line ", 5) == 0)
		return line_graph(name + 5, nodes, out, err);
	if (!read_request(name, &r))
		return refuse_name(name, err);
	wanted = nodes_of(&r);
	if (wanted && nodes && wanted != nodes)
		return sotto_fail(err, SOTTO_ERANGE,
				  "the graph '%.40s' has a different number of nodes from the "
				  "number of answers (%zu)",
				  name, nodes);
	nodes = wanted ? wanted : nodes;
	if (nodes == 0 || nodes > SOTTO_GRAPH_NODES_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "there must be 1 to %d answers",
				  SOTTO_GRAPH_NODES_MAX);
	if (!add_shape(&l, &r, nodes))
		st = refuse_name(name, err);
	else if (l.too_many)
		st = sotto_fail(err, SOTTO_ERANGE,
				"the graph '%.40s' has more than %d pairs of neighbours", name,
				EDGES_MAX);
	else
		st = l.failed ? SOTTO_ENOMEM
			      : sotto_graph_new(nodes, (const size_t(*)[2])l.ends, NULL,
						l.count, out, err);
	free(l.ends);
	return st;
}
