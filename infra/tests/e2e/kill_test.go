package e2e

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/sample"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// killedRows is the number of rows in the file that is being imported during the kills.
const killedRows = 60_000

// TestRowsAreWrittenOnceAfterKills kills the whole local stack, including the
// database, at moments determined by the job's own state, and restarts it
// on the same folder.
func TestRowsAreWrittenOnceAfterKills(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	require.NoError(t, sample.Users(&file, killedRows, 0))
	for name, moment := range map[string]func(*rawclient.Job) bool{
		"after the upload is accepted":  func(*rawclient.Job) bool { return true },
		"after processing begins":       func(j *rawclient.Job) bool { return j.Status == "PROCESSING" },
		"after some rows":               func(j *rawclient.Job) bool { return j.ProcessedRows > 0 },
		"after half of the rows":        func(j *rawclient.Job) bool { return j.ProcessedRows >= killedRows/2 },
		"after nine tenths of the rows": func(j *rawclient.Job) bool { return j.ProcessedRows >= killedRows*9/10 },
	} {
		t.Run(name, func(t *testing.T) {
			// One at a time: each uses both cores.
			ctx, cancel := context.WithTimeout(t.Context(), maxWait)
			defer cancel()
			r := start(t)
			j, err := r.Upload(ctx, rawclient.CreateRequest{
				ImportType: "USER", Filename: "users.csv", SizeBytes: int64(file.Len()), AutoStart: true,
			}, bytes.NewReader(file.Bytes()))
			require.NoError(t, err)
			_, err = r.Wait(ctx, j.Identifier, 5*time.Millisecond, nil, func(j *rawclient.Job) bool { return moment(j) || j.Ended() })
			require.NoError(t, err)
			r.Kill()
			r.Restart(t)
			j, err = r.Wait(ctx, j.Identifier, 100*time.Millisecond, nil, (*rawclient.Job).Ended)
			require.NoError(t, err)
			require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
			summary, err := r.Summary(ctx, j.Identifier)
			require.NoError(t, err)
			require.Equal(t, rawclient.Summary{Created: killedRows}, summary)
			require.Equal(t, int64(killedRows), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users`))
			require.Equal(t, int64(killedRows), stacktest.Query[int64](t, r.Stack, `SELECT count(DISTINCT source_row) FROM users`))
			require.Equal(t, int64(killedRows+1), stacktest.Query[int64](t, r.Stack, `SELECT file_lines FROM import_jobs WHERE uuid = $1`, j.Identifier))
		})
	}
}
