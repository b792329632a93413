package step_test

import (
	"fmt"
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

// unusedLate returns a file of USER, whose unused columns have values only after the rows that the
// analysis samples.
func unusedLate(rows int) string {
	var file strings.Builder
	file.WriteString("Name,Email,Role,Shoe,Hat,Padding\n")
	for i := range rows {
		shoe := ""
		if i >= rows-3 {
			shoe = "42"
		}
		fmt.Fprintf(&file, "Ann,a%d@example.org,admin,%s,,%s\n", i, shoe, strings.Repeat("x", 4000))
	}
	return file.String()
}

// asUTF16 returns an ASCII text in UTF-16, which is cut into packs.
func asUTF16(text string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, c := range []byte(text) {
		b.Write([]byte{c, 0})
	}
	return b.String()
}

// TestUnusedValuesAreCountedWithoutAnotherRead in an unattended import, whether its file is cut into
// byte ranges or packs.
func TestUnusedValuesAreCountedWithoutAnotherRead(t *testing.T) {
	t.Parallel()
	e := setup(t, 500)
	for name, file := range map[string]string{"byte ranges": unusedLate(1500), "packs": asUTF16(unusedLate(500))} {
		t.Run(name, func(t *testing.T) {
			warnings, read := e.prepareCounted(t, file, `{"fields":[],"ignore":["Shoe","Hat","Padding"]}`)
			require.Empty(t, warnings)
			warnings, same := e.prepareCounted(t, file, "")
			require.Equal(t, read, same, "counting the values reads nothing more than ignoring the columns")
			require.Len(t, warnings, 2)
			require.Equal(t, `COLUMN_UNUSED: column "Shoe" with 3 values is not used`, warnings[0])
		})
	}
}

// prepareCounted prepares an unattended import, and returns its warnings and how many bytes of its
// file were read.
func (e *engine) prepareCounted(t *testing.T, file, mapping string) (warnings []string, read int64) {
	t.Helper()
	ref := e.create(t, "USER", "users.csv", file, nil)
	if mapping != "" {
		e.saveMapping(t, ref, mapping)
	}
	e.prepare(t, ref)
	j := e.job(t, ref)
	return j.WarningCodes, e.BytesRead(j.ObjectKey)
}

// TestLateValuesFailBeforeAnyRow: a strict import, or one with two columns of a field, fails although
// the first value comes after the rows that the analysis reads.
func TestLateValuesFailBeforeAnyRow(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	strict := func(j *job.Job) { j.StatedOptions.Strict = new(true) }
	late := strings.ReplaceAll(unusedLate(300), ","+strings.Repeat("x", 4000), ",")
	for name, c := range map[string]struct {
		file   string
		change func(*job.Job)
		code   problem.Code
	}{
		"strict":  {late, strict, problem.ColumnUnused},
		"doubled": {strings.NewReplacer("Role", "Unknown", "Shoe", "Role", "Hat", "Role").Replace(late), nil, problem.ColumnAmbiguous},
	} {
		ref := e.create(t, "USER", "users.csv", c.file, c.change)
		_, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err, name)
		_, err = e.resolve.Run(t.Context(), ref)
		require.NoError(t, err, name)
		require.Equal(t, c.code, problem.CodeOf(e.split.Run(t.Context(), ref)), name)
		require.Empty(t, e.queued, name)
	}
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

// TestFooterIsWarnedInFilesNotReadToTheirEnd: nobody is asked, and the first rows decide how the
// others are read. The last rows are seen when the file is cut, which reads nothing more for it.
func TestFooterIsWarnedInFilesNotReadToTheirEnd(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	body := func(header, row string, rows int) string {
		var b strings.Builder
		b.WriteString(header)
		for i := range rows {
			fmt.Fprintf(&b, row, i+1)
		}
		return b.String()
	}
	people := body("Name,Email,Role,Padding\n", "Ann,a%d@example.org,admin,"+strings.Repeat("x", 3000)+"\n", 300)
	const footer = "Total,300,,\n"
	for name, file := range map[string]string{"byte ranges": people, "packs": asUTF16(people)} {
		t.Run(name, func(t *testing.T) {
			end := footer
			if name == "packs" {
				end = asUTF16(footer)[2:]
			}
			mapping := `{"fields":[],"ignore":["Padding"]}`
			warnings, _ := e.prepareCounted(t, file, mapping)
			require.Empty(t, warnings)
			warnings, _ = e.prepareCounted(t, file+end, mapping)
			require.Equal(t, []string{"FOOTER_LIKELY: from row 302 on, rows look like totals or notes; skipFooterRows 1 skips them"}, warnings)
		})
	}
	t.Run("whole file", func(t *testing.T) {
		race := setupRace(t)
		file := body("Category,Sequence,Participant id\n", "Elite,%d,11\n", 200)
		ref := race.createInEvent(t, "RESULT", file+"End of list,,\n", `{}`)
		race.runWhole(t, ref, 1000)
		require.Contains(t, race.job(t, ref).WarningCodes, "FOOTER_LIKELY: from row 202 on, rows look like totals or notes; skipFooterRows 1 skips them")
	})
}
