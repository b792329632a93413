package faults

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// A person decides about an import that has waited so long that reconcile is not called any
// more, and the API dies before it has told the execution. What it committed it has
// announced, so that the next minute finds it.
func crashAfterDecision(t *testing.T, r *harness) {
	id := r.importUnknownColumn(t)
	r.awaitStatus(t, id, "COLUMN_MAPPING")
	r.restartAPI(t)
	r.clearDue(t)
	var called, told, reconciled atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		switch {
		case strings.HasSuffix(request.Request.URL.Path, "/invocations") && request.Function == blueprint.WakeFunction:
			called.Add(1)
		case request.Operation == "SendTaskSuccess" && request.Function == "api" && told.Add(1) == 1:
			request.Kill()
			return nil
		case request.Operation == "SendTaskSuccess" && request.Function == blueprint.ReconcileFunction:
			reconciled.Add(1)
		}
		return forward()
	})
	r.invoke(t, blueprint.WakeFunction)
	require.Zero(t, called.Load(), "nothing is due, and the database may sleep")
	require.Error(t, r.tryAnswer(t, id, "column-mappings", map[string]any{"ignore": true}), "the API dies")
	r.invoke(t, blueprint.WakeFunction)
	require.Positive(t, called.Load())
	r.Await(t, "reconcile tells, once the decision is five seconds old", func() bool {
		r.invoke(t, blueprint.WakeFunction)
		return reconciled.Load() > 0
	})
	r.requireAllCreated(t, id, chunkRows)
}

// restartAPI has the API served by processes that have announced nothing yet: those of
// now, as many as there may be, are killed all at once.
func (r *harness) restartAPI(t *testing.T) {
	t.Helper()
	var asked, served sync.WaitGroup
	asked.Add(blueprint.LocalConcurrency)
	var n atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Function != "api" || request.Operation != "GetItem" || n.Add(1) > blueprint.LocalConcurrency {
			return forward()
		}
		asked.Done()
		asked.Wait()
		request.Kill()
		return nil
	})
	for range blueprint.LocalConcurrency {
		served.Go(func() { _ = r.Get(t.Context(), "/health", nil) })
	}
	served.Wait()
}

// clearDue leaves the item as reconcile does when it has looked in vain.
func (r *harness) clearDue(t *testing.T) {
	t.Helper()
	table := stacktest.Blueprint().Table.Name
	_, err := dynamodb.NewFromConfig(r.AWSConfig()).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "due"}, "sk": &types.AttributeValueMemberS{Value: "reconcile"},
		"raises": &types.AttributeValueMemberN{Value: "1"}, "looks": &types.AttributeValueMemberN{Value: "3"},
	}})
	require.NoError(t, err)
}
