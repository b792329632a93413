package submit

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// checkRetry looks for the job whose failed rows a request brings again: an
// ended one of the same organisation and type.
func (s *Service) checkRetry(ctx context.Context, r *Request) error {
	if r.RetryOf == "" {
		return nil
	}
	first, err := s.read(ctx, job.Ref{JobID: r.RetryOf, OrganisationID: r.OrganisationID})
	switch {
	case problem.CodeOf(err) == problem.NotFound:
		return invalidRetry(problem.NotFound, "There is no import with the id that retryOf names.")
	case err != nil:
		return err
	case first.ImportType != r.Type.Name:
		return invalidRetry(problem.ParameterInvalid, fmt.Sprintf("The import that retryOf names is one of %s.", first.ImportType))
	case !first.Status.Terminal():
		return invalidRetry(problem.StateConflict, "The import that retryOf names has not ended yet.")
	}
	r.RetryOf = first.UUID
	return nil
}

func invalidRetry(code problem.Code, message string) error {
	return problem.New(code, "%s", message).With("retryOf", code, "The identifier of an import of this type that has ended.")
}
