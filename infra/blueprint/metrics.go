package blueprint

// MetricNamespaceEnv tells a function the namespace of the metrics that it writes
// to its log in the embedded metric format.
const MetricNamespaceEnv = "METRICS_NAMESPACE"

// MetricNamespace holds the metrics of a stage: its own, so that those of two stages in an
// account are not added up.
func (p Deployment) MetricNamespace() string { return "Loadbay/" + p.Stage }

// The metrics. Their names are also those of the Prometheus page of the local
// stack, with dots as underscores.
const (
	// MetricTransitions counts changes of a job's status.
	MetricTransitions = "import.status.transitions"
	// MetricRows counts rows that got their outcome.
	MetricRows = "import.rows"
	// MetricUndelivered counts rows whose chunk could not be handled at all.
	MetricUndelivered = "import.rows.undelivered"
	// MetricWholeFile is how long an invocation worked on a whole file.
	MetricWholeFile = "import.processWholeFile"
	// MetricChunk is how long a chunk took, from claim to commit.
	MetricChunk = "import.chunk.duration"
	// MetricViolations counts completed jobs whose rows do not add up.
	MetricViolations = "import.invariant.violations"
	// MetricStuck counts, in every run of reconcile, the jobs that nothing will move.
	MetricStuck = "import.stuck"
	// MetricWaiting counts, in every run of reconcile, the jobs that wait for a person.
	MetricWaiting = "import.jobs.waiting"
	// MetricPurged counts the jobs that the purge has deleted.
	MetricPurged = "import.jobs.purged"
	// MetricWebhooks counts attempts to deliver to a webhook, by the status that the
	// delivery has after it: FAILED is one that was given up.
	MetricWebhooks = "webhook.attempts"
)

// Metric is one metric that the functions write.
type Metric struct {
	Name string
	Unit MetricUnit
	// Dimensions are the sets of dimensions that each value is written under.
	// A sum over a dimension needs a set without it: an alarm cannot search.
	Dimensions [][]string
}

// MetricUnit is a unit of CloudWatch.
type MetricUnit string

// The units in use.
const (
	Count        MetricUnit = "Count"
	Milliseconds MetricUnit = "Milliseconds"
)

// Metrics lists every metric. What is written to the logs, charted and alarmed
// on is what stands here.
func Metrics() []Metric {
	total, byType := []string{}, []string{"importType"}
	return []Metric{
		{Name: MetricTransitions, Unit: Count, Dimensions: [][]string{{"importType", "from", "to"}, {"to"}}},
		{Name: MetricRows, Unit: Count, Dimensions: [][]string{{"importType", "outcome"}, {"outcome"}}},
		{Name: MetricUndelivered, Unit: Count, Dimensions: [][]string{byType, total}},
		{Name: MetricWholeFile, Unit: Milliseconds, Dimensions: [][]string{byType, total}},
		{Name: MetricChunk, Unit: Milliseconds, Dimensions: [][]string{byType, total}},
		{Name: MetricViolations, Unit: Count, Dimensions: [][]string{byType, total}},
		{Name: MetricStuck, Unit: Count, Dimensions: [][]string{byType, total}},
		{Name: MetricWaiting, Unit: Count, Dimensions: [][]string{byType, total}},
		{Name: MetricPurged, Unit: Count, Dimensions: [][]string{byType, total}},
		{Name: MetricWebhooks, Unit: Count, Dimensions: [][]string{{"result"}, total}},
	}
}
