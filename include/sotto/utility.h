/*
 * sotto/utility.h - how useful a mechanism is to a user, and which one is the most useful
 *
 * A user has a prior over the answers and a gain for each guess and answer.  Utility is the
 * expected gain of the best guess after seeing the output.  Utilities are exact; if a
 * linear program is solved, its answer is made exactly private and the best utility is
 * given as an interval.  Arguments: src/channel/optimal/certificate/certificate.md, optimal.md, minimax.md.
 */
#ifndef SOTTO_UTILITY_H
#define SOTTO_UTILITY_H

#include "sotto/channel.h"

/* ---- users -------------------------------------------------------------------------------------- */

/*
 * A prior by its name, as a matrix of one row: uniform, triangular (2(y+1)/(N(N+1))), bimodal
 * (2^-min(y, N-1-y)), geometric (2^-y), "binomial P" or binomial(P) (N-1 trials).
 *
 * Fails:    SOTTO_EPARSE with a list of the names, SOTTO_ERANGE, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_prior_named(const char *name, size_t answers,
							       struct sotto_matrix **out,
							       struct sotto_error *err);

/* A prior from one row or column of weights, which must sum to 1 unless normalize is set. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_prior_of(const struct sotto_matrix *weights, size_t answers, bool normalize,
	       struct sotto_matrix **out, struct sotto_error *err);

/* ---- problems ---------------------------------------------------------------------------------------- */

/* A graph, an epsilon and a user; parts that were not given are NULL. */
struct sotto_user_case {
	struct sotto_graph *graph;
	struct sotto_eps *eps;
	struct sotto_matrix *prior;
	struct sotto_matrix *gain;
	char **mechanisms; /* names, or paths of matrices; NULL after the last */
	char **labels; /* the answers' names, or NULL */
};

/*
 * The same as texts, written as on the command line.  graph, prior and gain may be names or
 * paths of CSV files; NULL means path, uniform and distance.  answers may be 0 if another part
 * says how many there are.
 */
struct sotto_user_case_texts {
	size_t answers;
	const char *graph, *epsilon, *prior, *gain, *mechanism;
	bool normalize; /* the prior's weights */
};

/* Pair a success with _release.  Fails: SOTTO_EPARSE, SOTTO_ERANGE, ..., err says why. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_user_case_make(const struct sotto_user_case_texts *texts, struct sotto_user_case *out,
		     struct sotto_error *err);

/*
 * The same from a YAML file with answers (or labels), graph, epsilon, prior, gain,
 * mechanism (one or a list), normalize; paths in it are relative to its folder.  Fields that
 * are set in `over` override those of the file.  For a mistake, err names the line.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_user_case_read(const char *path, const struct sotto_user_case_texts *over,
		     struct sotto_user_case *out, struct sotto_error *err);
SOTTO_API void sotto_user_case_release(struct sotto_user_case *p);

/* ---- the worth of a channel ------------------------------------------------------------------------ */

struct sotto_use {
	struct sotto_rational utility; /* with the best remap */
	struct sotto_rational raw; /* without a remap: output i is taken as guess i */
	bool has_raw; /* raw is set: there are as many outputs as guesses */
	struct sotto_rational prior_value; /* of the best guess without any output */
	struct sotto_rational worst_loss; /* over answers, of the remapped output */
	size_t outputs, guesses;
	size_t *remap; /* the best guess for each output; the lowest if several are best */
	bool *best; /* outputs * guesses: every best guess */
};

/*
 * Pair a success with _release.
 * Fails: SOTTO_EINVAL if sizes do not match, SOTTO_ERANGE if it would take minutes,
 * SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_use_find(const struct sotto_matrix *channel, const struct sotto_matrix *prior,
	       const struct sotto_matrix *gain, struct sotto_use *out);
SOTTO_API void sotto_use_release(struct sotto_use *u);

/* The same for the geometric mechanism on a long path, computed in doubles, without a matrix. */
struct sotto_path_use {
	double utility, raw, prior_value;
	bool has_raw;
	double bayes_risk, min_entropy, capacity; /* as in struct sotto_leakage */
	size_t outputs;
	size_t *remap; /* computed in doubles, so another guess may be equally good */
};

