package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// parseRetryOf parses the id of the job to retry.
func (r *Request) parseRetryOf() (err error) {
	if r.RetryOf == "" {
		return nil
	}
	if r.RetryOf, err = job.ParseID(string(r.RetryOf)); err != nil {
		return unknownRetry()
	}
	return nil
}

// checkRetryOf checks that the job to retry has ended, and has the same organisation and
// type.
func (s *Service) checkRetryOf(ctx context.Context, tx pgx.Tx, r *Request) error {
	if r.RetryOf == "" {
		return nil
	}
	first, err := s.store.Job(ctx, tx, r.RetryOf)
	switch {
	case problem.CodeOf(err) == problem.NotFound:
		return unknownRetry()
	case err != nil:
		return err
	case first.ImportType != r.Type.Name:
		return invalidRetry(problem.ParameterInvalid, fmt.Sprintf("The import to retry has another type: %s.", first.ImportType))
	case !first.Status.Terminal():
		return invalidRetry(problem.StateConflict, "The import to retry is not finished yet.")
	}
	r.StoredOptions = r.Over(first.StatedOptions)
	return r.inheritOptions(first.Options)
}

// inheritedFileOptions are the options of a file that also apply to its error workbook.
var inheritedFileOptions = []string{"dateOrder", "decimalMark"}

// inheritOptions adds the options of the first import that the request does not contain: those
// that say what its values mean, not how its file is read.
func (r *Request) inheritOptions(first json.RawMessage) error {
	before, own := make(map[string]json.RawMessage), make(map[string]json.RawMessage)
	if err := errors.Join(json.Unmarshal(first, &before), json.Unmarshal(r.Options, &own)); err != nil {
		return fmt.Errorf("inherit options: %w", err)
	}
	names := slices.Clone(inheritedFileOptions)
	for _, o := range r.Type.Options {
		if !o.PerFile {
			names = append(names, o.Name)
		}
	}
	for _, name := range names {
		if own[name] == nil && before[name] != nil {
			own[name] = before[name]
		}
	}
	var err error
	r.Options, err = json.Marshal(own)
	return err
}

func unknownRetry() error {
	return invalidRetry(problem.NotFound, "The import to retry does not exist.")
}

func invalidRetry(code problem.Code, message string) error {
	return problem.New(code, "%s", message).With("retryOf", code, "The identifier of a finished import of this type.")
}
