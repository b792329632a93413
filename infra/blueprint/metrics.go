package blueprint

// MetricNamespaceEnv is the variable with the namespace of the metrics that a function writes to
// its log in the embedded metric format.
const MetricNamespaceEnv = "METRICS_NAMESPACE"

// MetricNamespace returns the namespace of a stage's metrics, so that two stages in an account
// are not added up.
func (p Deployment) MetricNamespace() string { return "Loadbay/" + p.Stage }

// The metrics. The Prometheus page of the local stack has the same names, with underscores
// instead of dots.
const (
	// MetricTransitions counts changes of a job's status.
	MetricTransitions = "import.status.transitions"
	// MetricRows counts rows with an outcome.
	MetricRows = "import.rows"
	// MetricUndelivered counts the rows of chunks that could not be processed at all.
	MetricUndelivered = "import.rows.undelivered"
	// MetricWholeFile measures the duration of an invocation for a whole file.
	MetricWholeFile = "import.processWholeFile"
	// MetricChunk measures the duration of a chunk, from claim to commit.
	MetricChunk = "import.chunk.duration"
	// MetricViolations counts completed jobs with inconsistent row counts.
	MetricViolations = "import.invariant.violations"
	// MetricStuck counts the stuck jobs in every run of reconcile.
	MetricStuck = "import.stuck"
	// MetricWaiting counts the jobs that wait for a person in every run of reconcile.
	MetricWaiting = "import.jobs.waiting"
	// MetricPurged counts the jobs that the purge has deleted.
	MetricPurged = "import.jobs.purged"
	// MetricWebhooks counts delivery attempts to webhooks by the resulting status of the delivery:
	// FAILED means that no further attempt follows.
	MetricWebhooks = "webhook.attempts"
	// MetricWaking counts requests that were refused while a paused database resumed.
	MetricWaking = "api.database.waking"
)

// Metric is one metric that the functions write.
type Metric struct {
	Name string
	Unit MetricUnit
	// Dimensions are the sets of dimensions for each value. A sum over a dimension needs a set
	// without it, because alarms cannot search.
	Dimensions [][]string
}

// MetricUnit is a unit of CloudWatch.
type MetricUnit string

// The units in use.
const (
	Count        MetricUnit = "Count"
	Milliseconds MetricUnit = "Milliseconds"
)

// Metrics lists every metric. Log output, charts and alarms all follow this list.
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
		{Name: MetricWaking, Unit: Count, Dimensions: [][]string{total}},
	}
}
