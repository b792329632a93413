package step_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/output/export"
)

// awkwardText are texts that careless file formats corrupt.
var awkwardText = []string{
	"plain", "=1+1", "+27 82 555", "-5", "@me", "'=quoted", "''-twice", "'it is", "a,b;c|d\te", `say "so"`, "line\nbreak", "crlf\r\nbreak",
	"é 😀 日本", "00123", "1e5", "TRUE", "2026-01-02", "_x000D_", "null", "#REF!", "[x", `["a"]`, "12345678901234567890", "x\u200by", "&lt;<b>",
}

// generatedValue returns the JSON value of row n for a field. Ids are the same in all types, so
// that each row's parents exist.
func generatedValue(f *entity.Field, n int) any {
	switch f.Kind {
	case entity.Email:
		return fmt.Sprintf("n%d@example.org", n)
	case entity.Enum:
		return f.Enum[n%len(f.Enum)]
	case entity.UUID:
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	case entity.Integer:
		return n - 3 + aboveMinimum(f)
	case entity.Decimal:
		return json.Number(fmt.Sprintf("%d.05", n-3+aboveMinimum(f)))
	case entity.Boolean:
		return n%2 == 0
	case entity.Date:
		return fmt.Sprintf("2001-02-%02d", n%28+1)
	case entity.Timestamp:
		return time.Date(2026, 2, n%28+1, 10, 20, 30, n%3*123456000, time.UTC).Format(time.RFC3339Nano)
	case entity.TextList:
		return [][]string{{}, {"one"}, {"a b", "c"}, {"p|q", "r"}, {"[x"}, {"=1", "2"}, {`"quoted"`, `back\slash`}}[n%7]
	case entity.Reference:
		return []string{"Senior", "Junior"}[n%2]
	}
	if f.Pattern != "" {
		for _, text := range []string{"row-%d", "4110%02d"} {
			if text = fmt.Sprintf(text, n); regexp.MustCompile(f.Pattern).MatchString(text) {
				return text
			}
		}
	}
	if !f.Required && n%5 == 0 {
		return nil
	}
	return fmt.Sprintf("%s %d", awkwardText[n%len(awkwardText)], n)
}

// aboveMinimum returns an offset that avoids the lower bound of a field.
func aboveMinimum(f *entity.Field) int {
	if f.Min == "" {
		return 0
	}
	return 4
}

// sample returns a file of generated rows of a type, as NDJSON.
func sample(t *testing.T, d *entity.Declaration) []byte {
	t.Helper()
	var file bytes.Buffer
	for n := range 60 {
		row := make(map[string]any)
		for i := range d.Fields {
			if f := &d.Fields[i]; f.Lookup == nil || f.Required {
				row[f.Column] = generatedValue(f, n)
			} else {
				row[f.Column] = "NA" // a country code
			}
		}
		line, err := json.Marshal(row)
		require.NoError(t, err)
		file.Write(append(line, '\n'))
	}
	return file.Bytes()
}

// importAll imports a file for an organisation; the context's id equals the organisation's id.
func (e *engine) importAll(t *testing.T, organisation tenant.ID, d *entity.Declaration, name string, file []byte) {
	t.Helper()
	now := time.Now()
	j := &job.Job{
		ID: job.ID(uuid.NewString()), OrganisationID: organisation, ImportType: d.Name, Mode: rowwrite.Insert, AutoStart: true, Filename: name,
		SizeBytes: int64(len(file)), RequestID: "test", UploadedAt: &now,
	}
	j.ObjectKey = "uploads/" + string(j.ID)
	if d.Context != nil {
		j.ContextID = (*int64)(&organisation)
	}
	require.NoError(t, e.Put(t.Context(), j.ObjectKey, "", file))
	require.NoError(t, e.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		_, err := e.DB.CreateJob(t.Context(), tx, j)
		return err
	}))
	e.prepare(t, job.Ref{JobID: j.ID, OrganisationID: organisation})
	e.drain(t, false)
	require.NoError(t, e.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) (err error) {
		j, err = e.DB.Job(t.Context(), tx, j.ID)
		return err
	}))
	require.Equal(t, job.Counts{Created: 60}, j.Progress.Counts, "%s", name)
}

// exportAll exports all rows of an organisation.
func (e *engine) exportAll(t *testing.T, organisation tenant.ID, d *entity.Declaration, format export.Format) []byte {
	t.Helper()
	selection, err := export.Select(d, nil, nil)
	require.NoError(t, err)
	var file bytes.Buffer
	w, err := export.NewWriter(format, &file, export.Fields(d, selection))
	require.NoError(t, err)
	require.NoError(t, e.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		n, err := export.WriteRows(t.Context(), tx, d, selection, w, func(int64) error { return nil })
		require.EqualValues(t, 60, n)
		return err
	}))
	require.NoError(t, w.Close())
	return file.Bytes()
}

// isContext reports whether rows of other types belong to a row of this type.
func isContext(d *entity.Declaration) bool {
	return slices.ContainsFunc(catalog.New().Types(), func(of entity.Type) bool {
		parent := of.Declaration().Context
		return parent != nil && parent.Table == d.Export.Table
	})
}

func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	for _, format := range export.Formats() {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 7)
			e.Exec(t, `INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (2, 2, '2026', '2026-01-01', '2026-12-31')`)
			e.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) VALUES (3, 2, 'Senior'), (4, 2, 'Junior')`)
			e.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Hill Climb'), (2, 2, 'Hill Climb')`)
			tried := 0
			for _, of := range catalog.New().Types() {
				d := of.Declaration()
				if _, rows := of.(entity.RowWriter); !rows || d.Export == nil || !slices.Contains(d.Modes, rowwrite.Insert) {
					continue
				}
				tried++
				e := e
				if isContext(d) { // so that the file creates all of them
					e = setup(t, 7)
					e.Exec(t, `DELETE FROM `+d.Export.Table)
				}
				e.importAll(t, 1, d, d.Resource+".ndjson", sample(t, d))
				before := e.exportAll(t, 1, d, export.NDJSON)
				e.importAll(t, 2, d, format.Filename(d.Resource), e.exportAll(t, 1, d, format))
				require.Equal(t, string(before), string(e.exportAll(t, 2, d, export.NDJSON)), d.Name)
			}
			require.GreaterOrEqual(t, tried, 4)
		})
	}
}
