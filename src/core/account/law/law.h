/*
 * law.h - the finite part of one event's privacy loss, as contour.c needs it
 *
 * A law is known by its moment generating function M(s) = E exp(sL) for complex s
 * with positive real part: K = log M adds under composition, and delta(epsilon) is
 * an integral of exp(K(s) - s epsilon) (contour.md).  Each family of laws has one
 * file, law_*.c, and one class below.
 */
#ifndef SOTTO_LAW_H
#define SOTTO_LAW_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* Neighbours in one direction: the unit is removed (P has it), or added. */
enum sotto_direction { SOTTO_REMOVE, SOTTO_ADD };

/* Unit roundoff. */
#define SOTTO_U 0x1p-53

enum { SOTTO_BLOCK = 32 };

/* exp(x) - 1 - x >= 0, to a few units in the last place */
static inline double sotto_exp2term(double x)
{
	double sum = 0, term = 0.5 * x * x;

	if (fabs(x) > 0.25)
		return expm1(x) - x;
	for (int i = 3; i < 20; i++) {
		sum += term;
		term *= x / i;
	}
	return sum;
}

/* exp(i angle) - 1 without cancellation */
static inline void sotto_turn(double angle, double *re, double *im)
{
	double s, c;

	sincos(0.5 * angle, &s, &c);
	*re = -2 * s * s;
	*im = 2 * s * c;
}

/*
 * The nodes s = c + i h k for k = first .. first + n - 1, and at each the product
 * of all M(s)/M(c) so far.  The true product lies within
 * absolute + relative * |product| of the computed one.
 */
struct sotto_block {
	double c, h;
	uint64_t first;
	size_t n;
	double re[SOTTO_BLOCK], im[SOTTO_BLOCK];
	double relative[SOTTO_BLOCK], absolute[SOTTO_BLOCK];
};

struct sotto_law;

/* Outcomes one by one, or as good as that: the sum of weight exp(it loss) is within error of M(c+it)/M(c).  Weights are not negative. */
struct sotto_law_outcomes {
	double *loss, *weight; /* one allocation: free loss */
	size_t n;
	double error;
	double from,
		to; /* for t between these: before apply is as good, and beyond outcomes would be too many */
};

struct sotto_law_class {
	/* k[0..2] += count * (K, K', K'') at real s > 0.  K is good to a few units in the last
	 * place of itself plus those of the largest loss times s, or it is an upper bound; it is
	 * never smaller than that, because Chernoff's bound is taken from it (composed_curve.c).
	 * The others are rough. */
	void (*cumulants)(const struct sotto_law *law, double s, double k[3]);

	/* terms that K is a sum of at s, and that are made for a contour there; NULL: the atoms */
	double (*terms)(const struct sotto_law *law, double s);

	/* prepares nodes on the line Re s = c with spacing h; *log_m is log of the number
	 * that M(c) is divided by, for all count events, and within *slack of K(c) */
	enum sotto_status (*begin)(const struct sotto_law *law, double c, double h,
				   void **state, double *log_m, double *slack);

	/*
	 * An upper bound of log sup |M(c+iu)/M(c)|^count over u from t to end; end is INFINITY,
	 * or pi over the spacing of a lattice that holds the losses.  NULL if none is known.
	 */
	double (*log_decay)(const struct sotto_law *law, void *state, double c, double t,
			    double end);

	/* multiplies the block by (M(s)/m)^count */
	void (*apply)(const struct sotto_law *law, void *state, struct sotto_block *b);

	/* m is the very number that log_m is the logarithm of, so that what M(c) may be wrong by is an error of the nodes alone; else it is M(c) */
	bool by_its_own;

	/*
	 * Outcomes of one event for a line and |t| up to the last, or as far as they are not too many, to about so many digits
	 * (as -log), where apply knows less of far nodes.  NULL if it does not.  Fails: SOTTO_EREFUSED if there are too many; SOTTO_ENOMEM.
	 */
	enum sotto_status (*outcomes)(const struct sotto_law *law, void *state, double c,
				      double last, double digits,
				      struct sotto_law_outcomes *out);

	/*
	 * Some of the likeliest outcomes of one event on the line, at most SOTTO_DECAY_ATOMS: losses, and weights that are no larger than they are in
	 * M(c).  Returns how many.  NULL if none are known.
	 */
	size_t (*heaviest)(const struct sotto_law *law, void *state, double c, double *loss,
			   double *weight);

	/* how many steps (work.h) the block takes; NULL if all take about the same */
	double (*steps)(const struct sotto_law *law, void *state, const struct sotto_block *b);

	void (*end)(void *state);
	void (*release)(struct sotto_law *law);
};

struct sotto_loss_measure;
struct sotto_pieces;
struct sotto_gathered;
struct sotto_clone_group;
struct sotto_raised;
struct sotto_rare;
struct sotto_slaplace_list;

