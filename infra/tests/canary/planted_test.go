package canary

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Needles that plantNeedles writes, and the places where the search must find them.
const (
	plantedHistory = "plantedinhistory"
	plantedQueue   = "plantedinqueue"
	plantedItem    = "planteditem"
	plantedKey     = "plantedinkey"
	plantedLog     = "plantedinlog"
)

func plantedNeedles() []string {
	return []string{plantedHistory, plantedQueue, plantedItem, plantedKey, plantedLog}
}

// plantNeedles writes needles to forbidden places and returns where they must be found.
func (w *harness) plantNeedles(t *testing.T) map[string]string {
	t.Helper()
	ctx := t.Context()
	machines, err := w.executions.ListStateMachines(ctx, &sfn.ListStateMachinesInput{})
	require.NoError(t, err)
	_, err = w.executions.StartExecution(ctx, &sfn.StartExecutionInput{
		StateMachineArn: machines.StateMachines[0].StateMachineArn, Input: aws.String(`{"jobId":"","organisationId":1,"name":"` + plantedHistory + `"}`),
	})
	require.NoError(t, err)
	// No function consumes this queue.
	_, err = w.queues.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(w.QueueURL(blueprint.EventsDeadLetters)), MessageBody: aws.String(`{"name":"` + strings.ToUpper(plantedQueue) + `"}`),
	})
	require.NoError(t, err)
	_, err = w.tables.PutItem(ctx, &dynamodb.PutItemInput{TableName: &w.blueprint.Table.Name, Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "x"}, "sk": &types.AttributeValueMemberS{Value: plantedItem},
	}})
	require.NoError(t, err)
	_, err = w.objects.PutObject(ctx, &awss3.PutObjectInput{Bucket: &w.blueprint.Bucket.Name, Key: aws.String(blueprint.ExportsPrefix + plantedKey), Body: strings.NewReader("x")})
	require.NoError(t, err)
	// The caller chooses the id of a request, and the id is logged.
	w.request(t, http.MethodGet, "/api/imports/"+plantedLog, "", http.Header{"X-Request-Id": {plantedLog}})
	return map[string]string{
		plantedHistory: "history", plantedQueue: "file aws.db: sqs", plantedItem: "item", plantedKey: "object key exports/", plantedLog: "log api.log",
	}
}
