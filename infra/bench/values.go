package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/loadbay/loadbay/infra/sample"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

const (
	// rowsPerValue is the number of rows that share a value, in a file in which almost no value has
	// a match.
	rowsPerValue = 10
	// maxQuestionDelay is the limit for a million such rows until a person can match the values.
	maxQuestionDelay = 10 * time.Second
)

// measureValues measures the time until the questions about a file with very many distinct
// values are ready: until its columns are known and all values have been looked up.
func (b *bench) measureValues(ctx context.Context, rows int) error {
	path, err := b.writeFile(fmt.Sprintf("values-%d.csv", rows), func(w io.Writer) error { return rosterWithTypes(rows/rowsPerValue).CSV(w, rows) })
	if err != nil {
		return err
	}
	var took time.Duration
	m, err := b.meter.measure(ctx, func() error {
		took, err = b.measureUntilQuestion(ctx, path)
		return err
	})
	if err != nil {
		return fmt.Errorf("bench: many values: %w", err)
	}
	fmt.Fprintf(b.out, "\n%d rows, %d values of one column: first question after %.2f s; processor time: Postgres %.2f s, functions %.2f s\n",
		rows, rows/rowsPerValue, took.Seconds(), m.usage.Postgres.Seconds(), m.usage.functionsCPU().Seconds())
	b.goals = append(b.goals, goal{
		What: fmt.Sprintf("%d rows, %d values: seconds per million rows until the first question", rows, rows/rowsPerValue),
		Got:  secondsPerMillion(took, rows), Want: maxQuestionDelay.Seconds(), AtMost: true,
	})
	return nil
}

// rosterWithTypes is a roster of members with n membership types, none of which exists.
func rosterWithTypes(n int) sample.Sheet {
	roster := sample.Memberships()
	return sample.Sheet{Columns: roster.Columns, Cells: func(i int) []string {
		cells := roster.Cells(i)
		cells[len(cells)-1] = "Society " + strconv.Itoa(i%n)
		return cells
	}}
}

// measureUntilQuestion imports a roster until it waits for decisions about its values, and then
// cancels it.
func (b *bench) measureUntilQuestion(ctx context.Context, path string) (time.Duration, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	period := int64(1)
	j, err := b.api.Upload(ctx, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "roster.csv", SizeBytes: info.Size()}, f)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	j, err = b.api.Wait(ctx, j.Identifier, pollEvery, nil, func(j *rawclient.Job) bool { return j.Ended() || j.WaitingFor != "" && j.WaitingFor != "FILE" })
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	if j.WaitingFor != "CELL_MAPPINGS" {
		return 0, fmt.Errorf("import %s is %s and waits for %q; expected CELL_MAPPINGS", j.Identifier, j.Status, j.WaitingFor)
	}
	return took, b.api.Do(ctx, http.MethodDelete, "/api/imports/"+j.Identifier, "", nil, nil)
}
