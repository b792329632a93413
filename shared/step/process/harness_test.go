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
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/process"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness is the step over a real database; the objects are kept in memory.
type harness struct {
	*postgrestest.Database
	step *process.Step
	mu   sync.Mutex
	body map[string][]byte // by key
	ends map[job.ID]int    // how often each job's end was seen
	// moved are the transitions that were recorded.
	transitions []string
	// claims counts how often a chunk's transaction was begun.
	claims atomic.Int64
	// claiming is called before a chunk is claimed, with how often that was so far.
	onClaim func(claims int64)
	// reading is called before a chunk is read, and after its ledger entry was.
	onRead func(chunk string)
	// done is called for each processed chunk, also for one that is not the last.
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

// claimCountingDB is the database, which counts claims.
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

// Record notes a transition.
func (r *harness) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.transitions = append(r.transitions, fmt.Sprintf("%s to %s", from, to))
}

// importFile is a CSV file to import: the field that each column is, and the rows.
type importFile struct {
	kind      string // "USER" if empty
	mode      job.WriteMode
	period    int64 // of memberships
	fields    []string
	rows      [][]string
	chunkRows int
}

// splitImport is an import that is cut, and its chunks in file order.
type splitImport struct {
	*job.Job
	chunks []job.ChunkRef
	totals job.SplitTotals
}

// splitFile makes a job of the file, with its chunks in the ledger: what the steps
// before process do. The ledger is not complete until complete is called.
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

// complete does the last thing that a splitter does, and returns what it saw.
func (r *harness) complete(ctx context.Context, run *splitImport) (p job.Progress, err error) {
	err = r.DB.InOrganisation(ctx, 1, func(tx pgx.Tx) (err error) {
		p, _, err = r.DB.CompleteSplit(ctx, tx, run.Key, run.totals)
		return err
	})
	return p, err
}

// splitAndComplete is cut and complete.
func (r *harness) splitAndComplete(t *testing.T, f importFile) *splitImport {
	t.Helper()
	run := r.splitFile(t, f)
	_, err := r.complete(t.Context(), run)
	require.NoError(t, err)
	return run
}

// deliver processes messages in their order, so many at a time. One whose chunk
// lost against others too often, or was processed and opened again by another delivery, is
// delivered again, as the queue does.
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

// isRetryable reports whether a delivery fails in a way that its next one may not.
func isRetryable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40P01" || err != nil && strings.Contains(err.Error(), "opened again meanwhile")
}

// outcomes are those of all rows in file order: "CREATED", "ERROR ROW_DUPLICATE".
func (r *harness) outcomes(t *testing.T, run *splitImport) []string {
	t.Helper()
	var out []string
	require.NoError(t, r.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		found, err := r.DB.Results(t.Context(), tx, run.Key, postgres.ResultFilter{Limit: 1 << 30})
		for i, result := range found {
			require.Equal(t, int64(i+2), result.Row, "every row has one outcome")
			line := result.Outcome.String()
			for _, f := range result.Errors {
				if result.Outcome == job.Errored || result.Outcome == job.Skipped {
					line += " " + f.Code
				}
			}
			out = append(out, line)
		}
		return err
	}))
	return out
}

// newRandom returns a source of chance, and prints what is needed to repeat it.
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
