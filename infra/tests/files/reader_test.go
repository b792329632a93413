package files

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/console/reader/preview"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// readerCase is a file with the expected result of reading it.
type readerCase struct {
	Path     string          `json:"path"`
	Name     string          `json:"name"`
	Type     json.RawMessage `json:"type"`
	expected string
}

// TestBrowserReaderMatchesServer: for files of all kinds, and for files that are not
// spreadsheets, the reader that the console loads returns the same as the service's own.
// `make console` builds it.
func TestBrowserReaderMatchesServer(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node.js")
	}
	const script = "../../../console/reader/look.mjs"
	if _, err := os.Stat("../../../console/src/reader/reader.wasm.gz"); err != nil {
		t.Skip("needs the console's reader: run make console")
	}
	types := importTypes(t)
	var all []*readerCase
	for _, from := range sources() {
		for n := range 2 {
			f := from.edition(n + 1)
			all = append(all, newReaderCase(t, f.name, f.content, types[from.importType]))
		}
	}
	locked := append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 2000)...)
	for name, content := range map[string][]byte{
		"empty.csv": nil, "letter.pdf": []byte("%PDF-1.7 …"), "page.xls": []byte("<html><table>"), "broken.xlsx": []byte("PK\x03\x04 and nothing"),
		"old.xls": locked, "blank.csv": []byte("\n\n"), "other.csv": []byte("Teil;Preis\nBolzen;1\nMutter;2\n"),
	} {
		all = append(all, newReaderCase(t, name, content, types["MEMBERSHIP"]))
	}

	questions, err := json.Marshal(all)
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), node, script)
	c.Stdin, c.Stderr = bytes.NewReader(questions), os.Stderr
	output, err := c.Output()
	require.NoError(t, err)
	var answers []json.RawMessage
	require.NoError(t, json.Unmarshal(output, &answers))
	require.Len(t, answers, len(all))
	for i, f := range all {
		require.JSONEq(t, f.expected, string(answers[i]), f.Name)
	}
}

// importTypes returns the types by name, as the API describes them.
func importTypes(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	var listed []json.RawMessage
	require.NoError(t, stacktest.Start(t).Get(t.Context(), "/api/import-types", &listed))
	types := make(map[string]json.RawMessage)
	for _, text := range listed {
		var document struct{ Name string }
		require.NoError(t, json.Unmarshal(text, &document))
		types[document.Name] = text
	}
	return types
}

// newReaderCase stores a file together with the result of the service's reader.
func newReaderCase(t *testing.T, name string, content []byte, of json.RawMessage) *readerCase {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	var kind preview.Type
	require.NoError(t, json.Unmarshal(of, &kind))
	h, err := preview.Read(t.Context(), bytes.NewReader(content), name, &kind, sheet.DefaultLimits())
	document := map[string]any{"head": h}
	if err != nil {
		require.NotEqual(t, problem.Internal, problem.CodeOf(err), "%v", err)
		document = map[string]any{"fault": preview.ProblemOf(err)}
	}
	want, err := json.Marshal(document)
	require.NoError(t, err)
	return &readerCase{Path: path, Name: name, Type: of, expected: string(want)}
}