struct sotto_law {
	const struct sotto_law_class *class;
	double top; /* largest loss, rounded up; INFINITY if there is none */
	uint64_t count;
	/* Parameters of the family, with a relative error of at most SOTTO_U. */
	union {
		double mu; /* sampled Gaussian, and groups of it */
		double noise_epsilon; /* sampled Laplace: of the noise alone */
		double step_epsilon; /* geometric: for one step */
		double sigma_squared; /* discrete Gaussian */
		double half_tanh; /* shuffle: tanh(local_epsilon/2), rounded up */
		double wanted_far; /* pieces: up to this t nodes are wanted beside others */
		double first; /* whichever of these the family has */
	};
	union {
		double rate; /* of sampling */
		double epsilon; /* geometric: of all steps */
		double mean; /* finite laws: the mean loss */
		double local_epsilon; /* shuffle */
		double listed_reach; /* pieces: K is a sum over the list up to this s, at least */
	};
	uint64_t n;
	enum sotto_direction direction;
	bool of_many; /* beside so many others that fewer digits will do, */
	bool of_hundreds; /* and rough bounds of far nodes */
	/* finite laws: n atoms; Laplace: loss holds n epsilons; sampled Gaussian, one of many: log R and log
	 * weights of a rule on the real line */
	double *loss, *mass;
	double loss_error, loss_shift; /* finite laws: a loss is good to error |loss| + shift */
	double mass_error; /* and a mass to this, relative */
	struct sotto_loss_measure *cells; /* disjoint cells of a Renyi curve: n of them */
	uint64_t people; /* a group of so many in a sampled Gaussian event (law_group.h) */
	struct sotto_pieces *pieces; /* the largest of several curves (law_pieces.h) */
	struct sotto_gathered *gathered; /* very many outcomes (law_gathered.h) */
	struct sotto_clone_group
		*clone_group; /* a group in shuffled reports (law_clone_group.h) */
	struct sotto_raised *raised; /* the largest of all couples of cells (law_raised.h) */
	const struct sotto_rare
		*rare; /* many laws with a usual outcome each, borrowed (law_rare.h) */
	struct sotto_slaplace_list *kept; /* sampled Laplace, one of many: for sums; or NULL */
	uint64_t *counts; /* Laplace: how often each epsilon happens; count is then 1 */
};

/* On the real line K of one law of many is a sum of at most so many terms; where more were needed a bound of it. */
enum { SOTTO_TERMS_OF_MANY = 1024 };

/* What a class adds for all its events: those of one of them, count times. */
static inline void
sotto_law_add_cumulants(const struct sotto_law *law, const double one[3], double k[3])
{
	for (int i = 0; i < 3; i++)
		k[i] += (double)law->count * one[i];
}

/* From here on angles are so large that reducing them takes as long as the rest. */
#define SOTTO_FAR_TURNS (UINT64_C(1) << 26)

/* What a power takes at one node (work.h): multiplied out, or through the logarithm. */
static inline double sotto_power_steps(uint64_t count)
{
	return count == 1 ? 3 : count < 64 ? 40 : count < SOTTO_FAR_TURNS ? 60 : 120;
}

extern const struct sotto_law_class sotto_law_laplace; /* n epsilons in loss, with counts */
extern const struct sotto_law_class sotto_law_geometric; /* n steps */
extern const struct sotto_law_class sotto_law_atoms; /* n atoms */
extern const struct sotto_law_class sotto_law_dgauss; /* n = sensitivity */
extern const struct sotto_law_class sotto_law_sampled_gaussian;
extern const struct sotto_law_class sotto_law_cloud; /* as atoms, more of them */
extern const struct sotto_law_class sotto_law_points; /* as cloud, one of many laws */
extern const struct sotto_law_class
	sotto_law_fine_points; /* as points, very many, beside some dozens of laws */
extern const struct sotto_law_class sotto_law_sampled_laplace;
extern const struct sotto_law_class
	sotto_law_listed_laplace; /* the same, with outcomes for far nodes */

/*
 * Multiplies the block by (1 + d)^count where each d has absolute error at most eta.
 * Laws give d = M(s)/m - 1, which they compute without cancellation: for many events of
 * tiny loss the error of d is far below a unit in the last place of 1 + d.
 */
void sotto_block_multiply(struct sotto_block *b, const double *dr, const double *di, double eta,
			  uint64_t count);

/* Multiplies by a factor of which nothing is known but that it is at most 1 in size. */
void sotto_block_blur(struct sotto_block *b);

/* Nodes below this are nothing beside the first, however many there are. */
#define SOTTO_FADED 0x1p-80

/*
 * True if all of the block is below faded.  Every |M(s)/M(c)| is at most 1, so further factors
 * only make it smaller: the nodes are then 0, up to an absolute error.
 */
bool sotto_block_fades(struct sotto_block *b, double faded);

/*
 * Bounds of |M(c+iu)/M(c)| for all u >= rung, at rungs that double.  With the general
 * inequality 1 - |phi(2t)|^2 <= 4 (1 - |phi(t)|^2) for characteristic functions they give
 * a bound below the first rung too, sharp enough for high powers.
 */
enum { SOTTO_RUNGS = 40 };
struct sotto_ladder {
	double first; /* the lowest rung */
	int n;
	double bound[SOTTO_RUNGS]; /* at most 1, not increasing */
};

/* log of the bound at t, for count events. */
double sotto_ladder_log(const struct sotto_ladder *l, double t, double count);

/* log_decay of a class whose state begins with a ladder. */
double
sotto_ladder_decay(const struct sotto_law *law, void *state, double c, double t, double end);

/* exp(i t loss) - 1 at each node of the block. */
void sotto_block_turns(const struct sotto_block *b, double loss, double *xr, double *xi);

/* Adds weight (exp(i t loss) - 1) at each node of the block. */
void sotto_block_add_atom(const struct sotto_block *b, double loss, double weight, double *dr,
			  double *di);

/* Up to here a law's atoms are summed one by one at every node. */
enum { SOTTO_FEW_ATOMS = 64 };
/* So many of them, the heaviest, are looked at in pairs for how the law falls. */
enum { SOTTO_DECAY_ATOMS = 16 };

#endif
