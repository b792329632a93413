package step_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// TestUnusedColumnWithValuesIsWarned: the values may come long after the first rows.
func TestUnusedColumnWithValuesIsWarned(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	header := strings.Replace(orderHeader, "codAmount", "Cash to collect", 1)
	var file strings.Builder
	file.WriteString(header)
	for i := range 120 {
		line := strings.Replace(orderLine("A-"+strings.Repeat("x", i+1), 1), ",1500,0,", ",1500,,", 1)
		if i >= 118 {
			line = strings.Replace(line, ",1500,,", ",1500,750,", 1)
		}
		file.WriteString(line)
	}
	ref := e.orders(t, file.String(), false)
	require.Equal(t, []string{`COLUMN_UNUSED: column "Cash to collect" with 2 values is not used`}, e.job(t, ref).WarningCodes)
}

// TestIgnoredColumnIsNotWarned: a column without values loses nothing, and one that the mapping
// ignores is ignored on purpose.
func TestIgnoredColumnIsNotWarned(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.create(t, "USER", "users.csv", "Name,Email,Shoe,Hat\nAnn,a@example.org,42,\n", nil)
	e.saveMapping(t, ref, `{"fields":[],"ignore":["Shoe"]}`)
	e.prepare(t, ref)
	require.Empty(t, e.job(t, ref).WarningCodes)
}

// TestStrictImportRefusesUnusedColumns: the option of the request precedes the organisation's
// default. Nothing is written, and a mapping that ignores the column is the cure.
func TestStrictImportRefusesUnusedColumns(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	const file = "Name,Email,Shoe,Hat\nAnn,a@example.org,42,\n"
	strict, lax := job.StoredOptions{Strict: new(true)}, job.StoredOptions{Strict: new(false)}
	ref := e.create(t, "USER", "users.csv", file, func(j *job.Job) { j.OptionDefaults = strict })
	_, err := e.analyze.Run(t.Context(), ref)
	require.Equal(t, problem.ColumnUnused, problem.CodeOf(err))
	require.NotContains(t, err.Error(), "Shoe", "logs contain no text of files")
	var refused *problem.Error
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Message, `"Shoe" (1 value)`)

	ref = e.create(t, "USER", "users.csv", file, func(j *job.Job) { j.StatedOptions, j.OptionDefaults = lax, strict })
	e.prepare(t, ref)
	require.Len(t, e.job(t, ref).WarningCodes, 1)

	ref = e.create(t, "USER", "users.csv", file, func(j *job.Job) { j.StatedOptions = strict })
	e.saveMapping(t, ref, `{"fields":[],"ignore":["Shoe"]}`)
	e.prepare(t, ref)
	require.Empty(t, e.job(t, ref).WarningCodes)
}

// TestStrictImportAsks about unused columns if a person can be asked.
func TestStrictImportAsks(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	for strict, next := range map[bool]string{true: nextColumns, false: nextResolve} {
		ref := e.create(t, "USER", "users.csv", "Email,Name,Homepage\n"+strings.Repeat("anna@example.org,Anna,https://example.org\n", 3), func(j *job.Job) {
			j.AutoStart, j.Review, j.StatedOptions.Strict = false, job.ReviewUnsure, &strict
		})
		result, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, next, result.Next)
	}
}

// TestTwoColumnsOfOneFieldFail: nobody can be asked which of them is meant, and without a decision
// both would be dropped.
func TestTwoColumnsOfOneFieldFail(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	for header, field := range map[string]string{"email,name,role,role": "Role", "email,name,name,role": "Name"} {
		ref := e.create(t, "USER", "users.csv", header+"\nz@example.org,admin,admin,admin\n", nil)
		_, err := e.analyze.Run(t.Context(), ref)
		require.Equal(t, problem.ColumnAmbiguous, problem.CodeOf(err), header)
		name := strings.ToLower(field)
		require.ErrorContains(t, err, `"`+name+`", "`+name+`#2"`, header)
		require.ErrorContains(t, err, field, header)
	}
	ref := e.create(t, "USER", "users.csv", "email,name,role,role\nz@example.org,N,,\n", nil)
	e.prepare(t, ref)
	require.Empty(t, e.job(t, ref).WarningCodes, "neither column has a value")
}

// TestTwoColumnsOfOneFieldAreAsked also if only unsure columns are.
func TestTwoColumnsOfOneFieldAreAsked(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	next, columns := e.analyzeColumns(t, "USER", "email,name,role,role\nz@example.org,N,admin,admin\n", job.ReviewUnsure)
	require.Equal(t, nextColumns, next)
	require.Equal(t, "ROLE", columns[2].Content.Contested)
	require.Equal(t, "ROLE", columns[3].Content.Contested)
}
