/*
 * A graph, an epsilon and a user from texts: names, or paths of CSV files.
 */
#include "channel/matrix/channel_graph_named.h"
#include "channel/utility/channel_problem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel/matrix/channel_graph.h"
#include "channel/utility/channel_user.h"
#include "core/base/failure.h"

/* Fractions of a mechanism with more answers take too long. */
enum { ANSWERS_MAX = 400 };

/* The slash of a fraction, as in binomial(2/7), is not a folder's. */
static bool has_folder(const char *text)
{
	for (const char *at = strchr(text, '/'); at; at = strchr(at + 1, '/'))
		if (at == text || !isdigit((unsigned char)at[-1]) ||
		    !isdigit((unsigned char)at[1]))
			return true;
	return false;
}

/* Does it begin with the name of a graph, a prior or a gain?  A file of that name is not meant. */
static bool is_name(const char *text)
{
	static const char *const names[] = {
		"path",      "cycle",     "complete", "star",       "tree",    "grid",
		"hypercube", "power",     "line",     "count",      "sum",     "category",
		"counts",    "bits",      "uniform",  "triangular", "bimodal", "geometric",
		"binomial",  "binom",     "identity", "distance",   "squared", "weighted",
		"window",    "threshold", "parity"};
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz");

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == n && strncmp(text, names[i], n) == 0)
			return true;
	return false;
}

/* A text with a folder, or a dot and a letter behind it, means a file, be there one or not. */
static bool is_path(const char *text)
{
	const char *dot = strrchr(text, '.');

	return has_folder(text) || (dot && isalpha((unsigned char)dot[1])) ||
	       (!is_name(text) && access(text, R_OK) == 0);
}

static enum sotto_status check_size(size_t answers, struct sotto_error *err)
{
	if (answers <= ANSWERS_MAX)
		return SOTTO_OK;
	return sotto_fail(err, SOTTO_ERANGE,
			  "%zu answers are too many for exact fractions; take at most %d",
			  answers, ANSWERS_MAX);
}

static enum sotto_status make_graph(const struct sotto_user_case_parts *p, size_t answers,
				    struct sotto_graph **out, struct sotto_error *err)
{
	if (p->graph)
		return sotto_graph_of_matrix(p->graph, answers, out, err);
	return sotto_graph_named(p->texts.graph ? p->texts.graph : "path", answers, out, err);
}

static enum sotto_status make_prior(const struct sotto_user_case_texts *t,
				    const struct sotto_matrix *read, size_t answers,
				    struct sotto_matrix **out, struct sotto_error *err)
{
	if (read)
		return sotto_prior_of(read, answers, t->normalize, out, err);
	return sotto_prior_named(t->prior ? t->prior : "uniform", answers, out, err);
}

static enum sotto_status make_gain(struct sotto_matrix **read, const char *name,
				   const struct sotto_graph *graph, struct sotto_matrix **out,
				   struct sotto_error *err)
{
	if (!*read)
		return sotto_gain_named(name ? name : "distance", graph, out, err);
	if ((*read)->columns != graph->nodes)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"the gain has %zu columns, but there are %zu answers; it has a row "
			"for each guess and a column for each answer",
			(*read)->columns, graph->nodes);
	*out = *read;
	*read = NULL;
	return SOTTO_OK;
}

/* What files say about the number of answers, if nothing else does. */
static size_t
count_answers(size_t given, const struct sotto_matrix *prior, const struct sotto_matrix *gain)
{
	if (given)
		return given;
	if (prior)
		return prior->rows * prior->columns;
	return gain ? gain->columns : 0;
}

/* Names that tell by themselves how many answers there are. */
static bool has_size(const char *graph)
{
	static const char *const names[] = {"grid", "counts", "hypercube", "bits", "line"};
	bool found = false;

	for (size_t i = 0; graph && i < sizeof names / sizeof names[0]; i++)
		found = found || strncmp(graph, names[i], strlen(names[i])) == 0;
	return found;
}

