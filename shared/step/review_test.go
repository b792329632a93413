package step_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// analyzeColumns analyses a file and returns the next state of its import, and its columns.
func (e *engine) analyzeColumns(t *testing.T, importType, file string, review job.Review) (next string, columns []job.MappedColumn) {
	t.Helper()
	ref := e.create(t, importType, "file.csv", file, func(j *job.Job) {
		j.AutoStart, j.Review = false, review
		if importType == "MEMBERSHIP" {
			j.ContextID = new(int64(1))
		}
	})
	result, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		columns, err = e.DB.ColumnMappings(t.Context(), tx, e.job(t, ref).Key)
		return err
	}))
	return result.Next, columns
}

const (
	nextColumns = "COLUMN_MAPPING"
	nextResolve = "RESOLVE"
)

func TestWhenColumnsAreReviewed(t *testing.T) {
	t.Parallel()
	const people = "anna@example.org,Anna\nben@example.org,Ben\ncleo@example.org,Cleo\n"
	e := setup(t, 100)
	for name, c := range map[string]struct {
		file   string
		review job.Review
		next   string
	}{
		"field names as headers":                   {"Email,Name\n" + people, "", nextResolve},
		"field names as headers, review always":    {"Email,Name\n" + people, job.ReviewAlways, nextColumns},
		"aliases as headers":                       {"E-mail,Full name\n" + people, "", nextResolve},
		"headers in another language":              {"Courriel,Nom complet\n" + people, "", nextResolve},
		"a misspelling":                            {"Emial,Name\n" + people, "", nextColumns},
		"misspelt header, review never":            {"Emial,Name\n" + people, job.ReviewNever, nextResolve},
		"required field without a column":          {"Email\nanna@example.org\n", "", nextColumns},
		"unknown column":                           {"Email,Name,Rank\n" + strings.ReplaceAll(people, "\n", ",Captain\n"), "", nextColumns},
		"unknown column, review never":             {"Email,Name,Rank\n" + strings.ReplaceAll(people, "\n", ",Captain\n"), job.ReviewNever, nextResolve},
		"unknown empty column":                     {"Email,Name,Rank\n" + strings.ReplaceAll(people, "\n", ",\n"), "", nextResolve},
		"column of dates":                          {"Email,Name,Seen\n" + strings.ReplaceAll(people, "\n", ",2024-01-02\n"), "", nextColumns},
		"column of URLs without a field":           {"Email,Name,Homepage\n" + strings.ReplaceAll(people, "\n", ",https://example.org\n"), "", nextResolve},
		"names in the e-mail column":               {"Name,Email\n" + people, "", nextColumns},
		"names in the e-mail column, review never": {"Name,Email\n" + people, job.ReviewNever, nextResolve},
		"single invalid row":                       {"Email,Name\nnot an address,Anna\n", "", nextResolve},
	} {
		next, columns := e.analyzeColumns(t, "USER", c.file, c.review)
		require.Equal(t, c.next, next, name)
		for _, column := range columns {
			if next == nextResolve {
				require.True(t, column.Confirmed, "%s: column %s is confirmed", name, column.Header)
				require.NotEqual(t, job.Unresolved, column.Status, "%s: %s", name, column.Header)
			}
		}
	}
}

