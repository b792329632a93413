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

// A person decides about an import that has waited so long that reconcile no longer runs for
// it, and the API dies before it notifies the execution. It announced the commit, so the
// check in the next minute finds it.
func crashAfterDecision(t *testing.T, r *harness) {
	id := r.importUnknownColumn(t)
	r.awaitStatus(t, id, "COLUMN_MAPPING")
	r.restartAPI(t)
	r.clearDue(t)
	var called, completed, reconciled atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		switch {
		case strings.HasSuffix(request.Request.URL.Path, "/invocations") && request.Function == blueprint.WakeFunction:
			called.Add(1)
		case request.Operation == "SendTaskSuccess" && request.Function == "api" && completed.Add(1) == 1:
			request.Kill()
			return nil
		case request.Operation == "SendTaskSuccess" && request.Function == blueprint.ReconcileFunction:
			reconciled.Add(1)
		}
		return forward()
	})
	r.invoke(t, blueprint.WakeFunction)
	require.Zero(t, called.Load(), "wake does not call reconcile when nothing is due")
	require.Error(t, r.tryAnswer(t, id, "column-mappings", map[string]any{"ignore": true}), "the API is killed")
	r.invoke(t, blueprint.WakeFunction)
	require.Positive(t, called.Load())
	r.Await(t, "reconcile sends the callback five seconds after the decision", func() bool {
		r.invoke(t, blueprint.WakeFunction)
		return reconciled.Load() > 0
	})
	r.requireAllCreated(t, id, chunkRows)
}

// restartAPI kills all current API processes at once, however many there are, so that the
// API is served by processes that have announced nothing yet.
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

// clearDue leaves the item in the state after reconcile has found no work.
func (r *harness) clearDue(t *testing.T) {
	t.Helper()
	table := stacktest.Blueprint().Table.Name
	_, err := dynamodb.NewFromConfig(r.AWSConfig()).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "due"}, "sk": &types.AttributeValueMemberS{Value: "reconcile"},
		"raises": &types.AttributeValueMemberN{Value: "1"}, "looks": &types.AttributeValueMemberN{Value: "3"},
	}})
	require.NoError(t, err)
}
