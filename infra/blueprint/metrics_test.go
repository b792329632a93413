package blueprint_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// The functions write exactly the metrics that the blueprint lists. Alarms and charts read a
// metric's second set of dimensions.
func TestWrittenMetricsMatchList(t *testing.T) {
	t.Parallel()
	for _, m := range blueprint.Metrics() {
		var dimensions []telemetry.Dimension
		for _, name := range m.Dimensions[0] {
			dimensions = append(dimensions, telemetry.Dimension{Name: name, Value: "X"})
		}
		var out bytes.Buffer
		telemetry.NewMetrics(&out).Count(m.Name, 1, dimensions...)
		var line struct {
			AWS struct {
				CloudWatchMetrics []struct{ Dimensions [][]string }
			} `json:"_aws"`
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &line))
		require.Equal(t, m.Dimensions, line.AWS.CloudWatchMetrics[0].Dimensions, m.Name)
	}
}
