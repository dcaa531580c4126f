/*
 * sotto/choose.h - mechanisms that choose one answer from a list
 *
 * Three ways to choose the best of several candidates by their private scores (the
 * exponential mechanism, permute-and-flip, noisy max), and randomized response, which
 * gives the true answer most of the time.
 */
#ifndef SOTTO_CHOOSE_H
#define SOTTO_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/noise.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * ---- Choosing one of a public list of outcomes by private scores
 *
 * The parameters are the same for all three: noisy max (the fastest; can return the top k and
 * the gap), the exponential mechanism (bounded range, so it costs least under composition) and
 * permute-and-flip (smallest expected loss).  Scores are whole numbers on a grid; the list of
 * outcomes and its order must not depend on the data.
 */

struct sotto_selection {
	const struct sotto_rational *epsilon;
	/* how much one privacy unit can change any one score, in grid steps */
	const struct sotto_rational *sensitivity;
	/*
	 * True if all scores that differ between two neighbours differ in the same
	 * direction, as counts do under add/remove.  Halves the noise.
	 */
	bool monotone;
	bool least; /* prefer the smallest score, not the largest */
};

/*
 * The error, for all three: if `picks` of n outcomes are chosen (1 except for the top k of
 * noisy max), with probability at least 1 - beta every chosen score is within *error
 * of the score that belongs in its place: (2 D picks / epsilon) ln(n / beta), without the 2
 * if monotone, in grid steps.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, sensitivity > 0, n >= picks >= 1 and
 *           0 < beta < 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_selection_error(const struct sotto_selection *s, size_t n, size_t picks, double beta,
		      double *error);

/*
 * The inverse: the smallest epsilon, rounded up to a multiple of 2^-32, at which *error is
 * at most `error`.  s->epsilon is ignored.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_selection_epsilon_up(const struct sotto_selection *s, size_t n, size_t picks, double beta,
			   const struct sotto_rational *error, struct sotto_rational *epsilon);

/*
 * ---- The exponential mechanism, sampled exactly
 *
 * Better outcomes are exponentially more likely.  Algorithm and argument:
 * src/core/mechanism/choice/exponential.{c,md}.
 */

struct sotto_exponential; /* immutable, may be shared by threads */

/*
 * Prepares one choice.  The caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0 and sensitivity > 0; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_new(const struct sotto_selection *s, struct sotto_exponential **out,
		      struct sotto_error *err);
SOTTO_API void sotto_exponential_free(struct sotto_exponential *m);

/*
 * Chooses one of n outcomes.
 *
 * Law:      P[*index = i] proportional to exp(epsilon q_i / (2 D)), without the 2 if
 *           monotone (-q_i if least); any range of scores.
 * Privacy:  epsilon-DP, and epsilon-bounded range.
 * Time:     depends on n only, except with probability below n^3 2^-117.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ENOMEM; SOTTO_EENTROPY; *index is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_select(const struct sotto_exponential *m, struct sotto_rng *rng,
			 const struct sotto_exact *scores, size_t n, size_t *index);

/* The cost of one choice, whatever its result; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_cost(const struct sotto_exponential *m, struct sotto_cost *cost);

/*
 * The distribution itself, for scores that are not secret: for teaching, checking, planning.
 * The caller initialises out[0..n) (sotto_rational_init).
 *
 * Law:      out[i] <= P[i] < out[i] + 2^(1-digits), a multiple of 2^-digits.
 * Privacy:  none.  The probabilities reveal the scores.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ERANGE if digits > 4096; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_probabilities_down(const struct sotto_exponential *m, const int64_t *scores,
				     size_t n, unsigned digits, struct sotto_rational *out);

/*
 * ---- Permute-and-flip: never a larger expected loss than the exponential mechanism
 *
 * McKenna and Sheldon 2020.  Algorithm and argument:
 * src/core/mechanism/choice/permute_and_flip.{c,md}.
 */

struct sotto_permute_and_flip; /* immutable, may be shared by threads */

