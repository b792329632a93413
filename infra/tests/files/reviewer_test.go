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

// reviewer is a person who answers the questions of an import, each once.
type reviewer struct {
	*organisation
	source  source
	decided map[string]bool // questions already answered
}

// once fails the test if the question has already been answered.
func (a *reviewer) once(t *testing.T, what string) {
	t.Helper()
	require.False(t, a.decided[what], "requested twice: %s", what)
	a.decided[what] = true
}

// answerUntilEnd answers questions until the import has ended.
func (a *reviewer) answerUntilEnd(t *testing.T, id string) *rawclient.Job {
	t.Helper()
	for {
		j := stacktest.AwaitJob(t, a.Client, id, func(j *rawclient.Job) bool { return j.Ended() || isWaiting(j) })
		switch j.WaitingFor {
		case "COLUMN_MAPPINGS":
			a.decideColumns(t, id)
		case "CELL_MAPPINGS":
			a.decideValues(t, id)
		default:
			return j
		}
	}
}

// isWaiting reports whether an import waits for a person.
func isWaiting(j *rawclient.Job) bool {
	return j.WaitingFor == "COLUMN_MAPPINGS" || j.WaitingFor == "CELL_MAPPINGS"
}

// decideColumns chooses the reading options of the file and then decides about its columns.
func (a *reviewer) decideColumns(t *testing.T, id string) {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(a.source.mapping), &m))
	if m["source"] != nil && !a.decided["source"] {
		a.once(t, "source")
		a.send(t, http.MethodPatch, "/api/imports/"+id+"/source", m["source"])
		return
	}
	a.once(t, "columns")
	delete(m, "source")
	a.send(t, http.MethodPut, "/api/imports/"+id+"/mapping", m)
	a.send(t, http.MethodPost, "/api/imports/"+id+"/column-mappings/confirm", nil)
}

// decideValues decides about the unresolved values.
func (a *reviewer) decideValues(t *testing.T, id string) {
	t.Helper()
	path := "/api/imports/" + id + "/cell-mappings"
	var asked []struct {
		ID                               int64
		TargetField, SourceValue, Status string
	}
	require.NoError(t, a.Get(t.Context(), path, &asked))
	var answers []map[string]any
	for _, v := range asked {
		if v.Status != "UNRESOLVED" {
			continue
		}
		a.once(t, v.TargetField+" "+v.SourceValue)
		answer := a.source.decision(t, v.TargetField, v.SourceValue)
		answer["id"] = v.ID
		answers = append(answers, answer)
	}
	require.NotEmpty(t, answers, "values were requested although none is unresolved")
	a.send(t, http.MethodPut, path, answers)
	a.send(t, http.MethodPost, path+"/confirm", nil)
}

// decision returns the person's decision about a value.
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
	require.Fail(t, "a decision was requested that the sample does not expect", "%s of %s", text, field)
	return nil
}

func (a *reviewer) send(t *testing.T, method, path string, document any) {
	t.Helper()
	var body bytes.Buffer
	if document != nil {
		require.NoError(t, json.NewEncoder(&body).Encode(document))
	}
	require.NoError(t, a.Do(t.Context(), method, path, "application/json", &body, nil), "%s %s", method, path)
}
