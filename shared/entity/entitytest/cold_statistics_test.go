package entitytest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const (
	tinyFileCount  = 16    // exceeds the number of executions after which a session caches the plans of foreign-key checks
	largeFileRows  = 2_000 // rows
	maxReadsPerRow = 30    // maximum number of rows of any table that are read for each written row
	analyzedRows   = 1_100 // rows of a table when autovacuum first analyses it: migration 0066, and 10 %
)

// analysedDuringImport names the case in which ANALYZE, as autovacuum may, counts the pages of rows
// that are not committed, but not the rows.
const analysedDuringImport = "analysed before a large file is committed"

// singleRowFiles leaves the statistics of a service in which organisations have one row each, unless
// the schema overrides the statistics.
const singleRowFiles = `
	DO $$
	DECLARE t regclass;
	BEGIN
		FOR t IN SELECT attrelid FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
			WHERE attname = 'organisation_id' AND relkind = 'r' AND coalesce(attoptions::text, '') NOT LIKE '%n_distinct%' LOOP
			EXECUTE format('ALTER TABLE %s ALTER organisation_id SET (n_distinct = -1)', t);
		END LOOP;
	END $$;
	ANALYZE`

// A session caches the plans of its foreign-key checks. A plan from the time when the tables
// were tiny may read a whole table for each row. The test counts the rows read by the
// statements and does not measure time.
func TestFirstLargeFileRowReads(t *testing.T) {
	if testing.Short() {
		t.Skip("imports large files of every type")
	}
	t.Parallel()
	for name, statistics := range map[string]string{
		"never analysed": `SELECT`, "analysed with few rows": `ANALYZE`, "analysed with one row in every organisation": singleRowFiles,
		analysedDuringImport: `SELECT`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachType(t, func(t *testing.T, of entity.Type) {
				y := newFreshDatabase(t)
				for range tinyFileCount {
					y.writeGrowing(of, 2)
				}
				y.Exec(t, statistics)
				for range tinyFileCount {
					y.writeGrowing(of, 2)
				}
				if name == analysedDuringImport {
					y.writeGrowing(of, analyzedRows)
					y.beforeCommit = func() { y.Exec(t, `ANALYZE`) }
				}
				for range 2 { // the effect of a bad plan may show only in the second file
					read := y.writeGrowing(of, largeFileRows) / largeFileRows
					t.Logf("%d rows read for each row of the file, at most %.0f in one plan node", read, y.session.maxRows/largeFileRows)
					require.Less(t, read, int64(maxReadsPerRow), "rows read for each row of the file")
					require.Less(t, y.session.maxRows/largeFileRows, float64(maxReadsPerRow), "rows in one plan node for each row of the file: %s", y.session.maxRowsNode)
				}
			})
		})
	}
}

// freshDatabase is a database on its first day, with one session.
type freshDatabase struct {
	*suite
	session       *explainSession
	written       map[string]int // rows by type
	candidates    map[string]int64
	referencedIDs map[string][]reference // by type
	files         int64
	beforeCommit  func() // nil for nothing
}

func newFreshDatabase(t *testing.T) *freshDatabase {
	t.Helper()
	y := &freshDatabase{
		suite: newSuite(t), written: make(map[string]int), candidates: make(map[string]int64),
		referencedIDs: make(map[string][]reference), files: 100,
	}
	y.Exec(t, `
		INSERT INTO import_jobs (id, uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, request_id)
		OVERRIDING SYSTEM VALUE
		SELECT n, gen_random_uuid(), 1, 'TEST', 'insert', 'test', 'test', 1, 'test' FROM generate_series(101, 400) AS n`)
	y.Exec(t, `INSERT INTO event_categories (organisation_id, event_id, name) VALUES (1, 11, 'Open')`)
	y.session = newExplainSession(t, y.Database)
	return y
}

// writeGrowing writes a file of new rows of a type, after the same number of rows of each type
// that it refers to, and returns how many rows of all tables were read.
func (y *freshDatabase) writeGrowing(of entity.Type, count int) int64 {
	y.t.Helper()
	parents := make(map[string][]string)
	for _, r := range y.references(of) {
		y.writeGrowing(r.parent, count)
		ids := postgrestest.Query[[]string](y.t, y.Database, fmt.Sprintf("SELECT array_agg(id::text) FROM %s", r.parent.Declaration().Export.Table))
		for _, column := range r.columns {
			parents[column] = ids
		}
	}
	return y.write(of, y.newBatch(of, parents, count))
}

