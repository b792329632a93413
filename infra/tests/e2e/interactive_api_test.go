package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// jsonObject is a JSON object of the API.
type jsonObject = map[string]any

// interactiveClient calls the API with "Prefer: wait", so that it need not poll.
type interactiveClient struct {
	t    *testing.T
	base string
}

func (w interactiveClient) call(method, path, contentType string, body io.Reader, status int, into any) http.Header {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.base+path, body)
	require.NoError(w.t, err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Prefer", "wait=20")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(w.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	require.Equal(w.t, status, resp.StatusCode, "%s %s: %s", method, path, text)
	if into != nil {
		require.NoError(w.t, json.Unmarshal(text, into), "%s", text)
	}
	return resp.Header
}

func (w interactiveClient) post(method, path string, document any, status int, into any) {
	w.t.Helper()
	body, err := json.Marshal(document)
	require.NoError(w.t, err)
	w.call(method, path, "application/json", bytes.NewReader(body), status, into)
}

// createImport creates an import by sending a file in a form.
func (w interactiveClient) createImport(file string, fields map[string]string) (created jsonObject, location string) {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		require.NoError(w.t, form.WriteField(name, value))
	}
	part, err := form.CreateFormFile("file", "registrations.csv")
	require.NoError(w.t, err)
	_, err = io.WriteString(part, file)
	require.NoError(w.t, err)
	require.NoError(w.t, form.Close())
	header := w.call(http.MethodPost, "/api/imports", form.FormDataContentType(), &body, http.StatusCreated, &created)
	return created, header.Get("Location")
}

// findByValue returns the one document that has the value in a member.
func findByValue(t *testing.T, documents any, member string, value any) jsonObject {
	t.Helper()
	for _, d := range documents.([]any) {
		if d.(jsonObject)[member] == value {
			return d.(jsonObject)
		}
	}
	require.Failf(t, "no document", "with %s %v: %v", member, value, documents)
	return nil
}

// TestInteractiveImport runs the interactive flow of the API step by step; each response
// contains what the next step needs: send the file, list the columns, decide about them,
// confirm, list the values, decide about them, confirm.
func TestInteractiveImport(t *testing.T) {
	t.Parallel()
	s := start(t)
	w := interactiveClient{t, "http://" + s.API}
	created, location := w.createImport("Name,Surname,Email,Unknown Col,Shoe size\n"+
		"Ann,Ash,ann@example.org,Masters,38\nBob,Beech,bob@example.org,Unknown Cat,44\nCy,Cedar,cy@example.org,Masters,41\n",
		map[string]string{"importType": "MEMBERSHIP", "contextId": "1"})
	at := "/api/imports/" + created["identifier"].(string)
	require.Equal(t, at, location)
	require.Equal(t, "COLUMN_MAPPING", created["status"])
	name := findByValue(t, created["columnMappings"], "sourceHeader", "Name")
	require.Equal(t, []any{"FIRST_NAME", "AUTO_MATCHED", 1.0, "alias"}, []any{name["targetField"], name["status"], name["confidenceScore"], name["matchedBy"]})
	unknown := findByValue(t, created["columnMappings"], "sourceHeader", "Unknown Col")
	require.Equal(t, []any{nil, "UNRESOLVED", 0.0}, []any{unknown["targetField"], unknown["status"], unknown["confidenceScore"]})
	size := findByValue(t, created["columnMappings"], "sourceHeader", "Shoe size")

	w.post(http.MethodPut, at+"/column-mappings", []jsonObject{{"id": name["id"], "confirm": true}, {"id": size["id"], "ignore": true}}, http.StatusNotAcceptable, nil)
	w.post(http.MethodPut, at+"/column-mappings", []jsonObject{{"id": unknown["id"], "targetField": "MEMBERSHIP_TYPE_ID"}}, http.StatusAccepted, nil)

	var confirmed jsonObject
	w.post(http.MethodPost, at+"/column-mappings/confirm", nil, http.StatusAccepted, &confirmed)
	require.Equal(t, "CELL_MAPPING", confirmed["status"])
	known := findByValue(t, confirmed["cellMappings"], "sourceValue", "Masters")
	require.Equal(t, []any{"MEMBERSHIP_TYPE_ID", "AUTO_MATCHED", 3.0}, []any{known["targetField"], known["status"], known["targetEntityId"]})
	open := findByValue(t, confirmed["cellMappings"], "sourceValue", "Unknown Cat")
	require.Equal(t, []any{"UNRESOLVED", nil}, []any{open["status"], open["targetEntityId"]})

	var candidates []any
	w.call(http.MethodGet, at+"/cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID", "", nil, http.StatusOK, &candidates)
	senior := findByValue(t, candidates, "displayName", "Senior")
	w.post(http.MethodPut, at+"/cell-mappings", []jsonObject{{"id": open["id"], "targetEntityId": senior["id"]}}, http.StatusAccepted, nil)
	var started jsonObject
	w.post(http.MethodPost, at+"/cell-mappings/confirm", nil, http.StatusAccepted, &started)
	require.Contains(t, []any{"PROCESSING", "COMPLETED"}, started["status"])

	ended, err := s.Wait(t.Context(), created["identifier"].(string), 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", ended.Status)
	var summary jsonObject
	w.call(http.MethodGet, at+"/results/summary", "", nil, http.StatusOK, &summary)
	require.Equal(t, 3.0, summary["created"])

	// A file with column names that all match fields asks no questions: a waiting client gets the final state.
	done, _ := w.createImport("First name,Last name,Email,Membership type\nDee,Date,dee@example.org,Masters\n", map[string]string{"importType": "MEMBERSHIP", "contextId": "1"})
	require.Equal(t, "COMPLETED", done["status"])
	require.Equal(t, 1.0, done["createdCount"])
}
