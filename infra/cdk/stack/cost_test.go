package stack_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The figures that docs/cost.md calculates with are those of the templates.
func TestCostsAreOfTheseSizes(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../../docs/cost.md")
	require.NoError(t, err)
	dev, prod := synth(t, "dev"), synth(t, "prod")
	want := map[string]string{
		"interface endpoints × zones, `dev`":  strconv.Itoa(endpointAddresses(dev)),
		"interface endpoints × zones, `prod`": strconv.Itoa(endpointAddresses(prod)),
		"instance, `dev`":                     dev.settings.Stage.InstanceType,
		"instance, `prod`":                    prod.settings.Stage.InstanceType,
	}
	for _, f := range dev.blueprint.Functions {
		want["memory of `"+f.Name+"`"] = fmt.Sprintf("%d MiB", f.Memory)
		want["concurrency of `"+f.Name+"`"] = strconv.Itoa(f.Concurrency)
	}
	rows := regexp.MustCompile("(?m)^\\| ((?:memory|concurrency|interface|instance)[^|]+) \\| ([^|]+) \\|$").FindAllStringSubmatch(string(content), -1)
	require.Len(t, rows, 14)
	for _, row := range rows {
		require.Equal(t, want[row[1]], row[2], row[1])
	}
}

// What is paid for while nothing happens, and grows with every queue.
func TestCostsOfAnIdleMonthAreOfTheseCounts(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../../docs/cost.md")
	require.NoError(t, err)
	dev := synth(t, "dev")
	require.Contains(t, string(content), fmt.Sprintf("| SQS | %d mappings × 5 pollers", len(dev.ofType("AWS::Lambda::EventSourceMapping"))))
	require.Contains(t, string(content), fmt.Sprintf("| alarms | %d, ", alarmMetrics(dev)))
}

// alarmMetrics counts as CloudWatch bills: the metrics that an alarm looks at,
// and not the formula over them.
func alarmMetrics(w *world) int {
	n := 0
	for _, a := range w.ofType("AWS::CloudWatch::Alarm") {
		metrics, composed := a.Properties["Metrics"].([]any)
		if !composed {
			n++
		}
		for _, m := range metrics {
			if m.(map[string]any)["MetricStat"] != nil {
				n++
			}
		}
	}
	return n
}

func endpointAddresses(w *world) int {
	n := 0
	for _, e := range w.ofType("AWS::EC2::VPCEndpoint") {
		subnets, _ := e.Properties["SubnetIds"].([]any)
		n += len(subnets)
	}
	return n
}
