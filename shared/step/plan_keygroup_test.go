package step_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// Files with rows that share entities: they create one, change it, and release its key.
const (
	sameUsers = "email,name,role\nx@x.org,X one,user\na@x.org,Anna,admin\ny@x.org,Y one,user\nX@x.org,X two,admin\nnot an address,Dora,user\n" +
		"z@x.org,Z,user\nx@x.org,X three,user\na@x.org,Anne,user\ny@x.org,,user\ny@x.org,Y two,user\n"
	sameMembers = "First name,Last name,Email,Membership type,Membership number\nAda,Lovelace,ada@x.org,Veteran,1\nBen,Bolt,ben@x.org,Junior,2\n" +
		"Ada,Lovelace,ADA@x.org,Junior,3\nCid,Cole,cid@x.org,Veteran,4\nBen,Bolt,ben@x.org,Veteran,5\nDan,Dale,,Junior,6\nAda,Lovelace,ada@x.org,Senior,7\n"
)

// TestKeyGroupPlanEqualsImport: for any chunk size and any order in which the chunks are planned
// and applied, the preview, the written values and the row results equal those of an import
// without a plan.
func TestKeyGroupPlanEqualsImport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		importType, file string
		mode             rowwrite.Mode
	}{
		{"USER", sameUsers, rowwrite.Insert}, {"USER", sameUsers, rowwrite.Upsert}, {"MEMBERSHIP", sameMembers, rowwrite.Insert}, {"MEMBERSHIP", sameMembers, rowwrite.Upsert},
	} {
		t.Run(fmt.Sprint(c.importType, c.mode), func(t *testing.T) {
			t.Parallel()
			begin := func(t *testing.T, chunkRows int, plan *job.Plan) (*engine, job.Ref) {
				t.Helper()
				e := setup(t, chunkRows)
				e.addUsers(t)
				ref := e.create(t, c.importType, "same.csv", c.file, func(j *job.Job) {
					if j.Mode, j.Plan = c.mode, plan; c.importType == "MEMBERSHIP" {
						member(j)
					}
				})
				if c.importType == "MEMBERSHIP" {
					e.confirmCreateType(t, ref, "Veteran")
				}
				e.prepare(t, ref)
				return e, ref
			}
			plain, imported := begin(t, 100, nil)
			plain.drain(t, false)
			require.NoError(t, plain.complete.Run(t.Context(), imported))
			want := plain.results(t, imported)
			for _, chunkRows := range []int{1, 3} {
				for order := range 4 {
					e, ref := begin(t, chunkRows, &job.Plan{Requested: true})
					before := e.entities(t)
					e.drain(t, order&1 > 0)
					require.Equal(t, want, e.results(t, ref), "planned, %d rows a chunk, order %d", chunkRows, order)
					e.awaitApproval(t, ref)
					require.Equal(t, before, e.entities(t))
					require.NoError(t, e.approve(t, ref, job.SkipStale))
					e.drain(t, order&2 > 0)
					require.NoError(t, e.complete.Run(t.Context(), ref))
					require.Equal(t, want, e.results(t, ref), "applied, %d rows a chunk, order %d", chunkRows, order)
					require.Equal(t, plain.job(t, imported).Progress.Counts, e.job(t, ref).Progress.Counts)
					require.Equal(t, plain.comparable(t), e.comparable(t))
					before.explains(t, e.changeSet(t, ref, false), e.entities(t))
				}
			}
		})
	}
}

// An address moves between persons within a file: the row that releases it is applied before
// the row that takes it over.
func TestPlanMovesKeyBetweenRows(t *testing.T) {
	t.Parallel()
	const x, y = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
	for _, chunkRows := range []int{1, 100} {
		e := setup(t, chunkRows)
		e.Exec(t, `INSERT INTO users (id, organisation_id, email, name) VALUES ('`+y+`', 1, 'y@x.org', 'Y'), ('`+x+`', 1, 'x@x.org', 'X')`)
		ref := e.plan(t, "USER", "id,email,name\n"+x+",free@x.org,X\n"+y+",x@x.org,Y\n"+y+",free@x.org,Y\n", nil)
		e.drain(t, true)
		e.awaitApproval(t, ref)
		require.NoError(t, e.approve(t, ref, job.SkipStale))
		e.drain(t, true)
		require.Equal(t, []string{"2 UPDATED", "3 UPDATED", "4 ERROR EMAIL ROW_DUPLICATE"}, e.results(t, ref))
		require.Equal(t, []string{"X free@x.org", "Y x@x.org"}, postgrestest.Query[[]string](t, e.Database,
			`SELECT array_agg(name || ' ' || email ORDER BY name) FROM users`))
	}
}