/*
 * prior has one row; gain is a name of sotto_gain_named.  Takes N W steps for N answers and
 * W guesses.  The figures are for people; no decision about privacy uses them.  Pair a success
 * with _release.
 *
 * Fails:    SOTTO_EPARSE, SOTTO_ERANGE above 20000 answers, err says why; SOTTO_EINVAL;
 *           SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_path_use_find(const struct sotto_matrix *prior, const char *gain,
		    const struct sotto_eps *eps, struct sotto_path_use *out,
		    struct sotto_error *err);
SOTTO_API void sotto_path_use_release(struct sotto_path_use *u);

/* How much an output reveals about the answer, in doubles.  Logarithms are to base 2. */
struct sotto_leakage {
	double min_entropy; /* log2 of (Bayes vulnerability after / before) */
	double capacity; /* multiplicative Bayes capacity: sum over z of max over y of p(z|y) */
	double additive_capacity; /* 1 - sum over z of min over y of p(z|y) */
	double entropy; /* H(Y) */
	double entropy_after; /* H(Y|Z) */
	double information; /* I(Y;Z) */
	double shannon_capacity, shannon_capacity_up; /* the capacity lies between */
	double guessing_before, guessing_after; /* expected number of guesses */
	double bayes_risk; /* 1 - sum over z of max over y of prior(y) p(z|y) */
	double predicate; /* largest expected change of the probability of any property */
};

SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_leakage_find(const struct sotto_matrix *channel, const struct sotto_matrix *prior,
		   struct sotto_leakage *out);

/* ---- the best mechanism ------------------------------------------------------------------------------ */

enum sotto_optimal_method {
	SOTTO_OPTIMAL_CONSTANT, /* epsilon 0, or one answer: the output cannot reveal anything */
	SOTTO_OPTIMAL_CERTIFICATE, /* the tight mechanism, proven best */
	SOTTO_OPTIMAL_TIGHT, /* the same for a uniform prior and identity gain, on any graph */
	SOTTO_OPTIMAL_COLUMNS, /* column generation on a tree, all of it in fractions */
	SOTTO_OPTIMAL_VERTEX, /* a linear program's vertex, optimal in exact arithmetic */
	SOTTO_OPTIMAL_REPAIRED /* a linear program's answer, made exactly private */
};

/* "certificate", "linear program, exact vertex", ... */
SOTTO_API const char *sotto_optimal_method_name(enum sotto_optimal_method m);

struct sotto_optimal {
	enum sotto_optimal_method method;
	struct sotto_matrix *channel;
	struct sotto_rational lower; /* utility of the channel with its best remap */
	struct sotto_rational upper; /* no mechanism at this epsilon has a higher utility */
};

/* Which methods may be used. */
enum sotto_optimal_ways {
	SOTTO_WAYS_ALL,
	SOTTO_WAYS_CLOSED,
	SOTTO_WAYS_COLUMNS, /* a small tree; no library is needed */
	SOTTO_WAYS_PROGRAM
};

/*
 * The channel is private at epsilon, exactly.  Pair a success with _release.
 *
 * Fails:    SOTTO_EMISSING if a linear program is needed and COIN-OR Clp is not installed;
 *           SOTTO_EREFUSED if no allowed method applies; SOTTO_ESTATE if the solver
 *           failed; SOTTO_ERANGE if the problem is too large; SOTTO_EINVAL; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_optimal_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
		   const struct sotto_matrix *prior, const struct sotto_matrix *gain,
		   enum sotto_optimal_ways ways, struct sotto_optimal *out,
		   struct sotto_error *err);
SOTTO_API void sotto_optimal_release(struct sotto_optimal *o);

/* Is the tight mechanism (on a path the geometric one) the best for this user? */
struct sotto_certificate {
	bool applies; /* a tree whose tight mechanism exists and has no zero weight */
	bool optimal; /* no mechanism at this epsilon is better */
	struct sotto_rational utility; /* of the tight mechanism with its best remap */
	size_t *remap; /* the lowest best guess for each output; NULL if it does not apply */
	size_t guess; /* not optimal: with this guess ... */
	struct sotto_matrix *column; /* ... this column would earn more than it costs */
};

/* Which fraction replaces e^-epsilon if that is not a fraction. */
enum sotto_alpha_side { SOTTO_ALPHA_UP, SOTTO_ALPHA_DOWN };

