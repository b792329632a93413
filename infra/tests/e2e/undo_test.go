package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// TestUndoAndUndoOfUndo undoes an import, and undoes the undo, through the deployed
// functions.
func TestUndoAndUndoOfUndo(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	first := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true}, "Email,Name\nundo-a@example.org,Ann\nundo-b@example.org,Ben\n")
	require.Equal(t, int64(2), first.SuccessCount)
	undo := func(of, query string) (ended *rawclient.Job) {
		var j rawclient.Job
		require.NoError(t, r.Do(ctx, http.MethodPost, "/api/imports/"+of+"/undo"+query, "application/json", strings.NewReader(`{"mode":"safe"}`), &j))
		ended, err := r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
		require.NoError(t, err)
		require.Equal(t, "COMPLETED", ended.Status)
		require.Equal(t, int64(2), ended.SuccessCount)
		return ended
	}
	names := func() (found []string) {
		answer, err := http.Get("http://" + r.API + "/v1/exports?resource=users&format=ndjson&fields=email,name")
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "undo-") {
				found = append(found, line)
			}
		}
		return found
	}
	before := names()
	require.Len(t, before, 2)
	undo(first.Identifier, "?preview=true")
	require.Equal(t, before, names(), "a preview changes nothing")
	back := undo(first.Identifier, "")
	require.Empty(t, names())
	undo(back.Identifier, "")
	require.ElementsMatch(t, before, names())
}
