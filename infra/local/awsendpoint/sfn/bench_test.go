package sfn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
)

// instantFunctions responds immediately for every function; await completes its own task.
type instantFunctions struct {
	service  *sfn.Service
	complete chan<- struct{} // signalled when the last function runs; may be nil
}

func (i *instantFunctions) Invoke(ctx context.Context, function string, payload []byte) ([]byte, string, error) {
	if function == "complete" && i.complete != nil {
		i.complete <- struct{}{}
	}
	if function != "await" {
		return []byte(`{"next":"COLUMN_MAPPING"}`), "", nil
	}
	var event struct{ TaskToken string }
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, "", err
	}
	answer, err := json.Marshal(map[string]string{"taskToken": event.TaskToken, "output": `{"next":"COMPLETE"}`})
	if err != nil {
		return nil, "", err
	}
	_, err = i.service.Call(ctx, "SendTaskSuccess", answer)
	return []byte("null"), "", err
}

// BenchmarkImport runs the whole import machine, 42 events, with functions that take no time, and
// so measures the interpreter and the database.
func BenchmarkImport(b *testing.B) {
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "aws.db"), 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	complete := make(chan struct{}, 1)
	invoker := &instantFunctions{complete: complete}
	service, err := sfn.New(db, importMachine(), invoker)
	require.NoError(b, err)
	invoker.service = service
	require.NoError(b, service.Resume())
	defer service.Close()
	arn := sfn.MachineARN("loadbay-import")
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		_, err := service.Call(b.Context(), "StartExecution", fmt.Appendf(nil, `{"stateMachineArn":%q,"name":"n%d","input":"{\"jobId\":\"j\",\"organisationId\":1}"}`, arn, n))
		require.NoError(b, err)
		<-complete
		for !allClosed(b, service, n) {
			runtime.Gosched()
		}
	}
}

func allClosed(b *testing.B, service *sfn.Service, n int) bool {
	answer, err := service.Call(b.Context(), "DescribeExecution", fmt.Appendf(nil, `{"executionArn":"arn:aws:states:us-east-1:000000000000:execution:loadbay-import:n%d"}`, n))
	require.NoError(b, err)
	text, err := json.Marshal(answer)
	require.NoError(b, err)
	var x struct{ Status string }
	require.NoError(b, json.Unmarshal(text, &x))
	return x.Status != "RUNNING"
}
