package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// race makes an event with two categories in organisation 1 and returns its id.
func (r *running) race(t *testing.T) string {
	t.Helper()
	operator := r.Operator(t)
	const events = "/api/admin/organisations/1/events"
	var event struct{ ID int64 }
	require.NoError(t, operator.Post(t.Context(), events, map[string]string{"name": "Hill Climb"}, &event))
	for _, category := range []string{"Elite", "Junior"} {
		require.NoError(t, operator.Post(t.Context(), fmt.Sprintf("%s/%d/categories", events, event.ID), map[string]string{"name": category}, nil))
	}
	return fmt.Sprint(event.ID)
}

// put imports a file through a façade and reads the type's result.
func (r *running) put(ctx context.Context, t *testing.T, upload, result, file string, into any) {
	t.Helper()
	var j client.Job
	require.NoError(t, r.Form(ctx, http.MethodPut, upload, "file.csv", []byte(file), nil, &j))
	ended, err := r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*client.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", ended.Status, "%+v", ended.Failure)
	require.NoError(t, r.Get(ctx, result+j.Identifier, into))
}

// TestWholeFiles enters people into an event and then imports its results.
func TestWholeFiles(t *testing.T) {
	t.Parallel()
	ctx, r := importing(t)
	event := r.race(t)
	var entered struct {
		Created, Errors int
		Categories      []struct {
			Name         string
			Participants int
		}
		CustomValuesCreated []int
	}
	r.put(ctx, t, "/api/event-participants/import?eventId="+event, "/api/event-participants/import/",
		"First name,Last name,Email,Category,Registration number,Bib,Custom 1\n"+
			"Ada,Ace,ada@x.org,Elite,R1,1,Small\nBen,Bolt,ben@x.org,Elite,R2,2,Large\n\nCid,Cole,cid@x.org,Veteran,R3,3,\n", &entered)
	require.Equal(t, 2, entered.Created)
	require.Equal(t, 1, entered.Errors)
	require.Len(t, entered.Categories, 1)
	require.Equal(t, []int{2, 0, 0}, entered.CustomValuesCreated)

	var results struct {
		Summary        struct{ Created, NumberChangesApplied int }
		Reconciliation map[string]int
	}
	r.put(ctx, t, "/api/result-sets/import-bulk?participantIdMode=regid&applyNumberChanges=true&pointsCalculator=sa-school&eventId="+event,
		"/api/result-sets/import/", "Category,Seq,REGID,Bib,Time\nElite,1,R1,1,40:00\nElite,2,R2,22,50:00\n", &results)
	require.Equal(t, 2, results.Summary.Created)
	require.Equal(t, 1, results.Summary.NumberChangesApplied)
	require.Equal(t, map[string]int{"fileLines": 3, "successCount": 2, "skippedCount": 0, "blankLines": 0, "headerRows": 1, "errorCount": 0}, results.Reconciliation)
	require.Equal(t, "80.00", stacktest.Query[string](t, r.Stack, `SELECT points::text FROM results WHERE sequence = 2`))
	require.Equal(t, "22", stacktest.Query[string](t, r.Stack, `SELECT race_number FROM event_participants WHERE registration_number = 'R2'`))
}
