package reader

import (
	"path"
	"strings"

	"github.com/loadbay/loadbay/shared/sheet"
)

// FormatFromName is the format that a file's name promises; empty where the name
// promises none that Loadbay reads.
func FormatFromName(name string) sheet.Format {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv", ".tsv", ".tab", ".txt":
		return sheet.CSV
	case ".ndjson", ".jsonl":
		return sheet.NDJSON
	case ".xlsx", ".xlsm", ".xltx", ".xltm":
		return sheet.XLSX
	case ".xls", ".xlt":
		return sheet.XLS
	}
	return ""
}