/* As sotto_exponential_new. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_new(const struct sotto_selection *s, struct sotto_permute_and_flip **out,
			   struct sotto_error *err);
SOTTO_API void sotto_permute_and_flip_free(struct sotto_permute_and_flip *m);

/*
 * Chooses one of n outcomes.
 *
 * Law:      the outcomes are taken in a random order and each is accepted with
 *           probability w_i = exp(epsilon (q_i - max q) / (2 D)), without the 2 if
 *           monotone; the first accepted one is chosen.
 * Privacy:  epsilon-DP.  Not bounded range.
 * Time:     depends on n only, except with probability below n 2^-62.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ENOMEM; SOTTO_EENTROPY; *index is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_select(const struct sotto_permute_and_flip *m, struct sotto_rng *rng,
			      const struct sotto_exact *scores, size_t n, size_t *index);

/* The cost of one choice, whatever its result; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_cost(const struct sotto_permute_and_flip *m, struct sotto_cost *cost);

/*
 * The distribution itself, for scores that are not secret; the caller initialises out[0..n).
 *
 * Law:      out[i] <= P[i] < out[i] + 2^(1-digits), a multiple of 2^-digits.
 * Privacy:  none.  The probabilities reveal the scores.
 * Fails:    SOTTO_EINVAL if n is 0; SOTTO_ERANGE if digits > 4096 or n > 1000;
 *           SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_permute_and_flip_probabilities_down(const struct sotto_permute_and_flip *m,
					  const int64_t *scores, size_t n, unsigned digits,
					  struct sotto_rational *out);

/*
 * ---- The index of the largest score, after noise
 *
 * Adds one-sided geometric noise to every score and reports where the maximum is,
 * never the maximum itself.  The noise does not grow with the number of outcomes.
 * Algorithm and proofs: src/core/mechanism/choice/noisy_max/noisy_max.{c,md}.
 */

struct sotto_noisy_max; /* immutable, may be shared by threads */

/*
 * Prepares the choice of the best `top` outcomes in order; 1 for the best one.
 * Scores are refined to steps of 2^-bits (bits is 16 or less) so that ties, which
 * go to the lower index, are rare.  The caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, sensitivity > 0 and top > 0;
 *           SOTTO_ERANGE if epsilon is too small or too large for the sensitivity;
 *           SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_new(const struct sotto_selection *s, size_t top, struct sotto_noisy_max **out,
		    struct sotto_error *err);
SOTTO_API void sotto_noisy_max_free(struct sotto_noisy_max *m);

/*
 * Chooses.  indices has room for `top`; the best comes first.
 *
 * Law:      the outcomes with the largest 2^bits q_i + Z_i, equal ones by index, where
 *           P[Z_i = z] = (1-a) a^z for z >= 0 and a = exp(-epsilon / (2 top 2^bits D)),
 *           without the 2 if monotone.
 * Privacy:  epsilon-DP.  Not bounded range.
 * Time:     depends on n and top only.
 * Fails:    SOTTO_EINVAL if n < top; SOTTO_EENTROPY; indices are untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_select(const struct sotto_noisy_max *m, struct sotto_rng *rng,
		       const struct sotto_exact *scores, size_t n, size_t *indices);

/*
 * As _select for top = 1, and also returns by how much the winner won.  The gap is in steps of
 * 2^-bits (sotto_noisy_max_bits), and 0 is the smallest possible win.
 *
 * Law:      *gap = v_i - max over j != i of (v_j + [j < i]) for the winner i, clamped to
 *           INT64_MAX.
 * Privacy:  index and gap together cost epsilon, no more than the index alone.
 * Fails:    SOTTO_EINVAL if n < 2 or top is not 1; SOTTO_EENTROPY.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_select_gap(const struct sotto_noisy_max *m, struct sotto_rng *rng,
			   const struct sotto_exact *scores, size_t n, size_t *index,
			   struct sotto_noisy *gap);

/* The cost of one choice, with or without the gap; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_noisy_max_cost(const struct sotto_noisy_max *m, struct sotto_cost *cost);

/* How many more binary digits the refined grid has than the grid of the scores. */
SOTTO_API unsigned sotto_noisy_max_bits(const struct sotto_noisy_max *m);

/*
 * ---- Randomized response: answering yes or no with two coins
 *
 * The first coin says "tell the truth" with probability p; if it does not, the second
 * one answers, YES with probability r.  Classic: p = r = 1/2 and epsilon = ln 3
 * (Warner 1965).  For more than two answers, or to start from epsilon, see
 * the k-ary response below.
 */

struct sotto_randomized_response {
	struct sotto_rational truth; /* p */
	struct sotto_rational yes; /* r */
};