func TestColumnContentIsDescribed(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	var file strings.Builder
	file.WriteString("Vorname,Nachname,X1,X2,Sex,X3,Mitgliedsart,Notiz,Leer\n")
	for _, row := range []string{
		"Anna,Ash,anna@example.org,+49 30 1234567,f,Deutschland,Senior,spielt gern,",
		"Ben,Beech,ben@example.org,+49 30 7654321,m,Frankreich,Junior,,",
		"Cleo,Cedar,cleo@example.org,030/9876543,f,Niederlande,Senior,kommt 2027 wieder,",
		"Dora,Date,dora@example.org,(030) 5554443,f,Polen,Senior,,",
	} {
		file.WriteString(row + "\n")
	}
	next, columns := e.analyzeColumns(t, "MEMBERSHIP", file.String(), "")
	require.Equal(t, nextColumns, next)
	by := make(map[string]job.MappedColumn)
	for _, c := range columns {
		by[c.Header] = c
	}
	for header, want := range map[string]struct {
		field string
		by    job.MatchedBy
		kind  string
	}{
		"Vorname":      {"FIRST_NAME", job.ByAlias, "text"},
		"X1":           {"EMAIL", job.ByContent, "email"},
		"X2":           {"PHONE", job.ByContent, "phone"},
		"Sex":          {"GENDER", job.ByAlias, "text"},
		"X3":           {"ID_COUNTRY", job.ByContent, "country"},
		"Mitgliedsart": {"MEMBERSHIP_TYPE_ID", job.ByAlias, "text"},
		"Notiz":        {"", "", "text"},
		"Leer":         {"", "", ""},
	} {
		c := by[header]
		require.Equal(t, want.field, c.TargetField, header)
		require.Equal(t, want.by, c.MatchedBy, header)
		require.Equal(t, want.kind, c.Content.Kind, header)
		require.Equal(t, int64(4), c.Content.Rows, header)
		if want.by == job.ByContent {
			require.InDelta(t, 0.7, c.Confidence, 1e-6)
			require.Equal(t, want.field, c.Content.Candidates[0].Field, header)
			require.Equal(t, job.ByContent, c.Content.Candidates[0].Reason, header)
		}
	}
	require.InDelta(t, 0.5, by["Notiz"].Content.FillRate(), 1e-9)
	require.Equal(t, int64(2), by["Notiz"].Content.Distinct)
	require.Zero(t, by["Leer"].Content.FillRate())
	require.Equal(t, int64(2), by["Mitgliedsart"].Content.Distinct)
	require.Equal(t, []string{"+49 30 1234567", "030/9876543", "(030) 5554443"}, by["X2"].Samples, "samples have different formats")
}

// A header whose values cannot be read as the field is asked about; without questions it holds with a
// warning, and a strict import fails.
func TestValuesContradictExactHeader(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	const file = "ID,Name,Email\n31,Anna,a@example.org\n32,Ben,b@example.org\n33,Cleo,c@example.org\n"
	next, columns := e.analyzeColumns(t, "USER", file, job.ReviewUnsure)
	require.Equal(t, nextColumns, next)
	require.Equal(t, []string{"COLUMN_CONTENT"}, columns[0].Content.Warnings)

	warnings, _ := e.prepareCounted(t, file, "")
	require.Contains(t, warnings, `COLUMN_CONTENT: column "ID" is used for Id, but hardly any of its values is valid for it`)

	ref := e.create(t, "USER", "file.csv", file, func(j *job.Job) { j.StatedOptions.Strict = new(true) })
	_, err := e.analyze.Run(t.Context(), ref)
	require.Equal(t, problem.ColumnContent, problem.CodeOf(err))
}

// In an import without questions, values alone match no column. They outweigh a merely similar
// header if the import then fails, but not if the column would be silently left out.
func TestValuesDecideNothingWithoutReview(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	_, columns := e.analyzeColumns(t, "USER", "Name,Email,Actve\nAnna,a@example.org,blue\nBen,b@example.org,green\nCleo,c@example.org,red\n", job.ReviewNever)
	require.Equal(t, "ACTIVE", columns[2].TargetField, "rows with invalid values report errors")
	next, columns := e.analyzeColumns(t, "USER", "Name,Email,Actve\nAnna,a@example.org,blue\nBen,b@example.org,green\nCleo,c@example.org,red\n", "")
	require.Equal(t, nextColumns, next)
	require.Empty(t, columns[2].TargetField)

	ref := e.create(t, "USER", "file.csv", "Name,Emial\nAnna,1\nBen,2\nCleo,3\n", nil)
	_, err := e.analyze.Run(t.Context(), ref)
	require.Equal(t, problem.RequiredColumnMissing, problem.CodeOf(err), "a missing required field is reported")
	ref = e.create(t, "USER", "file.csv", "Name,Kontakt\nAnna,a@example.org\nBen,b@example.org\nCleo,c@example.org\n", nil)
	_, err = e.analyze.Run(t.Context(), ref)
	require.Equal(t, problem.RequiredColumnMissing, problem.CodeOf(err))
}
