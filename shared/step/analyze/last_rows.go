package analyze

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Previews stores the data for displaying a file to people, during and after reading.
type Previews interface {
	SaveLastRows(ctx context.Context, tx pgx.Tx, j *job.Job, rows json.RawMessage) error
	reading.ProgressStore
}

// watchProgress records the progress of reading the job's file.
func (s *Step) watchProgress(ctx context.Context, j *job.Job, file sheet.Source) sheet.Source {
	return reading.TrackProgress(ctx, file, s.store, j, s.log)
}

// saveLastRows stores the last rows of a file that was read to its end.
func (s *Step) saveLastRows(ctx context.Context, tx pgx.Tx, j *job.Job, found *findings) error {
	if !found.complete {
		return nil
	}
	text, err := json.Marshal(found.last.Rows(found.dialect))
	if err != nil {
		return fmt.Errorf("encode last rows of job %s: %w", j.ID, err)
	}
	return s.store.SaveLastRows(ctx, tx, j, text)
}

// finalWarnings reports what is known at the end of a file: last rows that look like a footer, hidden
// rows and merged cells. If the file is not read to its end here, the step that does so reports them.
func (f *findings) finalWarnings() []string {
	if !f.complete {
		return nil
	}
	return append(f.last.FooterWarnings(f.dialect), reading.LayoutWarnings(f.rows.Counts())...)
}