// reference is a type that another one refers to, and the columns that refer to it.
type reference struct {
	parent  entity.Type
	columns []string
}

func (y *freshDatabase) references(of entity.Type) []reference {
	y.t.Helper()
	name := of.Declaration().Name
	if found, ok := y.referencedIDs[name]; ok {
		return found
	}
	y.referencedIDs[name] = nil
	for _, parent := range catalog.New().Types() {
		if columns := y.foreignKeys(of, parent); len(columns) > 0 && parent.Declaration().Name != name {
			y.referencedIDs[name] = append(y.referencedIDs[name], reference{parent, columns})
		}
	}
	return y.referencedIDs[name]
}

// newBatch returns rows that continue the rows already written.
func (y *freshDatabase) newBatch(of entity.Type, parents map[string][]string, count int) *entity.Batch {
	y.t.Helper()
	d := of.Declaration()
	rows := make([][]string, count)
	var fields []string
	for i := range d.Fields {
		f := &d.Fields[i]
		fields = append(fields, f.Column)
		for n := range rows {
			rows[n] = append(rows[n], y.text(f, y.written[d.Name]+n, parents[f.Column]))
		}
	}
	y.written[d.Name] += count
	y.files++
	b := entitytest.Batch(y.t, of, d.Modes[0], y.files, fields, rows...)
	if d.Context != nil {
		b.Context = 11
	}
	return b
}

// text returns the suite's value, except for columns of whole files that name other rows.
func (y *freshDatabase) text(f *entity.Field, n int, parents []string) string {
	y.t.Helper()
	switch {
	case f.Name == "EVENT_CATEGORY_NAME":
		return "Open"
	case f.Name == "PARTICIPANT_ID":
		return fmt.Sprintf("registration-number-%d", n)
	case f.Name == "CUSTOM_LIST_2", f.Name == "CUSTOM_LIST_3": // each part reads whole lists
		n %= 7
	case f.Name == "TIME":
		return "0:30:00"
	case f.Kind == entity.Reference && len(parents) == 0:
		if y.candidates[f.Name] == 0 {
			y.candidates[f.Name] = y.candidate(f, 0, 1)
		}
		return fmt.Sprint(y.candidates[f.Name])
	}
	return y.value(f, n, 1, parents)
}

// write writes the rows in the same way as the steps.
func (y *freshDatabase) write(of entity.Type, b *entity.Batch) (read int64) {
	y.t.Helper()
	write := y.writer(of, b)
	y.session.maxRows = 0
	require.NoError(y.t, y.session.inOrganisation(y.t.Context(), 1, func(tx pgx.Tx) error {
		before := rowsRead(y.t, tx)
		err := entity.Bisect(y.t.Context(), tx, b, write, func(part *entity.Batch) error {
			for i := range part.Results {
				require.Equal(y.t, rowwrite.Created, part.Results[i].Outcome, "%v", part.Results[i])
			}
			return nil
		}, func(row int64, sqlState string) { y.t.Errorf("row %d was refused: %s", row, sqlState) })
		read = rowsRead(y.t, tx) - before
		if y.beforeCommit != nil {
			y.beforeCommit()
		}
		return err
	}))
	return read
}

func (y *freshDatabase) writer(of entity.Type, b *entity.Batch) func(context.Context, pgx.Tx, *entity.Batch) error {
	y.t.Helper()
	if writer, ok := of.(entity.RowWriter); ok {
		return writer.Write
	}
	settings, err := of.Declaration().ParseSettings(json.RawMessage(`{}`))
	require.NoError(y.t, err)
	if slices.ContainsFunc(of.Declaration().Options, func(o entity.Option) bool { return o.Name == "participantIdMode" }) {
		settings["participantIdMode"] = "regid"
	}
	pass, err := of.(entity.FileWriter).PrepareFile(&entity.File{Batch: b, Settings: settings})
	require.NoError(y.t, err)
	return func(ctx context.Context, tx pgx.Tx, part *entity.Batch) error {
		_, err := pass.WritePart(ctx, tx, part, nil)
		return err
	}
}

// rowsRead returns how many rows of all tables the session has read recently. It only grows
// within a transaction.
func rowsRead(t *testing.T, tx pgx.Tx) (n int64) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 FROM pg_stat_xact_user_tables`).Scan(&n))
	return n
}
