package checker_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// fakeCloud replaces everything outside the database.
type fakeCloud struct {
	queues    map[string]int
	executing bool
	tokens    []string
	objects   []string
}

func (w *fakeCloud) Queues(context.Context) (map[string]int, error)   { return w.queues, nil }
func (w *fakeCloud) Executing(context.Context, job.ID) (bool, error)  { return w.executing, nil }
func (w *fakeCloud) Tokens(context.Context, job.ID) ([]string, error) { return w.tokens, nil }
func (w *fakeCloud) Objects(_ context.Context, prefix string) (found []string, _ error) {
	for _, key := range w.objects {
		if strings.HasPrefix(key, prefix) {
			found = append(found, key)
		}
	}
	return found, nil
}

// state is the correct end of an import of users: a header, two users, a blank line, a row with
// an error and one more user, in two chunks.
type state struct {
	*fakeCloud
	tx     pgx.Tx // rolled back when the test ends
	job    *job.Job
	wanted checker.Import
}

func (s *state) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := s.tx.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func setup(t *testing.T, d *postgrestest.Database) *state {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.AdminURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	s := &state{job: d.AddJob(t, `
		status = 'COMPLETED', completed_at = now(), total_rows = 4, created_count = 3, error_count = 1, file_lines = 6, blank_lines = 1,
		header_lines = 1, chunk_total = 2, chunks_done = 2, split_complete = true`)}
	s.tx, err = conn.Begin(t.Context())
	require.NoError(t, err)
	s.fakeCloud = &fakeCloud{queues: map[string]int{"rows": 0, "dead": 0}, objects: []string{s.job.ObjectKey}}
	s.exec(t, `
		INSERT INTO import_chunks (job_id, organisation_id, chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c, done, outcomes)
		VALUES ($1, 1, 0, $2, 10, 20, 2, 3, 2, 0, true, 'CC '), ($1, 1, 1, $2, 30, 20, 5, 2, 2, 0, true, 'EC')`, s.job.Key, s.job.ObjectKey)
	s.exec(t, `
		INSERT INTO import_row_results (job_id, organisation_id, row_number, outcome, faults)
		VALUES ($1, 1, 5, 'E', '[{"code": "CELL_EMAIL", "field": "EMAIL", "message": "No address."}]')`, s.job.Key)
	s.exec(t, `
		INSERT INTO users (organisation_id, email, name, source_job, source_row)
		VALUES (1, 'a@x.org', 'A', $1, 2), (1, 'b@x.org', 'B', $1, 3), (1, 'c@x.org', 'C', $1, 6), (1, 'z@x.org', 'Z', NULL, NULL), (2, 'a@x.org', 'A', NULL, NULL)`,
		s.job.Key)
	s.wanted = checker.Import{
		JobID: s.job.ID, Status: job.Completed,
		Lines: []checker.Line{
			{Outcome: rowwrite.Header}, {Outcome: rowwrite.Created, Codes: []string{}}, {Outcome: checker.Unknown}, {Outcome: rowwrite.Blank},
			{Outcome: rowwrite.Errored, Codes: []string{"CELL_EMAIL"}}, {Outcome: rowwrite.Created},
		},
		Tables: []checker.Table{{
			Name: "users", SQL: `SELECT email || ' ' || name FROM users WHERE organisation_id = $1`,
			Want: []string{"a@x.org A", "b@x.org B", "c@x.org C", "z@x.org Z"},
		}},
	}
	return s
}

func (s *state) differences(t *testing.T) []string {
	t.Helper()
	found, err := checker.Differences(t.Context(), s.tx, s.fakeCloud, s.wanted)
	require.NoError(t, err)
	return found
}

func TestValidStateHasNoDifferences(t *testing.T) {
	t.Parallel()
	require.Empty(t, setup(t, postgrestest.Setup(t)).differences(t))
}