/*
 * Copies p and r.  Pair each successful _init with one _release.
 *
 * Fails:    SOTTO_EINVAL unless 0 < p < 1 and 0 < r < 1: at 0 or 1 an answer
 *           either reveals the truth with certainty or says nothing.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_init(struct sotto_randomized_response *m,
			       const struct sotto_rational *p, const struct sotto_rational *r,
			       struct sotto_error *err);
SOTTO_API void sotto_randomized_response_release(struct sotto_randomized_response *m);

/*
 * Answers for one person; 1 is yes and 0 is no, before and after.
 *
 * Law:      P[1 given 1] = p + (1-p) r and P[1 given 0] = (1-p) r, exactly.
 * Privacy:  epsilon-DP in the local model, for any two true answers.
 * Time:     both coins are always tossed.
 * Fails:    SOTTO_EINVAL unless truth is 0 or 1; SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_publish(const struct sotto_randomized_response *m,
				  struct sotto_rng *rng, struct sotto_exact truth,
				  struct sotto_noisy *out);

/* The cost of one answer for the person who gives it; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_cost(const struct sotto_randomized_response *m,
			       struct sotto_cost *cost);

/*
 * The share of people whose true answer is yes, estimated from many answers.  The estimate is
 * not clamped to 0 .. 1: a value outside shows that the sample is too small, and the average
 * of clamped estimates would be biased.
 */
struct sotto_share_estimate {
	double share;
	double deviation; /* standard error */
	double low; /* the interval covers the share with probability 1 - beta */
	double high;
	bool outside; /* share is below 0 or above 1 */
};

/*
 * Estimates the share if `yes` of n answers are yes: share = (yes/n - (1-p) r) / p, deviation =
 * sqrt(l (1-l) / n) / p with l = yes/n; the interval is the Clopper-Pearson interval of
 * l, transformed by the same formula.
 *
 * Fails:    SOTTO_EINVAL unless 0 < n, yes <= n and 0 < beta < 1; SOTTO_ERANGE if
 *           n > 2^40.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_randomized_response_estimate(const struct sotto_randomized_response *m, uint64_t yes,
				   uint64_t n, double beta, struct sotto_share_estimate *out);

/*
 * ---- k-ary randomized response: one of k answers, the true one or a random one
 *
 * Gives the true answer with probability e^epsilon / (e^epsilon + k - 1), and otherwise one of
 * the other k - 1 with equal probability.  No mechanism with this epsilon gives the true
 * answer more often.  For k = 2 this is randomized response with r = 1/2 and
 * p = tanh(epsilon/2).
 */

struct sotto_kary_response; /* immutable, may be shared by threads */

/*
 * epsilon is copied; the caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0 and k >= 2; SOTTO_ERANGE if epsilon is
 *           above 1000; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_new(const struct sotto_rational *epsilon, uint64_t k,
			struct sotto_kary_response **out, struct sotto_error *err);
SOTTO_API void sotto_kary_response_free(struct sotto_kary_response *m);

/*
 * Answers for one person; truth is one of 0 .. k-1.
 *
 * Law:      P[truth] = e^epsilon / (e^epsilon + k - 1), each other answer
 *           1 / (e^epsilon + k - 1), exactly.
 * Privacy:  epsilon-DP in the local model.
 * Time:     the coin and the other answer are always drawn.
 * Fails:    SOTTO_EINVAL unless 0 <= truth < k; SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_publish(const struct sotto_kary_response *m, struct sotto_rng *rng,
			    struct sotto_exact truth, struct sotto_noisy *out);

/* The probability of the true answer, rounded down to a multiple of 2^-digits. */
SOTTO_API void sotto_kary_response_keep_down(const struct sotto_kary_response *m,
					     unsigned digits, struct sotto_rational *keep);

/* The cost of one answer for the person who gives it; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_cost(const struct sotto_kary_response *m, struct sotto_cost *cost);

/* The estimated number of people with one true answer. */
struct sotto_kary_estimate {
	double count;
	double deviation; /* standard error */
	double low; /* the interval covers the count with probability 1 - beta */
	double high;
};

/*
 * Estimates how many people have each true answer, from the count of each answer given;
 * estimates has room for k.
 *
 * Law:      count = (answers[v] - n q) / (p - q) with p the probability of the truth and
 *           q that of another answer; unbiased, and not clamped to 0.
 *           deviation = sqrt(n q (1-q) + c (p-q) (1-p-q)) / (p-q), its standard error,
 *           with c the estimate clamped to 0 .. n.
 *           low and high: the Clopper-Pearson interval for the rate of the answer,
 *           transformed by the same formula.  It treats the people as a sample, so for
 *           these n people it is wider than needed, never narrower.
 * Fails:    SOTTO_EINVAL if no answer was given or unless 0 < beta < 1;
 *           SOTTO_ERANGE past 2^40 answers.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_kary_response_estimate(const struct sotto_kary_response *m, const uint64_t *answers,
			     double beta, struct sotto_kary_estimate *estimates);

#endif