/*
 * The certificate holds for the epsilon of that fraction: with SOTTO_ALPHA_UP slightly less
 * than asked for, so that the tight mechanism keeps the epsilon asked for; with
 * SOTTO_ALPHA_DOWN slightly more, so that an optimal utility is an upper bound.  If
 * epsilon is the logarithm of a fraction, both are exact.  Pair a success with _release.
 *
 * Fails:    SOTTO_EINVAL if sizes do not match, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_certificate_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
		       enum sotto_alpha_side side, const struct sotto_matrix *prior,
		       const struct sotto_matrix *gain, struct sotto_certificate *out);

/*
 * The same on a path with a gain given by its name, without a table of gains, so that it works
 * for thousands of answers.  prior has one row with at least two answers; eps is not 0.
 *
 * Fails:    SOTTO_EPARSE; SOTTO_ERANGE if it would take minutes, err says why; SOTTO_EINVAL;
 *           SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_path_certificate_find(const struct sotto_matrix *prior, const char *gain,
			    const struct sotto_eps *eps, enum sotto_alpha_side side,
			    struct sotto_certificate *out, struct sotto_error *err);
SOTTO_API void sotto_certificate_release(struct sotto_certificate *c);

/* The mechanism with the smallest worst expected loss over a set of answers. */
struct sotto_minimax {
	struct sotto_matrix *channel; /* outputs are guesses; exactly private */
	struct sotto_matrix *remap; /* on a path: channel = geometric x remap; or NULL */
	struct sotto_matrix *prior; /* a prior for which no mechanism loses less than lower */
	struct sotto_rational
		loss; /* the channel's worst loss: an upper bound on the smallest */
	struct sotto_rational lower;
};

/*
 * The loss of guess w for answer y is the best gain for y minus gain(w, y).  side says for each
 * answer whether it is possible; NULL means that all are.  Pair a success with _release.
 *
 * Fails:    as sotto_optimal_find.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_minimax_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
		   const struct sotto_matrix *gain, const bool *side, struct sotto_minimax *out,
		   struct sotto_error *err);
SOTTO_API void sotto_minimax_release(struct sotto_minimax *m);

/* ---- what one release can serve ---------------------------------------------------------------------- */

struct sotto_derivation {
	bool derivable; /* the channel is the geometric one followed by a random remap */
	struct sotto_matrix *remap; /* G^-1 M, also if it has negative cells */
	size_t row, column; /* of its smallest cell */
};

/*
 * Can the channel be made from the output of the geometric mechanism with this alpha, 0 <
 * alpha < 1?  Pair a success with _release.  Fails: SOTTO_EINVAL, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_derive(const struct sotto_matrix *channel,
							  const struct sotto_rational *alpha,
							  struct sotto_derivation *out);
SOTTO_API void sotto_derivation_release(struct sotto_derivation *d);

/* Can one channel be made from the output of another? */
struct sotto_refinement {
	bool derivable;
	struct sotto_matrix *remap; /* derivable: to = from x remap, exactly; else NULL */
	struct sotto_matrix *gain; /* not derivable: a gain, uniform prior, ... */
	struct sotto_rational from, to; /* ... for which `to` is worth more, exactly */
};

/*
 * Both a yes and a no are proven in exact fractions.  Pair a success with _release.
 *
 * Fails:    SOTTO_EINVAL unless both have the same answers and rows that sum to one;
 *           SOTTO_ERANGE; SOTTO_EMISSING without COIN-OR Clp; SOTTO_ESTATE if the solver
 *           found neither; err says why; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_refine(const struct sotto_matrix *from, const struct sotto_matrix *to,
	     struct sotto_refinement *out, struct sotto_error *err);
SOTTO_API void sotto_refinement_release(struct sotto_refinement *r);

struct sotto_reader {
	const struct sotto_matrix *prior;
	const struct sotto_matrix *gain;
};

/*
 * The utility of each of two users with their own best mechanism (solo), and their total
 * utility with one mechanism for both (joint): each with a lower and an upper bound.
 */
struct sotto_gap {
	struct sotto_rational solo[2], solo_upper[2];
	struct sotto_rational joint, joint_upper;
};

/* Pair a success with _release.  Fails as sotto_optimal_find. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_gap_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
	       const struct sotto_reader readers[2], struct sotto_gap *out,
	       struct sotto_error *err);
SOTTO_API void sotto_gap_release(struct sotto_gap *g);

#endif
