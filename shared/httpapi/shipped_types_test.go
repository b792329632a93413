package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

var updateShipped = flag.Bool("update-shipped", false, "write testdata/shipped anew; clients rely on it, so only add to it")

// shippedRows creates one entity of each type, with all of its values.
const shippedRows = `
	INSERT INTO users (organisation_id, id, email, name, role, active, created_at, updated_at)
	VALUES (1, '00000000-0000-4000-8000-000000000001', 'ada@example.org', 'Ada "Countess" Lovelace', 'editor', false, '2026-01-02T03:04:05.678901Z', '2026-02-03T04:05:06Z');
	INSERT INTO articles (organisation_id, id, slug, title, description, body, author_id, tags, published_at, status, created_at, updated_at)
	VALUES (1, '00000000-0000-4000-8000-000000000002', 'first-of-may', 'First of May', NULL, E'Two\nlines, and a comma', '00000000-0000-4000-8000-000000000001',
		'{a,"b, c",d\"e}', '2026-05-01T00:00:00Z', 'archived', '2026-01-02T03:04:05Z', '2026-02-03T04:05:06Z');
	INSERT INTO comments (organisation_id, id, body, article_id, user_id, created_at)
	VALUES (1, '00000000-0000-4000-8000-000000000003', '=1+1', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', '2026-01-02T03:04:05Z');
	INSERT INTO events (organisation_id, id, name, starts_on) VALUES (1, 31, 'Night Swim', '2026-08-01');
	INSERT INTO event_categories (organisation_id, id, event_id, name) VALUES (1, 41, 31, 'Junior')`

// What clients of 0.1.0 see of the types that consist of one table stays as it is, byte by byte: their
// description, their template and their exports.
func TestShippedTypesStayTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, shippedRows)
	var listed []json.RawMessage
	require.NoError(t, json.Unmarshal(b.do(t, get("/api/import-types")).Body.Bytes(), &listed))
	descriptions := make(map[string]json.RawMessage)
	for _, description := range listed {
		var of struct{ Name string }
		require.NoError(t, json.Unmarshal(description, &of))
		descriptions[of.Name] = description
	}
	for name, resource := range map[string]string{
		"USER": "users", "ARTICLE": "articles", "COMMENT": "comments", "PERIOD": "periods", "EVENT": "events", "EVENT_CATEGORY": "event_categories",
	} {
		t.Run(name, func(t *testing.T) {
			requireShipped(t, name+".json", descriptions[name])
			requireShipped(t, name+".template.txt", workbookCells(t, b.do(t, get("/api/import-types/"+name+"/template.xlsx"))))
			for _, format := range []string{"csv", "ndjson"} {
				export := b.do(t, get("/v1/exports?resource="+resource+"&format="+format))
				require.Equal(t, http.StatusOK, export.Code, export.Body)
				requireShipped(t, name+".export."+format, export.Body.Bytes())
			}
		})
	}
}

// workbookCells returns the texts of all cells of all sheets.
func workbookCells(t *testing.T, answer apiResponse) []byte {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(answer.Body.Bytes()))
	require.NoError(t, err)
	var text bytes.Buffer
	for _, name := range book.GetSheetList() {
		rows, err := book.GetRows(name)
		require.NoError(t, err)
		fmt.Fprintf(&text, "[%s]\n", name)
		for _, row := range rows {
			fmt.Fprintln(&text, strings.Join(row, " | "))
		}
	}
	return text.Bytes()
}

// requireShipped compares with a file in testdata/shipped.
func requireShipped(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata/shipped", name)
	if *updateShipped {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), path)
}
