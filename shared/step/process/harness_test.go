package process_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/process"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds the step on a real database; the objects are in memory.
type harness struct {
	*postgrestest.Database
	step *process.Step
	mu   sync.Mutex
	body map[string][]byte // by key
	ends map[job.ID]int    // how often the end of each job was reported
	// transitions are the recorded transitions.
	transitions []string
	// claims counts the transactions begun for chunks.
	claims atomic.Int64
	// onClaim is called before a chunk is claimed, with the number of claims so far.
	onClaim func(claims int64)
	// onRead is called before a chunk's rows are read and after its ledger entry was read.
	onRead func(chunk string)
	// onRowsDone is called for each processed chunk, not only for the last one.
	onRowsDone func(j *job.Job, p job.Progress) error
}

func setup(t *testing.T) *harness {
	t.Helper()
	r := &harness{
		Database: postgrestest.Setup(t), body: map[string][]byte{}, ends: map[job.ID]int{},
		onRowsDone: func(*job.Job, job.Progress) error { return nil },
		onRead:     func(string) {},
		onClaim:    func(int64) {},
	}
	log, metrics := slog.New(slog.DiscardHandler), telemetry.NewMetrics(io.Discard)
	r.step = process.New(claimCountingDB{r.DB, r}, r, catalog.New(), r, r, metrics, sheet.DefaultLimits(), log)
	return r
}

// claimCountingDB is the database; it counts claims.
type claimCountingDB struct {
	*postgres.DB
	harness *harness
}

func (c claimCountingDB) ClaimChunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error) {
	c.harness.onClaim(c.harness.claims.Add(1))
	return c.DB.ClaimChunk(ctx, tx, key, index)
}

func (r *harness) ReadRange(_ context.Context, v object.Version, offset, length int64) ([]byte, error) {
	r.mu.Lock()
	chunk := r.body[v.Key][offset : offset+length]
	r.mu.Unlock()
	r.onRead(string(chunk))
	return chunk, nil
}

func (r *harness) CompleteIfRowsDone(_ context.Context, j *job.Job, p job.Progress) error {
	r.mu.Lock()
	if p.RowsDone() {
		r.ends[j.ID]++
	}
	r.mu.Unlock()
	return r.onRowsDone(j, p)
}

// Record records a transition.
func (r *harness) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.transitions = append(r.transitions, fmt.Sprintf("%s to %s", from, to))
}

// importFile is a CSV file to import: the field of each column, and the rows.
type importFile struct {
	kind      string // "USER" if empty
	mode      rowwrite.Mode
	period    int64 // for memberships
	fields    []string
	rows      [][]string
	chunkRows int
}

// splitImport is an import that has been split, with its chunks in file order.
type splitImport struct {
	*job.Job
	chunks []job.ChunkRef
	totals job.SplitTotals
}

// splitFile creates a job for the file with its chunks in the ledger, as the steps before process
// do. The ledger is not complete until complete is called.
func (r *harness) splitFile(t *testing.T, f importFile) *splitImport {
	t.Helper()
	j := r.AddJob(t, "status = 'PROCESSING', started_at = now(), auto_start = true, uploaded_at = now()")
	var text bytes.Buffer
	text.WriteString(strings.Join(f.fields, ",") + "\n")
	var chunks []job.Chunk
	for start := 0; start < len(f.rows); start += f.chunkRows {
		part := f.rows[start:min(start+f.chunkRows, len(f.rows))]
		offset := text.Len()
		for _, row := range part {
			text.WriteString(strings.Join(row, ",") + "\n")
		}
		chunks = append(chunks, job.Chunk{
			JobKey: j.Key, Index: len(chunks), Key: j.ObjectKey, Offset: int64(offset), Length: int64(text.Len() - offset),
			FirstRow: int64(start + 2), Lines: len(part), Rows: len(part), CRC32C: sheet.Checksum(text.Bytes()[offset:]),
		})
	}
	r.mu.Lock()
	r.body[j.ObjectKey] = text.Bytes()
	r.mu.Unlock()
	dialect, err := json.Marshal(sheet.Dialect{
		Format: sheet.CSV, Delimiter: ",", Quote: `"`, LineEnd: "\n", Encoding: "utf-8", HeaderRow: 1, Header: f.fields,
	})
	require.NoError(t, err)
	kind := f.kind
	if kind == "" {
		kind = "USER"
	}
	r.Exec(t, `UPDATE import_jobs SET import_type = $2, mode = $3, context_id = nullif($4, 0), dialect = $5 WHERE id = $1`,
		j.Key, kind, string(f.mode), f.period, dialect)
	columns := make([]job.MappedColumn, len(f.fields))
	for i, field := range f.fields {
		columns[i] = job.MappedColumn{ColumnIndex: i, Header: field, TargetField: field, Status: job.AutoMatched, Confirmed: true}
	}
	require.NoError(t, r.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		if err := r.DB.SaveColumnMappings(t.Context(), tx, j, columns); err != nil {
			return err
		}
		return r.DB.AddChunks(t.Context(), tx, j, chunks)
	}))
	run := &splitImport{Job: j, totals: job.SplitTotals{Chunks: len(chunks), Lines: int64(len(f.rows) + 1), Rows: int64(len(f.rows)), Header: 1}}
	for i := range chunks {
		run.chunks = append(run.chunks, job.ChunkRef{Ref: job.Ref{JobID: j.ID, OrganisationID: 1}, Chunk: i})
	}
	return run
}

