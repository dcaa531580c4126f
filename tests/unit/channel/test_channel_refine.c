/* Which channel can be made from the output of another: both answers carry a proof. */
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_matrix.h"
#include "testlib/fixture/channels.h"
#include "testlib/tap.h"

static bool is_same(const struct sotto_matrix *a, const struct sotto_matrix *b)
{
	char *x = NULL, *y = NULL;
	bool same = sotto_matrix_format(a, &x) == SOTTO_OK &&
		    sotto_matrix_format(b, &y) == SOTTO_OK && strcmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}

static void a_product_is_derivable_and_its_remap_makes_it(void)
{
	unsigned long state = 7;

	for (int i = 0; i < 25; i++) {
		struct sotto_matrix *from =
			channels_random(&state, 4, 3 + (size_t)i % 3, i % 2);
		struct sotto_matrix *remap = channels_random(&state, 3 + (size_t)i % 3,
							     2 + (size_t)i % 2, i % 3 == 0);
		struct sotto_matrix *to, *again;
		struct sotto_refinement r;

		REQUIRE(sotto_matrix_product(from, remap, &to) == SOTTO_OK);
		REQUIRE(sotto_refine(from, to, &r, NULL) == SOTTO_OK);
		CHECK(r.derivable && r.remap && !r.gain);
		REQUIRE(sotto_matrix_product(from, r.remap, &again) == SOTTO_OK);
		CHECK(is_same(again, to) && sotto_matrix_is_stochastic(r.remap));
		sotto_refinement_release(&r);
		sotto_matrix_free(from);
		sotto_matrix_free(remap);
		sotto_matrix_free(to);
		sotto_matrix_free(again);
	}
}

/* Whatever is said of random pairs is proven: a remap, or a gain that M2 is better for. */
static void both_verdicts_carry_their_proof(void)
{
	unsigned long state = 23;
	size_t refused = 0;
	struct sotto_rational first, second;

	sotto_rational_init(&first);
	sotto_rational_init(&second);
	for (int i = 0; i < 40; i++) {
		struct sotto_user_case p =
			channels_problem("path", 3, "1", "uniform", "identity");
		struct sotto_matrix *a = channels_random(&state, 3, 3, true);
		struct sotto_matrix *b = channels_random(&state, 3, 3, false);
		struct sotto_refinement r;

		REQUIRE(sotto_refine(a, b, &r, NULL) == SOTTO_OK);
		if (!r.derivable) {
			sotto_matrix_free(p.gain);
			p.gain = r.gain;
			r.gain = NULL;
			channels_slow_utility(a, &p, &first);
			channels_slow_utility(b, &p, &second);
			CHECK(sotto_rational_compare(&second, &first) > 0);
			CHECK(sotto_rational_compare(&second, &r.to) == 0);
			refused++;
		}
		sotto_refinement_release(&r);
		sotto_matrix_free(a);
		sotto_matrix_free(b);
		sotto_user_case_release(&p);
	}
	CHECK(refused > 5);
	sotto_rational_release(&first);
	sotto_rational_release(&second);
}

static void the_general_test_agrees_with_the_inverse_of_the_geometric(void)
{
	unsigned long state = 99;
	struct sotto_user_case p = channels_problem("path", 4, "ln2", "uniform", "identity");
	struct sotto_matrix *g = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_rational alpha;
	size_t yes = 0;

	sotto_rational_init(&alpha);
	REQUIRE(sotto_eps_alpha(p.eps, &alpha));
	for (int i = 0; i < 30; i++) {
		struct sotto_matrix *t = channels_random(&state, 4, 3, true);
		struct sotto_matrix *m = NULL;
		struct sotto_derivation d;
		struct sotto_refinement r;

		if (i % 2) {
			REQUIRE(sotto_matrix_product(g, t, &m) == SOTTO_OK);
			sotto_matrix_free(t);
		} else {
			m = t;
		}
		REQUIRE(sotto_derive(m, &alpha, &d) == SOTTO_OK);
		REQUIRE(sotto_refine(g, m, &r, NULL) == SOTTO_OK);
		CHECK(d.derivable == r.derivable);
		yes += r.derivable;
		sotto_derivation_release(&d);
		sotto_refinement_release(&r);
		sotto_matrix_free(m);
	}
	CHECK(yes >= 15 && yes < 30);
	sotto_rational_release(&alpha);
	sotto_matrix_free(g);
	sotto_user_case_release(&p);
}

int main(void)
{
	if (!channels_has_solver())
		return tap_skip_all("COIN-OR Clp is not installed");
	RUN(a_product_is_derivable_and_its_remap_makes_it);
	RUN(both_verdicts_carry_their_proof);
	RUN(the_general_test_agrees_with_the_inverse_of_the_geometric);
	return tap_done();
}
