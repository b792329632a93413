package telemetry

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// defaultNamespace is the CloudWatch namespace of metrics without their own.
const defaultNamespace = "Loadbay"

// Metrics writes metrics as lines in CloudWatch's embedded metric format, which Lambda's log
// stream converts into metrics without a call. The local stack reads the same lines.
//
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
type Metrics struct {
	mu  sync.Mutex
	out io.Writer
	now func() time.Time

	namespace string
}

// NewMetrics returns metrics in the default namespace that are written to out.
func NewMetrics(out io.Writer) *Metrics { return NewMetricsIn(defaultNamespace, out) }

// NewMetricsIn returns metrics in their own namespace; each stage has one.
func NewMetricsIn(namespace string, out io.Writer) *Metrics {
	return &Metrics{namespace: namespace, out: out, now: time.Now}
}

// Dimension is one dimension of a metric: a name and a value.
type Dimension struct{ Name, Value string }

// Count adds n to a metric.
func (m *Metrics) Count(name string, n int64, dimensions ...Dimension) {
	m.write(name, "Count", float64(n), dimensions)
}

// Duration adds a duration to a metric, in milliseconds.
func (m *Metrics) Duration(name string, d time.Duration, dimensions ...Dimension) {
	m.write(name, "Milliseconds", float64(d)/float64(time.Millisecond), dimensions)
}

type emf struct {
	Timestamp         int64       `json:"Timestamp"`
	CloudWatchMetrics []directive `json:"CloudWatchMetrics"`
}

type directive struct {
	Namespace  string       `json:"Namespace"`
	Dimensions [][]string   `json:"Dimensions"`
	Metrics    []metricUnit `json:"Metrics"`
}

type metricUnit struct {
	Name string `json:"Name"`
	Unit string `json:"Unit"`
}

func (m *Metrics) write(name, unit string, value float64, dimensions []Dimension) {
	names := make([]string, len(dimensions))
	line := map[string]any{name: value}
	for i, d := range dimensions {
		names[i] = d.Name
		line[d.Name] = d.Value
	}
	sets := [][]string{names}
	if total := rollupDimensions(name); len(total) < len(names) {
		sets = append(sets, total)
	}
	line["_aws"] = emf{
		Timestamp:         m.now().UnixMilli(),
		CloudWatchMetrics: []directive{{Namespace: m.namespace, Dimensions: sets, Metrics: []metricUnit{{name, unit}}}},
	}
	text, err := json.Marshal(line)
	if err != nil {
		return // strings and finite numbers always marshal; NaN would be a bug of the caller
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = m.out.Write(append(text, '\n')) // a metric that cannot be written is lost
}

// rollupDimensions returns the set of dimensions under which a metric is written a second time:
// CloudWatch does not aggregate over a dimension, and its alarms cannot search.
func rollupDimensions(name string) []string {
	switch name {
	case "import.status.transitions":
		return []string{"to"}
	case "import.rows":
		return []string{"outcome"}
	default:
		return []string{}
	}
}