// complete performs the last action of a splitter, and returns the progress that it read.
func (r *harness) complete(ctx context.Context, run *splitImport) (p job.Progress, err error) {
	err = r.DB.InOrganisation(ctx, 1, func(tx pgx.Tx) (err error) {
		p, _, err = r.DB.CompleteSplit(ctx, tx, run.Key, run.totals)
		return err
	})
	return p, err
}

// splitAndComplete calls splitFile and complete.
func (r *harness) splitAndComplete(t *testing.T, f importFile) *splitImport {
	t.Helper()
	run := r.splitFile(t, f)
	_, err := r.complete(t.Context(), run)
	require.NoError(t, err)
	return run
}

// deliver processes messages in order, atOnce at a time. Like the queue, it delivers a message
// again if its chunk lost against others too often, or was processed and reopened by another
// delivery.
func (r *harness) deliver(t *testing.T, atOnce int, chunks []job.ChunkRef) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, c := range chunks {
		group.Go(func() (err error) {
			for range 5 {
				if err = r.step.Run(context.WithoutCancel(t.Context()), c); !isRetryable(err) {
					return err
				}
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
}

// isRetryable reports whether the next delivery may succeed after this error.
func isRetryable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40P01" || err != nil && strings.Contains(err.Error(), "reopened in the meantime")
}

// outcomes returns the outcomes of all rows in file order: "CREATED", "ERROR ROW_DUPLICATE".
func (r *harness) outcomes(t *testing.T, run *splitImport) []string {
	t.Helper()
	var out []string
	require.NoError(t, r.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		found, err := r.DB.Results(t.Context(), tx, run.Key, postgres.ResultFilter{Page: job.Page{Limit: 1 << 30}})
		for i, result := range found {
			require.Equal(t, int64(i+2), result.Row, "every row has one outcome")
			line := result.Outcome.String()
			for _, f := range result.Errors {
				if result.Outcome == rowwrite.Errored || result.Outcome == rowwrite.Skipped {
					line += " " + string(f.Code)
				}
			}
			out = append(out, line)
		}
		return err
	}))
	return out
}

// newRandom returns a random source, and logs the seed needed to reproduce the test.
func newRandom(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// shuffledTwice returns all messages in random order, some of them twice.
func shuffledTwice(random *rand.Rand, chunks []job.ChunkRef) []job.ChunkRef {
	out := append([]job.ChunkRef(nil), chunks...)
	for _, c := range chunks {
		if random.IntN(3) == 0 {
			out = append(out, c)
		}
	}
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// countOutcomes counts outcomes by their first word.
func countOutcomes(outcomes []string) map[string]int64 {
	counts := map[string]int64{}
	for _, o := range outcomes {
		word, _, _ := strings.Cut(o, " ")
		counts[word]++
	}
	return counts
}

// requireCounters compares the job's counters with the outcomes of its rows.
func (r *harness) requireCounters(t *testing.T, run *splitImport, outcomes []string) {
	t.Helper()
	p, counts := r.ReadJob(t, run.ID).Progress, countOutcomes(outcomes)
	require.Equal(t, job.Counts{
		Created: counts["CREATED"], Updated: counts["UPDATED"], Unchanged: counts["UNCHANGED"], Skipped: counts["SKIPPED"], Errored: counts["ERROR"],
	}, p.Counts)
	require.True(t, p.Reconciles(), "%+v", p)
	require.True(t, p.RowsDone(), "%+v", p)
}

func emailOf(n int) string { return fmt.Sprintf("u%d@x.org", n) }
