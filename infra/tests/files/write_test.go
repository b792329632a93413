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

var writeTo = flag.String("write", "", "the folder that the first file of each source is written to, for the console's tests")

// written is the first file of a source, what a person says of it, and what is kept then.
type written struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Types      []string        `json:"types"`
	Categories []string        `json:"categories"`
	File       string          `json:"file"`
	Mapping    json.RawMessage `json:"mapping"`
	Values     []value         `json:"values"`
	// Wrong is what stands in the one cell that is wrong, Right what a person writes there.
	Wrong string `json:"wrong"`
	Right string `json:"right"`
	// Resource is what exports call the type, Key and Other as source has them.
	Resource string   `json:"resource"`
	Key      string   `json:"key"`
	Other    []string `json:"other"`
	Rows     []row    `json:"rows"`
}

// TestWriteTheFiles writes the first file of each source, with one cell that is wrong,
// and sources.json with what is to be said of them.
func TestWriteTheFiles(t *testing.T) {
	t.Parallel()
	if *writeTo == "" {
		t.Skip("writes only where it is told to: -write FOLDER")
	}
	all := make([]written, 0, len(sources()))
	for _, from := range sources() {
		f := from.edition(1)
		s := from.mistake(f)
		require.NoError(t, os.WriteFile(filepath.Join(*writeTo, f.name), f.with(t, s), 0o600))
		all = append(all, written{
			Name: from.name, Type: from.importType, Types: from.types, Categories: from.categories, File: f.name, Mapping: json.RawMessage(from.mapping), Values: from.values,
			Wrong: s.wrong, Right: s.right, Resource: from.resource, Key: from.key, Other: from.other, Rows: state(from.key, f),
		})
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*writeTo, "sources.json"), text, 0o600))
}

// slip is a cell that somebody got wrong: what it should say as the file writes it, what
// it says, and what a person writes into its place.
type slip struct{ meant, wrong, right string }

// mistake is the slip of a source; where it has none of its own, the address in its fifth row.
func (s source) mistake(f file) slip {
	if s.slip != (slip{}) {
		return s.slip
	}
	address := f.rows[4]["email"]
	return slip{meant: address, wrong: strings.Replace(address, "@", " at ", 1), right: address}
}

// with is the file's content with a slip in it.
func (f file) with(t *testing.T, s slip) []byte {
	t.Helper()
	if strings.HasSuffix(f.name, ".xlsx") {
		return workbookWith(t, f.content, s)
	}
	meant, wrong := []byte(s.meant), []byte(s.wrong)
	if bytes.HasPrefix(f.content, []byte("\xff\xfe")) {
		plain := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
		meant, wrong = encoded(plain, meant), encoded(plain, wrong)
	}
	require.Contains(t, string(f.content), string(meant))
	return bytes.ReplaceAll(f.content, meant, wrong)
}

// workbookWith is a workbook's content with a slip in its one cell that says what is meant.
func workbookWith(t *testing.T, content []byte, s slip) []byte {
	t.Helper()
	w, err := excelize.OpenReader(bytes.NewReader(content))
	require.NoError(t, err)
	slipped := 0
	for _, sheet := range w.GetSheetList() {
		cells, err := w.SearchSheet(sheet, s.meant)
		require.NoError(t, err)
		for _, cell := range cells {
			require.NoError(t, w.SetCellStr(sheet, cell, s.wrong))
			slipped++
		}
	}
	require.Equal(t, 1, slipped)
	return workbook{w}.bytes()
}
