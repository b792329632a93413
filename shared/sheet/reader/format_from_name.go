package reader

import (
	"path"
	"strings"

	"github.com/loadbay/loadbay/shared/sheet"
)

// FormatFromName returns the format that a file's name indicates, or "" if it indicates no supported
// one.
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
