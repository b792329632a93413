package canary

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// allNeedles returns the values to search for, including the planted ones.
func (w *harness) allNeedles() []string {
	return append([]string{w.valueNeedle, w.keyNeedle, w.headerNeedle}, plantedNeedles()...)
}

// search searches everything that can be read while the stack runs, except the logs, whose
// last lines are written shortly after the events that they report.
func (w *harness) search(t *testing.T) (found findings) {
	t.Helper()
	places := w.recordedDocuments()
	for _, call := range []string{"call split SendMessageBatch", "call process SendTaskSuccess", "call await PutItem", "call drop StartExecution", "call s3 export PUT"} {
		require.True(t, slices.ContainsFunc(places, func(p document) bool { return strings.HasPrefix(p.name, call) }), "no %s was recorded", call)
	}
	for _, collect := range []func(*testing.T) []document{w.executionHistories, w.tableItems, w.objectKeys, w.metricDocuments} {
		collected := collect(t)
		require.NotEmpty(t, collected)
		places = append(places, collected...)
	}
	return w.searchDocument(places)
}

func (w *harness) searchDocument(places []document) (found findings) {
	for _, p := range places {
		found = append(found, findNeedles(p.name, p.text, w.allNeedles())...)
	}
	return found
}

// logDocuments returns the logs of the functions, with their metrics, of the stack and of the
// database.
func (w *harness) logDocuments(t *testing.T) []document {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(w.Dir, "logs", "*.log"))
	require.NoError(t, err)
	require.Greater(t, len(names), 8, "more than eight functions have written logs")
	places := []document{{"output of the stack", w.Output()}}
	for _, name := range append(names, filepath.Join(w.Dir, "postgres", "postgres.log")) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		places = append(places, document{"log " + filepath.Base(name), text})
	}
	return places
}

// executionHistories returns all events of all executions, with their inputs and outputs.
func (w *harness) executionHistories(t *testing.T) (places []document) {
	t.Helper()
	machines, err := w.executions.ListStateMachines(t.Context(), &sfn.ListStateMachinesInput{})
	require.NoError(t, err)
	all := sfn.NewListExecutionsPaginator(w.executions, &sfn.ListExecutionsInput{StateMachineArn: machines.StateMachines[0].StateMachineArn})
	for all.HasMorePages() {
		page, err := all.NextPage(t.Context())
		require.NoError(t, err)
		for _, x := range page.Executions {
			places = append(places, document{"history", w.executionHistory(t, *x.ExecutionArn)})
		}
	}
	return places
}

func (w *harness) executionHistory(t *testing.T, arn string) (text []byte) {
	t.Helper()
	events := sfn.NewGetExecutionHistoryPaginator(w.executions, &sfn.GetExecutionHistoryInput{ExecutionArn: &arn})
	for events.HasMorePages() {
		page, err := events.NextPage(t.Context())
		require.NoError(t, err)
		body, err := json.Marshal(page.Events)
		require.NoError(t, err)
		text = append(text, body...)
	}
	require.NotEmpty(t, text)
	return text
}

func (w *harness) tableItems(t *testing.T) (places []document) {
	t.Helper()
	pages := dynamodb.NewScanPaginator(w.tables, &dynamodb.ScanInput{TableName: &w.blueprint.Table.Name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, item := range page.Items {
			body, err := json.Marshal(item)
			require.NoError(t, err)
			places = append(places, document{"item", body})
		}
	}
	return places
}

func (w *harness) objectKeys(t *testing.T) (places []document) {
	t.Helper()
	pages := awss3.NewListObjectsV2Paginator(w.objects, &awss3.ListObjectsV2Input{Bucket: &w.blueprint.Bucket.Name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, o := range page.Contents {
			prefix, _, _ := strings.Cut(*o.Key, "/")
			places = append(places, document{"object key " + prefix + "/", []byte(*o.Key)})
		}
	}
	return places
}

func (w *harness) metricDocuments(t *testing.T) []document {
	t.Helper()
	answer, err := http.Get("http://" + w.API + "/metrics")
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "import_rows")
	return []document{{"metrics", text}}
}

// searchFile searches the file in which a stopped stack keeps queues, tables,
// executions and events, including deleted data that has not been overwritten
// yet.
func (w *harness) searchFile(t *testing.T) (found findings) {
	t.Helper()
	name := filepath.Join(w.Dir, "aws.db")
	db, err := bbolt.Open(name, 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bbolt.Bucket) error {
			return walkBucket(b, func(key, value []byte) {
				found = append(found, findNeedles("file aws.db: "+string(bucket), append(bytes.Clone(key), value...), w.allNeedles())...)
			})
		})
	}))
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, f := range findNeedles("file aws.db", raw, w.allNeedles()) {
		if f.needle != w.keyNeedle { // queued events contained the key
			found = append(found, f)
		}
	}
	return found
}

// walkBucket visits a bucket and its nested buckets.
func walkBucket(b *bbolt.Bucket, f func(key, value []byte)) error {
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			return walkBucket(b.Bucket(key), f)
		}
		f(key, value)
		return nil
	})
}
