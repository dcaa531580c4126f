/*
 * What can be made out of the output of the geometric mechanism: M = G T for a random
 * remap T (Gupte and Sundararajan, arXiv 1001.2767).  Rows of G^-1 M always sum to one.
 */
#include "channel/matrix/channel_matrix.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

/*
 * G^-1 is tridiagonal: an end row is (1, -a)/(1-a), an inner row (-a, 1+a^2, -a)/(1-a)^2.
 */
struct inverse {
	mpq_t a, end, inner, middle; /* 1/(1-a), 1/(1-a)^2, 1+a^2 */
};

static void inverse_init(struct inverse *g, const mpq_t alpha)
{
	mpq_t one;

	mpq_inits(g->a, g->end, g->inner, g->middle, one, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	mpq_set(g->a, alpha);
	mpq_sub(g->end, one, alpha);
	mpq_inv(g->end, g->end);
	mpq_mul(g->inner, g->end, g->end);
	mpq_mul(g->middle, alpha, alpha);
	mpq_add(g->middle, g->middle, one);
	mpq_clear(one);
}

static void inverse_release(struct inverse *g)
{
	mpq_clears(g->a, g->end, g->inner, g->middle, (mpq_ptr)0);
}

/* One cell of G^-1 M. */
static void
remap_cell(const struct inverse *g, const struct sotto_matrix *m, size_t i, size_t z, mpq_t out)
{
	bool end = i == 0 || i == m->rows - 1;
	mpq_t sum;

	mpq_init(sum);
	if (i > 0)
		mpq_add(sum, sum, sotto_matrix_at(m, i - 1, z));
	if (i + 1 < m->rows)
		mpq_add(sum, sum, sotto_matrix_at(m, i + 1, z));
	mpq_mul(sum, sum, g->a);
	mpq_set(out, sotto_matrix_at(m, i, z));
	if (!end)
		mpq_mul(out, out, g->middle);
	mpq_sub(out, out, sum);
	mpq_mul(out, out, end ? g->end : g->inner);
	mpq_clear(sum);
}

enum sotto_status sotto_derive(const struct sotto_matrix *channel,
			       const struct sotto_rational *alpha, struct sotto_derivation *out)
{
	struct sotto_derivation d = {.derivable = true};
	struct inverse g;

	if (!channel || !alpha || !out || channel->rows < 2 || mpq_sgn(alpha->q) <= 0 ||
	    mpq_cmp_ui(alpha->q, 1, 1) >= 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_matrix_new(channel->rows, channel->columns, &d.remap));
	inverse_init(&g, alpha->q);
	for (size_t i = 0; i < channel->rows; i++)
		for (size_t z = 0; z < channel->columns; z++) {
			mpq_ptr cell = sotto_matrix_at(d.remap, i, z);

			remap_cell(&g, channel, i, z, cell);
			if (mpq_cmp(cell, sotto_matrix_at(d.remap, d.row, d.column)) < 0) {
				d.row = i;
				d.column = z;
			}
		}
	d.derivable = mpq_sgn(sotto_matrix_at(d.remap, d.row, d.column)) >= 0;
	inverse_release(&g);
	*out = d;
	return SOTTO_OK;
}

void sotto_derivation_release(struct sotto_derivation *d)
{
	if (!d)
		return;
	sotto_matrix_free(d->remap);
	d->remap = NULL;
}
