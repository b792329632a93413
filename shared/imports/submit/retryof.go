package submit

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// ParseRetryOf reads what a caller names as the job whose failed rows a request
// brings again; "" names none.
func ParseRetryOf(text string) (job.ID, error) {
	if text == "" {
		return "", nil
	}
	id, err := job.ParseID(text)
	if err != nil {
		return "", unknownRetry()
	}
	return id, nil
}

// checkRetryOf looks for the job whose failed rows a request brings again: an
// ended one of the same organisation and type.
func (s *Service) checkRetryOf(ctx context.Context, r Request) error {
	if r.RetryOf == "" {
		return nil
	}
	first, err := s.readBody(ctx, job.Ref{JobID: r.RetryOf, OrganisationID: r.OrganisationID})
	switch {
	case problem.CodeOf(err) == problem.NotFound:
		return unknownRetry()
	case err != nil:
		return err
	case first.ImportType != r.Type.Name:
		return invalidRetry(problem.ParameterInvalid, fmt.Sprintf("The import that retryOf names is one of %s.", first.ImportType))
	case !first.Status.Terminal():
		return invalidRetry(problem.StateConflict, "The import that retryOf names has not ended yet.")
	}
	return nil
}

func unknownRetry() error {
	return invalidRetry(problem.NotFound, "There is no import with the id that retryOf names.")
}

func invalidRetry(code problem.Code, message string) error {
	return problem.New(code, "%s", message).With("retryOf", code, "The identifier of an import of this type that has ended.")
}