// Rows that share keys are all stale or none: also rows that are overwritten by a later
// row, and rows of other chunks.
func TestKeyGroupIsStaleTogether(t *testing.T) {
	t.Parallel()
	const file = "email,name,role\na@x.org,First,admin\nb@x.org,Bea,user\na@x.org,Last,admin\nn@x.org,New,user\nn@x.org,Newer,user\n"
	for _, chunkRows := range []int{1, 2, 100} {
		for _, backwards := range []bool{false, true} {
			e := setup(t, chunkRows)
			e.addUsers(t)
			ref := e.plan(t, "USER", file, nil)
			e.drain(t, false)
			e.awaitApproval(t, ref)
			e.Exec(t, `UPDATE users SET role = 'editor' WHERE email = 'a@x.org'`)
			e.Exec(t, `INSERT INTO users (organisation_id, email, name) VALUES (1, 'n@x.org', 'Taken')`)
			require.NoError(t, e.approve(t, ref, job.SkipStale))
			e.drain(t, backwards)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			results := e.results(t, ref)
			for i, row := range results {
				require.Equal(t, i != 1, strings.HasSuffix(row, "PLAN_STALE"), "the whole key group is stale, %d rows a chunk: %v", chunkRows, results)
			}
			require.Len(t, results, 5)
			require.Equal(t, []string{"Anne", "Bea", "Taken"}, postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(name ORDER BY name) FROM users`))
			require.Equal(t, job.Counts{Updated: 1, Skipped: 4}, e.job(t, ref).Progress.Counts)
		}
	}
}

const duplicateRowsFile = "email,name\na@x.org,First\nb@x.org,Bea\na@x.org,Last\nc@x.org,Cleo\n"

// The failed chunk decides a row of another chunk, or contains a row that another chunk decides.
func TestFailedChunkClosesKeyGroup(t *testing.T) {
	t.Parallel()
	const lost = "  ROW_UNDELIVERED"
	for _, c := range []struct {
		given          int
		applying, late bool
		want           []string
	}{
		{0, false, false, []string{"2 ERROR" + lost, "3 UPDATED", "4 ERROR" + lost, "5 CREATED"}},
		{0, false, true, []string{"2 ERROR" + lost, "3 UPDATED", "4 ERROR" + lost, "5 CREATED"}},
		{2, false, false, []string{"2 UPDATED  ROW_SUPERSEDED", "3 UPDATED", "4 UPDATED", "5 CREATED"}},
		{2, false, true, []string{"2 UPDATED  ROW_SUPERSEDED", "3 UPDATED", "4 UPDATED", "5 CREATED"}},
		{0, true, false, []string{"2 ERROR" + lost, "3 UPDATED", "4 ERROR" + lost, "5 CREATED"}},
		{0, true, true, []string{"2 ERROR" + lost, "3 UPDATED", "4 ERROR" + lost, "5 CREATED"}},
		{2, true, false, []string{"2 UPDATED  ROW_SUPERSEDED", "3 UPDATED", "4 UPDATED", "5 CREATED"}},
		{2, true, true, []string{"2 UPDATED  ROW_SUPERSEDED", "3 UPDATED", "4 UPDATED", "5 CREATED"}},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 1)
			e.addUsers(t)
			ref := e.plan(t, "USER", duplicateRowsFile, nil)
			pass := func(gives bool) {
				given := job.ChunkRef{Ref: ref, Chunk: c.given}
				if gives && !c.late {
					require.NoError(t, e.deadletter.Run(t.Context(), given))
				}
				if gives {
					e.queued = slices.DeleteFunc(e.queued, func(r job.ChunkRef) bool { return r == given })
				}
				e.drain(t, false)
				if gives {
					require.NoError(t, e.deadletter.Run(t.Context(), given))
				}
			}
			pass(!c.applying)
			e.awaitApproval(t, ref)
			require.NoError(t, e.approve(t, ref, job.SkipStale))
			pass(c.applying)
			require.Equal(t, c.want, e.results(t, ref))
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.True(t, e.job(t, ref).Progress.Reconciles(), "%+v", e.job(t, ref).Progress)
			name := map[bool]string{true: "Last", false: "Anne"}[c.given > 0]
			require.Equal(t, name, postgrestest.Query[string](t, e.Database, `SELECT name FROM users WHERE email = 'a@x.org'`))
		})
	}
}

// A plan that is cancelled while it is applied reports only rows that were written.
func TestCancelledPlanReportsOnlyWrittenRows(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	ref := e.plan(t, "USER", duplicateRowsFile, nil)
	e.drain(t, false)
	e.awaitApproval(t, ref)
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	require.NoError(t, e.process.Run(t.Context(), job.ChunkRef{Ref: ref, Chunk: 2}), "its row was written with the first chunk")
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`))
	require.Zero(t, e.job(t, ref).Progress.Counts.Success())
	e.transition(t, e.job(t, ref), job.Cancelled)
	require.NotContains(t, fmt.Sprint(e.results(t, ref)), "ATED")
	e.drain(t, false)
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`))
}

// A row waits for a decision about a value. Rows about the same person wait with it and are
// planned after the decision.
func TestKeyGroupWaitsTogether(t *testing.T) {
	t.Parallel()
	const file = "First name,Last name,Email,Membership type\nAda,Lovelace,ada@x.org,Senior\nBen,Bolt,ben@x.org,Junior\n" +
		"Ada,Lovelace,ada@x.org,Veteran\nAda,Lovelace,ada@x.org,Junior\n"
	for _, chunkRows := range []int{1, 2, 100} {
		for _, backwards := range []bool{false, true} {
			e := setup(t, chunkRows)
			ref := e.create(t, "MEMBERSHIP", "roster.csv", file, func(j *job.Job) {
				member(j)
				j.AutoStart, j.Mode, j.Plan = false, rowwrite.Upsert, &job.Plan{Requested: true}
			})
			_, err := e.analyze.Run(t.Context(), ref)
			require.NoError(t, err)
			e.transition(t, e.job(t, ref), job.Processing)
			require.NoError(t, e.split.Run(t.Context(), ref))
			e.drain(t, backwards)
			j := e.job(t, ref)
			require.Equal(t, job.CellMapping, j.Status)
			require.Equal(t, job.Counts{Created: 1, Deferred: 3}, j.Progress.Counts)

			e.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', target_entity_id = '1' WHERE source_value = 'Veteran'`)
			e.transition(t, j, job.Processing)
			require.NoError(t, e.split.Run(t.Context(), ref))
			e.drain(t, backwards)
			e.awaitApproval(t, ref)
			require.NoError(t, e.approve(t, ref, job.SkipStale))
			e.drain(t, backwards)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, job.Counts{Created: 2, Errored: 2}, e.job(t, ref).Progress.Counts, "%v", e.results(t, ref))
			require.Equal(t, []string{"Ada Senior", "Ben Junior"}, postgrestest.Query[[]string](t, e.Database, `
				SELECT array_agg(p.first_name || ' ' || t.name ORDER BY p.first_name) FROM memberships m JOIN persons p ON p.id = m.person_id JOIN membership_types t ON t.id = m.type_id`))
		}
	}
}

// A chunk with too many row errors is not written, and it does not report the rows of other
// chunks that it was to decide either.
func TestChunkOverLimitReportsNoForeignRows(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.plan(t, "USER", "email,name\na@x.org,Anna\nnot an address,Bea\na@x.org,\nd@x.org,Dora\n", func(j *job.Job) { j.MaxErrors = "0" })
	e.drain(t, true)
	require.Equal(t, job.Failed, e.job(t, ref).Status)
	require.Equal(t, job.Counts{Created: 1, Errored: 1}, e.job(t, ref).Progress.Counts)
	require.Equal(t, []int64{3}, postgrestest.Query[[]int64](t, e.Database, `SELECT array_agg(row_number) FROM import_row_results`))
}
