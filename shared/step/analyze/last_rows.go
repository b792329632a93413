package analyze

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Previews keeps what is shown to people of a file while it is read, and afterwards.
type Previews interface {
	SaveLastRows(ctx context.Context, tx pgx.Tx, j *job.Job, rows json.RawMessage) error
	reading.ProgressStore
}

// watchProgress notes how much of the job's file is read.
func (s *Step) watchProgress(ctx context.Context, j *job.Job, file sheet.Source) sheet.Source {
	return reading.TrackProgress(ctx, file, s.store, j, s.log)
}

// saveLastRows keeps the last rows of a file that has been read to its end.
func (s *Step) saveLastRows(ctx context.Context, tx pgx.Tx, j *job.Job, found *findings) error {
	if !found.complete {
		return nil
	}
	text, err := json.Marshal(found.last.Rows(found.dialect))
	if err != nil {
		return fmt.Errorf("last rows of job %s: %w", j.ID, err)
	}
	return s.store.SaveLastRows(ctx, tx, j, text)
}

// footerWarning says which rows at the end look as if they were no data. None is left out
// for that.
func (f *findings) footerWarning() []string {
	if !f.complete || f.dialect.FooterRow > 0 {
		return nil
	}
	n, first := f.last.Footer(f.dialect)
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: from row %d on they look like totals or notes; skipFooterRows %d leaves them out", problem.FooterLikely, first, n)}
}
