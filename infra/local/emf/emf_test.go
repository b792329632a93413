package emf_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/emf"
)

func TestCollectorAddsMetrics(t *testing.T) {
	t.Parallel()
	c := emf.New()
	for text, isMetric := range map[string]bool{
		`{"import.rows":500,"importType":"USER","outcome":"CREATED","_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"Loadbay","Dimensions":[["outcome"],["importType","outcome"]],"Metrics":[{"Name":"import.rows","Unit":"Count"}]}]}}`:  true,
		`{"import.rows":250,"importType":"USER","outcome":"CREATED","_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"Loadbay","Dimensions":[["outcome"],["importType","outcome"]],"Metrics":[{"Name":"import.rows","Unit":"Count"}]}]}} `: true,
		`{"import.rows":3,"importType":"a\"b","outcome":"ERROR","_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"Loadbay","Dimensions":[["importType","outcome"]],"Metrics":[{"Name":"import.rows","Unit":"Count"}]}]}}`:                  true,
		`{"import.chunk.duration":1500,"_aws":{"CloudWatchMetrics":[{"Namespace":"Loadbay","Dimensions":[[]],"Metrics":[{"Name":"import.chunk.duration","Unit":"Milliseconds"},{"Name":"absent","Unit":"Count"}]}]}}`:                             true,
		`{"level":"INFO","msg":"status changed"}`: false,
		`{"_aws": "is a word"}`:                   false,
		`"_aws" panic: no JSON`:                   false,
	} {
		require.Equal(t, isMetric, c.Add([]byte(text)), text)
	}
	var text bytes.Buffer
	require.NoError(t, c.WriteMetrics(&text))
	require.Contains(t, text.String(), `# TYPE loadbay_import_chunk_duration_seconds_sum counter
loadbay_import_chunk_duration_seconds_sum{} 1.5
# TYPE loadbay_import_chunk_duration_seconds_count counter
loadbay_import_chunk_duration_seconds_count{} 1
# TYPE loadbay_import_chunk_duration_seconds_last gauge
loadbay_import_chunk_duration_seconds_last{} 1.5
# TYPE loadbay_import_rows_sum counter
loadbay_import_rows_sum{importType="USER",outcome="CREATED"} 750
loadbay_import_rows_sum{importType="a\"b",outcome="ERROR"} 3
# TYPE loadbay_import_rows_count counter
loadbay_import_rows_count{importType="USER",outcome="CREATED"} 2
`)
}