// TestEveryDifferenceIsReported corrupts one part of a correct state after the other.
func TestEveryDifferenceIsReported(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	sql := func(statement string) func(*testing.T, *state) {
		return func(t *testing.T, s *state) { s.exec(t, statement) }
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, *state)
		says  string
	}{
		"row missing":                          {sql(`DELETE FROM users WHERE email = 'b@x.org'`), "row 3 is CREATED, but users has no entry of it"},
		"row missing, found by content":        {sql(`DELETE FROM users WHERE email = 'b@x.org'`), `users lacks ["b@x.org B"]`},
		"row duplicated":                       {sql(`INSERT INTO users (organisation_id, email, name, source_job, source_row) SELECT 1, 'd@x.org', 'D', source_job, 3 FROM users WHERE source_row = 3`), "row 3 created more than one entry of users"},
		"unexpected row":                       {sql(`INSERT INTO users (organisation_id, email, name) VALUES (1, 'd@x.org', 'D')`), `users has unexpected entries: ["d@x.org D"]`},
		"wrong value":                          {sql(`UPDATE users SET name = 'Q' WHERE source_row = 2`), `users lacks ["a@x.org A"]`},
		"row in error was written":             {sql(`INSERT INTO users (organisation_id, email, name, source_job, source_row) SELECT 1, 'd@x.org', 'D', source_job, 5 FROM users WHERE source_row = 3`), "an entry of users comes from row 5, which is ERROR"},
		"row without a line was written":       {sql(`UPDATE users SET source_row = 60 WHERE source_row = 6`), "an entry of users comes from row 60, which has no outcome"},
		"row of another organisation":          {sql(`UPDATE users SET organisation_id = 2 WHERE source_row = 3`), "row 3 created an entry of users for organisation 2"},
		"dry run wrote a row":                  {sql(`UPDATE import_jobs SET dry_run = true`), "row 2 of a dry run created an entry of users"},
		"counter too high":                     {sql(`UPDATE import_jobs SET created_count = 4`), "the job counts 4 rows created, and the ledger has 3"},
		"counters do not add up":               {sql(`UPDATE import_jobs SET error_count = 0`), "the counters add up to 3 of 4 rows"},
		"line counts do not match":             {sql(`UPDATE import_jobs SET blank_lines = 2`), "rows, blank lines and header add up to 7 of 6 lines"},
		"deferred rows":                        {sql(`UPDATE import_jobs SET deferred_count = 1`), "1 rows of a COMPLETED job are deferred"},
		"chunk missing":                        {sql(`DELETE FROM import_chunks WHERE chunk_index = 1`), "the ledger has 1 of 2 chunks"},
		"wrong chunk index":                    {sql(`UPDATE import_chunks SET chunk_index = 7 WHERE chunk_index = 1`), "the ledger has no chunk 1"},
		"chunk not done":                       {sql(`UPDATE import_chunks SET done = false WHERE chunk_index = 1`), "chunk 1 of a COMPLETED job is not done"},
		"chunks not counted":                   {sql(`UPDATE import_jobs SET chunks_done = 1`), "1 of 2 chunks are done"},
		"gap between chunks":                   {sql(`UPDATE import_chunks SET first_row = 6 WHERE chunk_index = 1`), "chunk 1 starts at line 6, not at 5"},
		"outcome missing":                      {sql(`UPDATE import_chunks SET outcomes = 'CC' WHERE chunk_index = 0`), "chunk 0 has 3 lines and 2 outcomes"},
		"no outcomes":                          {sql(`UPDATE import_chunks SET outcomes = NULL WHERE chunk_index = 0`), "chunk 0 is done, but has no outcomes"},
		"invalid outcome":                      {sql(`UPDATE import_chunks SET outcomes = 'C? ' WHERE chunk_index = 0`), `row 3 has an invalid outcome: "?"`},
		"pending row":                          {sql(`UPDATE import_chunks SET outcomes = 'C. ' WHERE chunk_index = 0`), "row 3 was claimed but has no outcome"},
		"deferred row":                         {sql(`UPDATE import_chunks SET outcomes = 'CD ' WHERE chunk_index = 0`), "row 3 of a COMPLETED job is deferred"},
		"row counted as blank":                 {sql(`UPDATE import_chunks SET outcomes = 'C  ' WHERE chunk_index = 0`), "chunk 0 was created with 2 rows and has 1"},
		"wrong outcome":                        {sql(`UPDATE import_chunks SET outcomes = 'UC ' WHERE chunk_index = 0`), "line 2 is UPDATED, not CREATED"},
		"no error":                             {sql(`DELETE FROM import_row_results`), "row 5 is ERROR without an error"},
		"wrong error code":                     {sql(`UPDATE import_row_results SET faults = '[{"code": "CELL_DATE", "message": "No date."}]'`), "row 5 has the codes CELL_DATE, not CELL_EMAIL"},
		"error without a message":              {sql(`UPDATE import_row_results SET faults = '[{"code": "CELL_EMAIL", "message": ""}]'`), "an error of row 5 lacks its code or message"},
		"empty list of errors":                 {sql(`UPDATE import_row_results SET faults = '[]'`), "the result of row 5 is empty"},
		"outcomes of result and ledger differ": {sql(`UPDATE import_row_results SET outcome = 'S'`), "row 5 is ERROR in the ledger and SKIPPED in its result"},
		"result without a row":                 {sql(`UPDATE import_row_results SET row_number = 50`), "there is a result for row 50, which has no outcome"},
		"unexpected result":                    {sql(`INSERT INTO import_row_results SELECT job_id, 2, organisation_id, 'C', '[{"code": "X", "message": "Y"}]' FROM import_row_results`), "row 2 has the codes X, not (none)"},
		"wrong status":                         {sql(`UPDATE import_jobs SET status = 'FAILED'`), "the job ended as FAILED, not as COMPLETED"},
		"job not ended":                        {sql(`UPDATE import_jobs SET status = 'PROCESSING', completed_at = NULL`), "the job is not finished: it is PROCESSING"},
		"job not found":                        {sql(`DELETE FROM import_jobs`), "job not found"},
		"file not split to the end":            {sql(`UPDATE import_jobs SET split_complete = false`), "the job is COMPLETED, but its file is not fully split"},
		"line too many":                        {func(_ *testing.T, s *state) { s.wanted.Lines = s.wanted.Lines[:5] }, "the file has 5 lines, and the job counts 6"},
		"row that should be pending":           {func(_ *testing.T, s *state) { s.wanted.Lines[1].Outcome = rowwrite.Pending }, "line 2 is CREATED; nothing should have happened to it"},
		"wrong count":                          {func(_ *testing.T, s *state) { s.wanted.Counts = &job.Counts{Created: 2, Errored: 1} }, "the job counts 3 rows created, not 2"},
		"upsert with missing rows":             {sql(`UPDATE import_jobs SET mode = 'upsert'; DELETE FROM users WHERE source_row = 2`), "3 rows were created, but users has 2 entries of them"},
		"message left in a queue":              {func(_ *testing.T, s *state) { s.queues["dead"] = 1 }, "1 messages remain in the queue dead"},
		"execution still running":              {func(_ *testing.T, s *state) { s.executing = true }, "the execution still runs"},
		"original file missing":                {func(_ *testing.T, s *state) { s.fakeCloud.objects = nil }, "is missing"},
		"chunk object without a ledger entry":  {func(_ *testing.T, s *state) { s.fakeCloud.objects = append(s.fakeCloud.objects, s.job.ChunkKey(3)) }, "is not in the ledger"},
		"chunk object missing":                 {func(t *testing.T, s *state) { s.exec(t, `UPDATE import_chunks SET object_key = 'chunks/gone'`) }, "the object chunks/gone of the ledger is missing"},
		"job not purged":                       {func(_ *testing.T, s *state) { s.wanted.Purged = true }, "the job still exists with status COMPLETED"},
	} {
		t.Run(name, func(t *testing.T) {
			s := setup(t, d)
			c.spoil(t, s)
			require.Contains(t, strings.Join(s.differences(t), "\n"), c.says)
		})
	}
}

