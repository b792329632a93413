package files

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// answering is a person who answers what an import asks, each thing once.
type answering struct {
	*organisation
	from source
	told map[string]bool // what has been said
}

// once fails the test if that has been said already.
func (a *answering) once(t *testing.T, what string) {
	t.Helper()
	require.False(t, a.told[what], "asked again: %s", what)
	a.told[what] = true
}

// through answers until the import has ended.
func (a *answering) through(t *testing.T, id string) *rawclient.Job {
	t.Helper()
	for {
		j := stacktest.Until(t, a.Client, id, func(j *rawclient.Job) bool { return j.Ended() || asks(j) })
		switch j.WaitingFor {
		case "COLUMN_MAPPINGS":
			a.columns(t, id)
		case "CELL_MAPPINGS":
			a.values(t, id)
		default:
			return j
		}
	}
}

// asks reports whether an import waits for a person.
func asks(j *rawclient.Job) bool {
	return j.WaitingFor == "COLUMN_MAPPINGS" || j.WaitingFor == "CELL_MAPPINGS"
}

// columns says how the file is to be read, and, once it is, what its columns are.
func (a *answering) columns(t *testing.T, id string) {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(a.from.mapping), &m))
	if m["source"] != nil && !a.told["source"] {
		a.once(t, "source")
		a.say(t, http.MethodPatch, "/api/imports/"+id+"/source", m["source"])
		return
	}
	a.once(t, "columns")
	delete(m, "source")
	a.say(t, http.MethodPut, "/api/imports/"+id+"/mapping", m)
	a.say(t, http.MethodPost, "/api/imports/"+id+"/column-mappings/confirm", nil)
}

// values says what those values stand for that are open.
func (a *answering) values(t *testing.T, id string) {
	t.Helper()
	path := "/api/imports/" + id + "/cell-mappings"
	var asked []struct {
		ID                               int64
		TargetField, SourceValue, Status string
	}
	require.NoError(t, a.Get(t.Context(), path, &asked))
	var said []map[string]any
	for _, v := range asked {
		if v.Status != "UNRESOLVED" {
			continue
		}
		a.once(t, v.TargetField+" "+v.SourceValue)
		answer := a.from.decision(t, v.TargetField, v.SourceValue)
		answer["id"] = v.ID
		said = append(said, answer)
	}
	require.NotEmpty(t, said, "asked about values, of which none is open")
	a.say(t, http.MethodPut, path, said)
	a.say(t, http.MethodPost, path+"/confirm", nil)
}

// decision is what the person says of a value.
func (s source) decision(t *testing.T, field, text string) map[string]any {
	t.Helper()
	for _, v := range s.values {
		if v.Field != field || v.Value != text {
			continue
		}
		if v.Then != "" {
			return map[string]any{v.Then: true}
		}
		return map[string]any{"targetValue": v.To}
	}
	require.Fail(t, "asked about what nobody has to be asked about", "%s of %s", text, field)
	return nil
}

func (a *answering) say(t *testing.T, method, path string, document any) {
	t.Helper()
	var body bytes.Buffer
	if document != nil {
		require.NoError(t, json.NewEncoder(&body).Encode(document))
	}
	require.NoError(t, a.Do(t.Context(), method, path, "application/json", &body, nil), "%s %s", method, path)
}