static enum sotto_status copy_labels(const struct sotto_user_case_parts *parts,
				     struct sotto_user_case *p, struct sotto_error *err)
{
	if (parts->label_count != p->graph->nodes)
		return sotto_fail(err, SOTTO_EINVAL, "there are %zu labels, but %zu answers",
				  parts->label_count, p->graph->nodes);
	p->labels = calloc(parts->label_count, sizeof *p->labels);
	for (size_t i = 0; p->labels && i < parts->label_count; i++)
		if (!(p->labels[i] = strdup(parts->labels[i])))
			return SOTTO_ENOMEM;
	return p->labels ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
copy_mechanisms(const struct sotto_user_case_parts *parts, struct sotto_user_case *p)
{
	const char *one[] = {parts->texts.mechanism, NULL};
	const char **all = one[0] || !parts->mechanisms ? one : parts->mechanisms;
	size_t count = 0;

	while (all[count])
		count++;
	p->mechanisms = calloc(count + 1, sizeof *p->mechanisms);
	for (size_t i = 0; p->mechanisms && i < count; i++)
		if (!(p->mechanisms[i] = strdup(all[i])))
			return SOTTO_ENOMEM;
	return p->mechanisms ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status assemble(struct sotto_user_case_parts *parts,
				  struct sotto_user_case *p, struct sotto_error *err)
{
	const struct sotto_user_case_texts *t = &parts->texts;
	size_t answers = count_answers(t->answers, parts->prior, parts->gain);

	if (answers == 0 && !parts->graph && !has_size(t->graph))
		return sotto_fail(
			err, SOTTO_EINVAL,
			"say how many answers there are: --n 6, or answers: 6 in the file");
	SOTTO_TRY(check_size(answers, err));
	SOTTO_TRY(make_graph(parts, answers, &p->graph, err));
	SOTTO_TRY(check_size(p->graph->nodes, err));
	SOTTO_TRY(make_prior(t, parts->prior, p->graph->nodes, &p->prior, err));
	SOTTO_TRY(make_gain(&parts->gain, t->gain, p->graph, &p->gain, err));
	if (t->epsilon)
		SOTTO_TRY(sotto_eps_new(t->epsilon, &p->eps, err));
	if (parts->labels)
		SOTTO_TRY(copy_labels(parts, p, err));
	return copy_mechanisms(parts, p);
}

/* Reads the files that texts name. */
static enum sotto_status read_files(struct sotto_user_case_parts *p, struct sotto_error *err)
{
	const struct {
		const char *text;
		struct sotto_matrix **matrix;
	} parts[] = {{p->texts.graph, &p->graph},
		     {p->texts.prior, &p->prior},
		     {p->texts.gain, &p->gain}};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (parts[i].text && !*parts[i].matrix && is_path(parts[i].text))
			SOTTO_TRY(sotto_matrix_read(parts[i].text, parts[i].matrix, err));
	return SOTTO_OK;
}

enum sotto_status sotto_user_case_assemble(struct sotto_user_case_parts *parts,
					   struct sotto_user_case *out, struct sotto_error *err)
{
	struct sotto_user_case p = {0};
	enum sotto_status st = read_files(parts, err);

	if (st == SOTTO_OK)
		st = assemble(parts, &p, err);
	sotto_matrix_free(parts->graph);
	sotto_matrix_free(parts->prior);
	sotto_matrix_free(parts->gain);
	if (st == SOTTO_OK)
		*out = p;
	else
		sotto_user_case_release(&p);
	return st;
}

enum sotto_status sotto_graph_read(const char *text, size_t answers, struct sotto_graph **out,
				   struct sotto_error *err)
{
	struct sotto_matrix *m;
	enum sotto_status st;

	if (!text || !out)
		return SOTTO_EINVAL;
	if (!is_path(text))
		return sotto_graph_named(text, answers, out, err);
	SOTTO_TRY(sotto_matrix_read(text, &m, err));
	st = sotto_graph_of_matrix(m, answers, out, err);
	sotto_matrix_free(m);
	return st;
}

enum sotto_status sotto_user_case_make(const struct sotto_user_case_texts *texts,
				       struct sotto_user_case *out, struct sotto_error *err)
{
	struct sotto_user_case_parts parts = {0};

	if (!texts || !out)
		return SOTTO_EINVAL;
	parts.texts = *texts;
	return sotto_user_case_assemble(&parts, out, err);
}

void sotto_user_case_release(struct sotto_user_case *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->labels && i < sotto_graph_answers(p->graph); i++)
		free(p->labels[i]);
	free(p->labels);
	sotto_graph_free(p->graph);
	sotto_eps_free(p->eps);
	sotto_matrix_free(p->prior);
	sotto_matrix_free(p->gain);
	for (size_t i = 0; p->mechanisms && p->mechanisms[i]; i++)
		free(p->mechanisms[i]);
	free(p->mechanisms);
	*p = (struct sotto_user_case){0};
}