func TestPurgedJobLeavesNothing(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	purged := func(t *testing.T) *state {
		s := setup(t, d)
		s.exec(t, `DELETE FROM import_row_results; DELETE FROM import_jobs`)
		s.fakeCloud.objects = nil
		s.wanted = checker.Import{JobID: s.job.ID, Purged: true, Organisation: 1, ObjectKey: s.job.ObjectKey, Tables: s.wanted.Tables}
		return s
	}
	t.Run("nothing is left", func(t *testing.T) { require.Empty(t, purged(t).differences(t)) })
	for name, c := range map[string]struct {
		spoil func(*testing.T, *state)
		says  string
	}{
		"a result": {func(t *testing.T, s *state) {
			s.exec(t, `INSERT INTO import_row_results (job_id, organisation_id, row_number, outcome, faults) VALUES ($1, 1, 5, 'E', '[]')`, s.job.Key)
		}, "import_row_results has rows of deleted jobs"},
		"a token":            {func(_ *testing.T, s *state) { s.tokens = []string{"ROWS"} }, `tokens of a deleted job remain: ["ROWS"]`},
		"original file left": {func(_ *testing.T, s *state) { s.fakeCloud.objects = []string{s.job.ObjectKey} }, "objects of a deleted job remain"},
		"a chunk":            {func(_ *testing.T, s *state) { s.fakeCloud.objects = []string{s.job.ChunkKey(0)} }, "objects of a deleted job remain"},
		"entity missing":     {func(t *testing.T, s *state) { s.exec(t, `DELETE FROM users WHERE source_row = 2`) }, `users lacks ["a@x.org A"]`},
	} {
		t.Run(name, func(t *testing.T) {
			s := purged(t)
			c.spoil(t, s)
			require.Contains(t, strings.Join(s.differences(t), "\n"), c.says)
		})
	}
}

func TestQueuesEmpty(t *testing.T) {
	t.Parallel()
	found, err := checker.NonEmptyQueues(t.Context(), &fakeCloud{queues: map[string]int{"rows": 2, "dead": 0}})
	require.NoError(t, err)
	require.Equal(t, []string{"2 messages remain in the queue rows"}, found)
}
