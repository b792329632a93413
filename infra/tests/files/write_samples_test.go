package files

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"
)

var outputDir = flag.String("write", "", "the folder that the first file of each source is written to, for the console's tests")

// writtenSource is the first file of a source, with a person's decisions about it and the
// expected result.
type writtenSource struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Types      []string        `json:"types"`
	Categories []string        `json:"categories"`
	File       string          `json:"file"`
	Mapping    json.RawMessage `json:"mapping"`
	Values     []valueDecision `json:"values"`
	// Wrong is the content of the one invalid cell, Right is its correction.
	Wrong string `json:"wrong"`
	Right string `json:"right"`
	// Resource is the type's name in exports; Key and Other are as in source.
	Resource string   `json:"resource"`
	Key      string   `json:"key"`
	Other    []string `json:"other"`
	Rows     []row    `json:"rows"`
}

// TestWriteSamples writes the first file of each source, with one invalid cell,
// and sources.json with the decisions for them.
func TestWriteSamples(t *testing.T) {
	t.Parallel()
	if *outputDir == "" {
		t.Skip("writes samples only with -write FOLDER")
	}
	all := make([]writtenSource, 0, len(sources()))
	for _, from := range sources() {
		f := from.edition(1)
		s := from.typoOrDefault(f)
		require.NoError(t, os.WriteFile(filepath.Join(*outputDir, f.name), f.withTypo(t, s), 0o600))
		all = append(all, writtenSource{
			Name: from.name, Type: from.importType, Types: from.types, Categories: from.categories, File: f.name, Mapping: json.RawMessage(from.mapping), Values: from.values,
			Wrong: s.wrong, Right: s.correction, Resource: from.resource, Key: from.key, Other: from.other, Rows: expectedState(from.key, f),
		})
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*outputDir, "sources.json"), text, 0o600))
}

// typo is an invalid cell: its expected content as written in the file, its actual
// content, and the correction that a person enters.
type typo struct{ expected, wrong, correction string }

// typoOrDefault returns the typo of a source; by default, one in the e-mail address of the
// fifth row.
func (s source) typoOrDefault(f file) typo {
	if s.typo != (typo{}) {
		return s.typo
	}
	address := f.rows[4]["email"]
	return typo{expected: address, wrong: strings.Replace(address, "@", " at ", 1), correction: address}
}

// withTypo returns the file's content with the typo.
func (f file) withTypo(t *testing.T, s typo) []byte {
	t.Helper()
	if strings.HasSuffix(f.name, ".xlsx") {
		return replaceCell(t, f.content, s)
	}
	meant, wrong := []byte(s.expected), []byte(s.wrong)
	if bytes.HasPrefix(f.content, []byte("\xff\xfe")) {
		plain := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
		meant, wrong = encodeText(plain, meant), encodeText(plain, wrong)
	}
	require.Contains(t, string(f.content), string(meant))
	return bytes.ReplaceAll(f.content, meant, wrong)
}

// replaceCell returns a workbook's content with the typo in the one cell that has the expected text.
func replaceCell(t *testing.T, content []byte, s typo) []byte {
	t.Helper()
	w, err := excelize.OpenReader(bytes.NewReader(content))
	require.NoError(t, err)
	slipped := 0
	for _, sheet := range w.GetSheetList() {
		cells, err := w.SearchSheet(sheet, s.expected)
		require.NoError(t, err)
		for _, cell := range cells {
			require.NoError(t, w.SetCellStr(sheet, cell, s.wrong))
			slipped++
		}
	}
	require.Equal(t, 1, slipped)
	return workbook{w}.bytes()
}
