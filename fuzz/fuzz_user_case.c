/* Problem files: no crash; what is accepted fits together. */
#include "fuzz.h"

#include <stdlib.h>

#include "channel/utility/channel_problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_error err = {""};
	struct sotto_user_case p;
	size_t n;

	if (size > 2048)
		return 0;
	if (sotto_user_case_parse((const char *)data, size, "p.yaml", NULL, &p, &err) !=
	    SOTTO_OK)
		return 0;
	n = sotto_graph_answers(p.graph);
	if (n == 0 || sotto_matrix_rows(p.prior) != 1 || sotto_matrix_columns(p.prior) != n ||
	    !sotto_matrix_is_stochastic(p.prior) || sotto_matrix_columns(p.gain) != n ||
	    sotto_matrix_rows(p.gain) == 0)
		abort();
	sotto_user_case_release(&p);
	return 0;
}
