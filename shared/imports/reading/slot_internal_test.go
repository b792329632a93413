package reading

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

// A workbook of a megabyte can contain as much as a text file of many.
func TestWorkbooksCountAsLarge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		filename, dialect string
		bytes             int64
		want              bool
	}{
		"text":                        {"a.csv", "", LargeFile, true},
		"smaller text":                {"a.csv", "", LargeFile - 1, false},
		"workbook":                    {"A.XLSX", "", LargeWorkbook, true},
		"smaller workbook":            {"a.xlsx", "", LargeWorkbook - 1, false},
		"workbook with another name":  {"a.csv", `{"format":"xlsx"}`, LargeWorkbook, true},
		"text with a workbook's name": {"a.xlsx", `{"format":"csv"}`, LargeWorkbook, false},
	} {
		j := &job.Job{Filename: c.filename, SizeBytes: c.bytes, Dialect: json.RawMessage(c.dialect)}
		require.Equal(t, c.want, isLarge(j), name)
	}
}
