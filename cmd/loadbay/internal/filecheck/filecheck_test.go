package filecheck_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/filecheck"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

var goods = entity.Declaration{Name: "GOODS", Fields: []entity.Field{
	{Name: "NAME", Column: "name", Title: "Name", Required: true},
	{Name: "UNITS", Column: "units", Title: "Units", Kind: entity.Integer},
}}

// TestFooterIsReported: a check has the warning about last rows that an import has.
func TestFooterIsReported(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"Name,Units\nBolt,3\nNut,4\nTotal,7\n": {"FOOTER_LIKELY: from row 4 on, rows look like totals or notes; skipFooterRows 1 skips them"},
		"Name,Units\nBolt,3\nNut,4\n":          nil,
	} {
		in := filecheck.Input{Source: bytes.NewReader([]byte(file)), Name: "goods.csv", CreatedAt: time.Now(), Limits: sheet.DefaultLimits()}
		report, err := filecheck.File(t.Context(), &goods, in, func(job.RowResult) error { return nil }, func(int64) {})
		require.NoError(t, err)
		require.Equal(t, want, report.Warnings)
	}
}

// A check says that the import may match more columns only if one is unused or missing.
func TestImportMayMatchMore(t *testing.T) {
	t.Parallel()
	require.False(t, filecheck.MayMatchMore(&filecheck.Report{Warnings: []string{"UNIT_CONVERTED: x"}}, nil))
	require.True(t, filecheck.MayMatchMore(&filecheck.Report{Warnings: []string{`COLUMN_UNUSED: column "Vorname" with 2 values is not used`}}, nil))
	require.True(t, filecheck.MayMatchMore(nil, problem.New(problem.RequiredColumnMissing, "The file has no column for: First name.")))
	require.True(t, filecheck.MayMatchMore(nil, problem.New(problem.ColumnUnused, "The import is strict.")))
	require.False(t, filecheck.MayMatchMore(nil, problem.New(problem.FileEmpty, "The file is empty.")))
}
