package entitytest_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// rowCount is the number of rows that the suite writes for each type.
const rowCount = 25

// fixture contains the data that types need in addition to rows of other types: the contexts,
// with id 11 in organisation 1 and 22 in organisation 2, the targets of references, and the jobs
// of the rows. The last job belongs to organisation 2.
const fixture = `
	INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on)
	VALUES (11, 1, '2026', '2026-01-01', '2026-12-31'), (22, 2, '2026', '2026-01-01', '2026-12-31');
	INSERT INTO membership_types (id, organisation_id, name)
	VALUES (1, 1, 'Adult'), (2, 1, 'Junior'), (3, 2, 'Adult');
	INSERT INTO events (id, organisation_id, name) VALUES (11, 1, 'Race'), (22, 2, 'Race');
	INSERT INTO import_jobs (id, uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, request_id)
	OVERRIDING SYSTEM VALUE
	SELECT n, gen_random_uuid(), CASE n WHEN 8 THEN 2 ELSE 1 END, 'TEST', 'insert', 'test', 'test', 1, 'test' FROM generate_series(1, 8) AS n`

// suite writes generated rows of every type.
type suite struct {
	*postgrestest.Database
	t *testing.T
}

func newSuite(t *testing.T) *suite {
	t.Helper()
	s := &suite{postgrestest.Setup(t), t}
	s.Exec(t, fixture)
	return s
}

// forEachRowType runs a test for each type that writes rows.
func forEachRowType(t *testing.T, test func(*testing.T, *suite, entity.RowWriter)) {
	t.Helper()
	forEachType(t, func(t *testing.T, of entity.Type) {
		if writer, ok := of.(entity.RowWriter); ok && of.Declaration().Export != nil {
			test(t, newSuite(t), writer)
		}
	})
}

// rows generates rows of a type for an organisation, from the type's declaration.
func (s *suite) rows(of entity.RowWriter, organisation tenant.ID) (fields []string, rows [][]string) {
	s.t.Helper()
	d := of.Declaration()
	parents := s.parents(of, organisation)
	rows = make([][]string, rowCount)
	for i := range d.Fields {
		f := &d.Fields[i]
		fields = append(fields, f.Column)
		for n := range rows {
			rows[n] = append(rows[n], s.value(f, n, organisation, parents[f.Column]))
		}
	}
	return fields, rows
}

// parents returns existing ids for the columns that are foreign keys to a table of another
// type: it writes rows of that type.
func (s *suite) parents(of entity.RowWriter, organisation tenant.ID) map[string][]string {
	s.t.Helper()
	ids := make(map[string][]string)
	for _, parent := range catalog.New().Types() {
		writer, ok := parent.(entity.RowWriter)
		d := parent.Declaration()
		if !ok || d.Export == nil || d.Name == of.Declaration().Name {
			continue
		}
		columns := s.foreignKeys(of, parent)
		if len(columns) == 0 {
			continue
		}
		read := fmt.Sprintf("SELECT coalesce(array_agg(id::text), '{}') FROM %s WHERE organisation_id = $1", d.Export.Table)
		if len(postgrestest.Query[[]string](s.t, s.Database, read, organisation)) == 0 {
			s.write(writer, rowwrite.Insert, 1, organisation)
		}
		for _, column := range columns {
			ids[column] = postgrestest.Query[[]string](s.t, s.Database, read, organisation)
		}
	}
	return ids
}

// foreignKeys returns the columns of a type's table that are foreign keys to the
// parent's table.
func (s *suite) foreignKeys(of, parent entity.Type) []string {
	s.t.Helper()
	return postgrestest.Query[[]string](s.t, s.Database, `
		SELECT coalesce(array_agg(a.attname::text), '{}')
		FROM pg_constraint AS c
		JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'organisation_id'
		WHERE c.contype = 'f' AND c.conrelid = $1::regclass AND c.confrelid = $2::regclass`,
		of.Declaration().Export.Table, parent.Declaration().Export.Table)
}

