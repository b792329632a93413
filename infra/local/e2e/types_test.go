package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/local/stacktest"
)

// race makes an event with two categories in organisation 1 and returns its id.
func (r *running) race(t *testing.T) string {
	t.Helper()
	return stacktest.Query[string](t, r.Stack, `
		WITH e AS (INSERT INTO events (organisation_id, name) VALUES (1, 'Hill Climb') RETURNING id),
		     c AS (INSERT INTO event_categories (organisation_id, event_id, name) SELECT 1, id, name FROM e, unnest(ARRAY['Elite', 'Junior']) AS name)
		SELECT id::text FROM e`)
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
	require.Equal(t, map[string]int{"fileLines": 3, "successCount": 2, "blankLines": 0, "headerRows": 1, "errorCount": 0}, results.Reconciliation)
	require.Equal(t, "80.00", stacktest.Query[string](t, r.Stack, `SELECT points::text FROM results WHERE sequence = 2`))
	require.Equal(t, "22", stacktest.Query[string](t, r.Stack, `SELECT race_number FROM event_participants WHERE registration_number = 'R2'`))
}

// TestOrderBatches uploads a file of orders, again, and one that overlaps with it.
func TestOrderBatches(t *testing.T) {
	t.Parallel()
	ctx, r := importing(t)
	type batch struct {
		BatchID, Status                                             string
		TotalRows, CreatedCount, FailedCount, SkippedDuplicateCount int
	}
	const path = "/api/orders/bulk-uploads"
	upload := func(file string) (b batch) {
		require.NoError(t, r.Form(ctx, http.MethodPost, path, "orders.csv", []byte(file), nil, &b))
		return b
	}
	done := func(b batch) batch {
		require.Eventually(t, func() bool {
			return r.Get(ctx, path+"/"+b.BatchID, &b) == nil && b.Status == "COMPLETED"
		}, time.Minute, 20*time.Millisecond)
		return b
	}
	const header = "clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode," +
		"itemCount,totalWeight,serviceType,declaredValue\n"
	row := func(reference, pincode, value string) string {
		return "7," + reference + ",Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune," + pincode + ",1,2.5,EXPRESS," + value + "\n"
	}
	file := header + row("A", "411001", "1500") + row("B", "", "150000")
	first := upload(file)
	require.Regexp(t, `^BU20\d{6}0001$`, first.BatchID)
	require.Equal(t, batch{first.BatchID, "COMPLETED", 2, 1, 1, 0}, done(first))
	require.Equal(t, first.BatchID, upload(file).BatchID)
	second := upload(header + row("A", "411001", "1500") + row("B", "411001", "15000"))
	require.Equal(t, batch{second.BatchID, "COMPLETED", 2, 1, 0, 1}, done(second))

	var rows []struct {
		RowIndex      int
		OrderID       *string
		ErrorMessages []struct{ Code, Field, Message string }
	}
	require.NoError(t, r.Get(ctx, path+"/"+first.BatchID+"/rows?status=FAILED_VALIDATION", &rows))
	require.Len(t, rows, 1)
	require.Equal(t, 2, rows[0].RowIndex)
	require.Nil(t, rows[0].OrderID)
	require.Equal(t, []struct{ Code, Field, Message string }{
		{"MISSING_RECEIVER_PINCODE", "receiverPincode", "Receiver pincode is missing."},
		{"DECLARED_VALUE_EXCEEDS_LIMIT", "declaredValue", "Declared value 150000 is above the limit of 100000."},
	}, rows[0].ErrorMessages)
}
