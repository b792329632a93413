// Package emf reads metrics from log lines in CloudWatch's embedded metric
// format, as CloudWatch does on AWS, and exposes them to Prometheus.
//
// Sources: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
// and https://prometheus.io/docs/instrumenting/exposition_formats/.
package emf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Collector aggregates metrics.
type Collector struct {
	mu     sync.Mutex
	series map[string]map[string]*series // by metric, then by labels
}

// series is one metric with one set of labels.
type series struct {
	count     int
	sum, last float64
}

// New returns an empty collector.
func New() *Collector { return &Collector{series: map[string]map[string]*series{}} }

// logLine is the part of a log line that describes its metrics; their values are next to it.
type logLine struct {
	AWS struct {
		CloudWatchMetrics []struct {
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	} `json:"_aws"`
}

// Add records the metrics of a log line and reports whether it contains any.
func (c *Collector) Add(text []byte) bool {
	if !bytes.Contains(text, []byte(`"_aws"`)) { // true for nearly all lines
		return false
	}
	var l logLine
	var values map[string]any
	if json.Unmarshal(text, &l) != nil || json.Unmarshal(text, &values) != nil {
		return false
	}
	for _, directive := range l.AWS.CloudWatchMetrics {
		labels := largestLabels(directive.Dimensions, values)
		for _, metric := range directive.Metrics {
			if value, ok := values[metric.Name].(float64); ok {
				c.observe(metric.Name, metric.Unit, labels, value)
			}
		}
	}
	return len(l.AWS.CloudWatchMetrics) > 0
}

// largestLabels returns the labels of the largest of several dimension sets: Prometheus
// aggregates by itself, whereas CloudWatch needs each aggregate as a set of its own.
func largestLabels(sets [][]string, values map[string]any) string {
	var largest []string
	for _, names := range sets {
		if len(names) > len(largest) {
			largest = names
		}
	}
	pairs := make([]string, 0, len(largest))
	for _, name := range slices.Sorted(slices.Values(largest)) {
		pairs = append(pairs, fmt.Sprintf("%s=%q", metricName(name), fmt.Sprint(values[name])))
	}
	return strings.Join(pairs, ",")
}

func (c *Collector) observe(name, unit, labels string, value float64) {
	name = "loadbay_" + metricName(name)
	if unit == "Milliseconds" { // Prometheus uses seconds
		name, value = name+"_seconds", value/1000
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.series[name] == nil {
		c.series[name] = map[string]*series{}
	}
	s := c.series[name][labels]
	if s == nil {
		s = &series{}
		c.series[name][labels] = s
	}
	s.count++
	s.sum += value
	s.last = value
}

// metricName converts a name into a valid Prometheus name.
func metricName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// WriteMetrics writes all metrics in Prometheus's text format. Each metric
// has its sum, its number of observations and its last value, because the log
// lines do not distinguish counters from gauges.
func (c *Collector) WriteMetrics(w io.Writer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(c.series)) {
		metric := c.series[name]
		write := func(suffix, kind string, value func(*series) float64) {
			fmt.Fprintf(&text, "# TYPE %s%s %s\n", name, suffix, kind)
			for _, labels := range slices.Sorted(maps.Keys(metric)) {
				fmt.Fprintf(&text, "%s%s{%s} %v\n", name, suffix, labels, value(metric[labels]))
			}
		}
		write("_sum", "counter", func(s *series) float64 { return s.sum })
		write("_count", "counter", func(s *series) float64 { return float64(s.count) })
		write("_last", "gauge", func(s *series) float64 { return s.last })
	}
	if _, err := text.WriteTo(w); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}
