/* The list of squares as texts, smallest first, and the law of the sampler for one of them. */
#include "testlib/sampler/sigmas.h"

#include <stdlib.h>

const char *const sigmas[] = {
	"1/1048576",
	"1/512",
	"1/256",
	"0.09",
	"1",
	"2",
	"355/113",
	"25",
	"100",
	"127.999999999999999999",
	"128",
	"511.99",
	"512",
	"10000",
	"123456789012345678901234567890/1234567890123456789012345678",
	"1000000",
	"549755813887.9", /* shift 16 */
	"549755813888", /* 128 * 4^16: shift 17 */
	"1099511627776",
	"2361183241434822606847.9999", /* shift 32 */
	"2361183241434822606848", /* 128 * 4^32: shift 33 */
	"1e24",
	"79228162514264337593543950336", /* 2^96 */
};
const size_t sigmas_count = sizeof sigmas / sizeof sigmas[0];

struct sotto_dgauss *law_of(const char *sigma2)
{
	struct sotto_rational r;
	struct sotto_dgauss *g = NULL;

	sotto_rational_init(&r);
	if (sotto_rational_parse(&r, sigma2, NULL) != SOTTO_OK ||
	    sotto_dgauss_new(&r, &g) != SOTTO_OK)
		abort();
	sotto_rational_release(&r);
	return g;
}
