package files

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var writeTo = flag.String("write", "", "the folder that the first file of each source is written to, for the console's tests")

// written is the first file of a source, and what a person says of it.
type written struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Categories []string        `json:"categories"`
	File       string          `json:"file"`
	Rows       int             `json:"rows"`
	Mapping    json.RawMessage `json:"mapping"`
	Values     []value         `json:"values"`
	// Wrong is the text of the one cell that is wrong, Right what it should be; empty where
	// the file has no such cell.
	Wrong string `json:"wrong"`
	Right string `json:"right"`
}

// TestWriteTheFiles writes the first file of each source, with one cell that is wrong
// where its text can be told from the others, and sources.json with what is to be said.
// One organisation takes all of them there: people have other addresses in each.
func TestWriteTheFiles(t *testing.T) {
	t.Parallel()
	if *writeTo == "" {
		t.Skip("writes only where it is told to: -write FOLDER")
	}
	all := make([]written, 0, len(sources()))
	for i, from := range sources() {
		f := from.edition(1)
		domain := fmt.Sprintf("@s%d.", i)
		w := written{Name: from.name, Type: from.importType, Categories: from.categories, File: f.name, Rows: len(f.rows), Mapping: json.RawMessage(from.mapping), Values: from.values}
		content := f.content
		if address := f.rows[4]["email"]; address != "" && bytes.Count(content, []byte(address)) == 1 { // text
			content = bytes.ReplaceAll(content, []byte("@"), []byte(domain))
			w.Right, w.Wrong = strings.Replace(address, "@", domain, 1), strings.Replace(address, "@", " at ", 1)
			content = bytes.Replace(content, []byte(w.Right), []byte(w.Wrong), 1)
		}
		require.NoError(t, os.WriteFile(filepath.Join(*writeTo, f.name), content, 0o600))
		all = append(all, w)
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*writeTo, "sources.json"), text, 0o600))
}
