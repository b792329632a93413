package reader

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// The containers of workbooks.
const (
	zipMagic = "PK\x03\x04"
	oleMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
)

// foreignSignatures are the signatures of files that are often sent instead of a spreadsheet, with
// their common names. A signature must not be a possible beginning of a table: PAR1 alone could be
// the first column of a golfer's table.
var foreignSignatures = []struct{ magic, name string }{
	{"%PDF-", "a PDF file"},
	{"\x1F\x8B", "a gzip archive"},
	{"PK\x05\x06", "an empty zip archive"},
	{"BZh91AY&SY", "a bzip2 archive"},
	{"\xFD7zXZ\x00", "an xz archive"},
	{"7z\xBC\xAF\x27\x1C", "a 7z archive"},
	{"Rar!\x1A\x07", "a RAR archive"},
	{"\x28\xB5\x2F\xFD", "a Zstandard archive"},
	{"\x89PNG\r\n\x1A\n", "a PNG image"},
	{"\xFF\xD8\xFF", "a JPEG image"},
	{"GIF87a", "a GIF image"},
	{"GIF89a", "a GIF image"},
	{"II*\x00", "a TIFF image"},
	{"MM\x00*", "a TIFF image"},
	{`{\rtf`, "an RTF document"},
	{"PAR1\x15", "a Parquet file"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"\x7FELF", "a program"},
}

// sniff detects the container of a file from its first bytes: XLSX for a zip archive, XLS for an
// OLE2 file, and CSV for anything that may be text. Files of other known types are rejected by
// name.
func sniff(src sheet.Source) (sheet.Format, error) {
	head, err := sheet.ReadRange(src, 0, min(src.Size(), 1024))
	if err != nil {
		return "", err
	}
	switch {
	case len(head) == 0:
		return "", problem.New(problem.FileEmpty, "The file is empty.")
	case bytes.HasPrefix(head, []byte(zipMagic)):
		return sheet.XLSX, nil
	case bytes.HasPrefix(head, []byte(oleMagic)):
		return sheet.XLS, nil
	}
	for _, s := range foreignSignatures {
		if bytes.HasPrefix(head, []byte(s.magic)) {
			return "", unsupportedError(s.name)
		}
	}
	if excel := isOldExcel(head); excel != "" {
		return "", problem.New(problem.UnsupportedFormat, "This is a workbook of %s. Open it in a spreadsheet program and save it as .xlsx.", excel)
	}
	if name := isMarkup(head); name != "" {
		return "", unsupportedError(name)
	}
	return sheet.CSV, nil
}

func unsupportedError(name string) error {
	return problem.New(problem.UnsupportedFormat,
		"This is %s, not a spreadsheet. Upload CSV, NDJSON, XLSX or XLS.", name)
}

// isOldExcel detects the first record of workbooks without a container, as in Excel 2 to 4, and
// returns the version of Excel. No text begins with it: its third and fourth byte would be control
// characters in any encoding.
func isOldExcel(head []byte) string {
	const least, most = 4, 16 // length of the record in bytes
	if len(head) < 4 || head[0] != 0x09 || head[2] < least || head[2] > most || head[3] != 0 {
		return ""
	}
	switch head[1] {
	case 0:
		return "Excel 2"
	case 2:
		return "Excel 3"
	case 4:
		return "Excel 4"
	case 8:
		return "Excel 5 or later without its container"
	}
	return ""
}

// isMarkup detects web pages and XML, which many programs write with a spreadsheet's file name.
func isMarkup(head []byte) string {
	b := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n"))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body", "<table", "<script", "<div"} {
		if bytes.HasPrefix(b, []byte(tag)) {
			return "a web page (HTML)"
		}
	}
	if bytes.HasPrefix(b, []byte("<?xml")) || bytes.HasPrefix(b, []byte("<workbook")) {
		return "an XML document"
	}
	return ""
}
