package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// createEvent creates an event with two categories in organisation 1 and returns its id.
func (r *testStack) createEvent(t *testing.T) string {
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

// importAndRead imports a file through a façade and reads the result in the type's format.
func (r *testStack) importAndRead(ctx context.Context, t *testing.T, upload, result, file string, into any) {
	t.Helper()
	var j rawclient.Job
	require.NoError(t, r.PostForm(ctx, http.MethodPut, upload, "file.csv", []byte(file), nil, &j))
	ended, err := r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", ended.Status, "%+v", ended.Failure)
	require.NoError(t, r.Get(ctx, result+j.Identifier, into))
}

// TestWholeFiles imports entries for an event and then its results.
func TestWholeFiles(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	event := r.createEvent(t)
	var entered struct {
		Created, Errors int
		Categories      []struct {
			Name         string
			Participants int
		}
		CustomValuesCreated []int
	}
	r.importAndRead(ctx, t, "/api/event-participants/import?eventId="+event, "/api/event-participants/import/",
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
	r.importAndRead(ctx, t, "/api/result-sets/import-bulk?participantIdMode=regid&applyNumberChanges=true&pointsCalculator=sa-school&eventId="+event,
		"/api/result-sets/import/", "Category,Seq,REGID,Bib,Time\nElite,1,R1,1,40:00\nElite,2,R2,22,50:00\n", &results)
	require.Equal(t, 2, results.Summary.Created)
	require.Equal(t, 1, results.Summary.NumberChangesApplied)
	require.Equal(t, map[string]int{"fileLines": 3, "successCount": 2, "skippedCount": 0, "blankLines": 0, "headerRows": 1, "errorCount": 0}, results.Reconciliation)
	require.Equal(t, "80.00", stacktest.Query[string](t, r.Stack, `SELECT points::text FROM results WHERE sequence = 2`))
	require.Equal(t, "22", stacktest.Query[string](t, r.Stack, `SELECT race_number FROM event_participants WHERE registration_number = 'R2'`))
}

// A file that is read as a whole takes the state machine's path on which it waits for a
// person.
func TestWholeFileWaitsForMapping(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	event, err := strconv.ParseInt(r.createEvent(t), 10, 64)
	require.NoError(t, err)
	const file = "First name,Last name,Email,Category\nAda,Ace,ada@x.org,Elite men\nBen,Bolt,ben@x.org,junior\nCid,Cole,cid@x.org,Veteran\n"
	j, err := r.Upload(ctx, rawclient.CreateRequest{ImportType: "EVENT_PARTICIPANT", ContextID: &event, Filename: "entries.csv", SizeBytes: int64(len(file))}, strings.NewReader(file))
	require.NoError(t, err)
	j, err = r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, func(j *rawclient.Job) bool { return j.WaitingFor == "CELL_MAPPINGS" || j.Ended() })
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPINGS", j.WaitingFor, j.Status)

	path := "/api/imports/" + j.Identifier + "/cell-mappings"
	var values []unresolvedValue
	require.NoError(t, r.Get(ctx, path, &values))
	require.Len(t, values, 3)
	require.Equal(t, "Elite men", values[0].SourceValue)
	answers := fmt.Sprintf(`[{"id": %d, "targetValue": "Elite"}, {"targetField": "EVENT_CATEGORY_NAME", "ignore": true}]`, values[0].ID)
	require.NoError(t, r.Do(ctx, http.MethodPut, path, "application/json", strings.NewReader(answers), nil))
	require.NoError(t, r.Do(ctx, http.MethodPost, path+"/confirm", "", nil, nil))
	j, err = r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", j.Status, j.Failure)
	require.Equal(t, []int64{2, 1}, []int64{j.SuccessCount, j.SkippedCount})
	require.Equal(t, []string{"Elite", "Junior"}, stacktest.Query[[]string](t, r.Stack, `
		SELECT array_agg(c.name ORDER BY e.source_row) FROM event_participants AS e JOIN event_categories AS c ON (c.organisation_id, c.id) = (e.organisation_id, e.category_id) WHERE e.event_id = `+fmt.Sprint(event)))
}
