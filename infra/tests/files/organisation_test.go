package files

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// organisation is an organisation that only gets the files of one source.
type organisation struct {
	*rawclient.Client
	context string // context of the imports, or ""
}

// requestsPerMinute is more than a test sends.
const requestsPerMinute = 600_000

// newOrganisation creates the organisation of a source, with the entities to which its files refer.
func newOrganisation(t *testing.T, s *stacktest.Stack, from source) *organisation {
	t.Helper()
	operator := s.Operator(t)
	create := func(path string, document map[string]any) int64 {
		var made struct{ ID int64 }
		require.NoError(t, operator.Post(t.Context(), path, document, &made))
		return made.ID
	}
	id := create("/api/admin/organisations", map[string]any{"name": from.name, "quotas": map[string]any{"requestsPerMinute": requestsPerMinute}})
	own := fmt.Sprintf("/api/admin/organisations/%d", id)
	o := &organisation{}
	switch {
	case from.types != nil:
		o.context = fmt.Sprint(create(own+"/periods", map[string]any{"name": "2026", "startsOn": "2026-01-01", "endsOn": "2026-12-31"}))
		for _, name := range from.types {
			create(own+"/membership-types", map[string]any{"name": name})
		}
	case from.categories != nil:
		o.context = fmt.Sprint(create(own+"/events", map[string]any{"name": "Race", "startsOn": "2026-06-07"}))
		for _, name := range from.categories {
			create(own+"/events/"+o.context+"/categories", map[string]any{"name": name})
		}
	}
	token, err := rawclient.LocalToken(t.Context(), "http://"+s.API, id)
	require.NoError(t, err)
	o.Client = rawclient.New("http://"+s.API, token)
	return o
}

// startImport starts an import of a file; more contains further fields of its form.
func (o *organisation) startImport(t *testing.T, from source, f file, more map[string]string) *rawclient.Job {
	t.Helper()
	fields := map[string]string{"importType": from.importType}
	maps.Copy(fields, more)
	if o.context != "" {
		fields["contextId"] = o.context
	}
	if from.mode != "" {
		fields["mode"] = from.mode
	}
	var j rawclient.Job
	require.NoError(t, o.PostForm(t.Context(), "POST", "/api/imports", f.name, f.content, fields, &j))
	return &j
}

// exportRows returns the organisation's rows, as exported.
func (o *organisation) exportRows(t *testing.T, from source) []row {
	t.Helper()
	count, exported, err := o.Stream(t.Context(), from.resource, "ndjson")
	require.NoError(t, err)
	var rows []row
	for lines := bufio.NewScanner(bytes.NewReader(exported)); lines.Scan(); {
		document := json.NewDecoder(strings.NewReader(lines.Text()))
		document.UseNumber()
		var values map[string]any
		require.NoError(t, document.Decode(&values))
		r := row{}
		for column, v := range values {
			if v != nil {
				r[column] = fmt.Sprint(v)
			}
		}
		for _, column := range from.other {
			delete(r, column)
		}
		rows = append(rows, r)
	}
	require.Len(t, rows, int(count))
	return sortRows(from.key, rows)
}