// value returns the text of a field in row n.
func (s *suite) value(f *entity.Field, n int, organisation tenant.ID, parents []string) string {
	s.t.Helper()
	if len(parents) > 0 {
		return parents[n%len(parents)]
	}
	switch f.Kind {
	case entity.Email:
		return fmt.Sprintf("n%d@example.org", n)
	case entity.Enum:
		return f.Enum[n%len(f.Enum)]
	case entity.UUID:
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", n+1)
	case entity.Integer:
		return strconv.Itoa(n + 1)
	case entity.Decimal:
		return fmt.Sprintf("%d.25", n)
	case entity.Boolean:
		return strconv.FormatBool(n%2 == 0)
	case entity.Date:
		return fmt.Sprintf("2001-02-%02d", n%28+1)
	case entity.Timestamp:
		return fmt.Sprintf("2026-02-%02dT10:20:30.123456Z", n%28+1)
	case entity.TextList:
		return fmt.Sprintf(`{"tag %d","b|c"}`, n)
	case entity.Reference:
		return strconv.FormatInt(s.candidate(f, n, organisation), 10)
	}
	text := fmt.Sprintf("%s-%d", regexp.MustCompile(`[^a-z]`).ReplaceAllString(f.Column, "-"), n)
	if code := fmt.Sprintf("4%05d", n); !regexp.MustCompile(f.Pattern).MatchString(text) {
		text = code
	}
	require.Regexp(s.t, f.Pattern, text, "the suite cannot generate a value for the pattern of %s", f.Name)
	return text
}

func (s *suite) candidate(f *entity.Field, n int, organisation tenant.ID) (id int64) {
	s.t.Helper()
	require.NoError(s.t, s.DB.InOrganisation(context.Background(), organisation, func(tx pgx.Tx) error {
		found, err := entity.Candidates(context.Background(), tx, f.Lookup, int64(organisation)*11)
		if err == nil {
			require.NotEmpty(s.t, found)
			id = found[n%len(found)].ID
		}
		return err
	}))
	return id
}

// write writes generated rows and returns their outcomes.
func (s *suite) write(of entity.RowWriter, mode rowwrite.Mode, source int64, organisation tenant.ID) []string {
	s.t.Helper()
	fields, rows := s.rows(of, organisation)
	b := entitytest.Batch(s.t, of, mode, source, fields, rows...)
	b.Organisation = organisation
	if of.Declaration().Context != nil {
		b.Context = int64(organisation) * 11
	}
	require.NoError(s.t, s.DB.InOrganisation(context.Background(), organisation, func(tx pgx.Tx) error {
		return of.Write(context.Background(), tx, b)
	}))
	return entitytest.Outcomes(b)
}

// count returns how many rows of the type the organisation sees, without those of the fixture.
func (s *suite) count(of entity.Type, organisation tenant.ID) (n int64) {
	s.t.Helper()
	require.NoError(s.t, s.DB.InOrganisation(context.Background(), organisation, func(tx pgx.Tx) (err error) {
		n, err = entity.Count(context.Background(), tx, of.Declaration(), entity.Selection{}, 1000)
		return err
	}))
	switch of.Declaration().Name {
	case "PERIOD", "EVENT": // context of other types
		n--
	}
	return n
}

func allTypes(word string) []string { return slices.Repeat([]string{word}, rowCount) }

func TestRowsCreatedOnceThenUpdated(t *testing.T) {
	t.Parallel()
	forEachRowType(t, func(t *testing.T, s *suite, of entity.RowWriter) {
		require.Equal(t, allTypes("created"), s.write(of, of.Declaration().Modes[0], 5, 1))
		require.EqualValues(t, rowCount, s.count(of, 1))
		if of.Declaration().Allows(rowwrite.Insert) {
			for _, word := range s.write(of, rowwrite.Insert, 6, 1) {
				require.NotContains(t, []string{"created", "updated"}, word, "a second import of the same rows changes nothing")
			}
		}
		if of.Declaration().Allows(rowwrite.Upsert) {
			require.Equal(t, allTypes("updated"), s.write(of, rowwrite.Upsert, 7, 1))
		}
		require.EqualValues(t, rowCount, s.count(of, 1))
	})
}

func TestOrganisationIsolation(t *testing.T) {
	t.Parallel()
	forEachRowType(t, func(t *testing.T, s *suite, of entity.RowWriter) {
		s.write(of, of.Declaration().Modes[0], 5, 1)
		require.Zero(t, s.count(of, 2))
		require.Equal(t, allTypes("created"), s.write(of, of.Declaration().Modes[0], 8, 2), "the keys of organisation 1 are unused in organisation 2")
		require.EqualValues(t, rowCount, s.count(of, 1))
		require.EqualValues(t, rowCount, s.count(of, 2))
	})
}
