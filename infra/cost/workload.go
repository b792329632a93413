package cost

import "fmt"

// Workload is the work of a month.
type Workload struct {
	Name        string
	Files       float64 // number of imported files
	MillionRows float64 // number of imported rows, in millions
	Polls       float64 // API calls, in millions
	Wakeups     float64 // number of times that a paused database is woken
	DaysAwake   float64 // days on which the database stays awake, for the hours below
	HoursPerDay float64
}

// SmallWorkload is a customer with occasional imports: 20 files a month of 20,000 rows, on 20
// days.
func SmallWorkload() Workload {
	return Workload{Name: "small: 20 files of 20,000 rows on 20 days", Files: 20, MillionRows: 0.4, Polls: 0.01, Wakeups: 40, DaysAwake: 20, HoursPerDay: 0.5}
}

// BusyWorkload is 1,000 files a day of 20,000 rows.
func BusyWorkload() Workload {
	return Workload{Name: "busy: 1,000 files of 20,000 rows a day", Files: 30_000, MillionRows: 600, Polls: 5}
}

// The usage of 1 million rows of the type USER with 7 columns, in chunks of 5,000 rows.
//
// On the machine of docs/promises.md the chunks of such an import took 7.60 s on two processes,
// that is 15.2 s in total, mostly waiting for Postgres. A function of 1 GiB has 1,024/1,769 of a
// processor, and its database is accessed over a network; the factor accounts for both.
const (
	chunksPerMillion    = 200
	measuredSeconds     = 15.2 // seconds
	lambdaFactor        = 1769.0 / 1024 * 1.5
	otherSeconds        = 35 // seconds of analyze, resolve and split, 1 GiB each
	transitionsPerFile  = 10 // state transitions
	callsPerFile        = 20 // API calls
	megabytesPerMillion = 100.0
	walMBPerMillion     = 505.0 // MB of write-ahead log per million users; Aurora bills writes of 4 KiB
	traceKB             = 2.0   // KB of logs per invocation
	postgresSeconds     = 15.0  // processor seconds; an ACU has about a quarter of a processor
	cpuPerACU           = 0.25
	rowGBPerMillion     = 0.3 // GB stored per million rows, with their indexes
)

// The metrics that imports of five types report, counted from blueprint.Metrics: changes of status by
// type, from and to (about 8 a type) and by to, rows by type and outcome (4), chunks by type, and the
// counts of reconcile and webhooks. API Gateway reports six more for each route in use. CloudWatch bills
// the hours in which a metric is reported.
const (
	reportedTypes = 5
	ownMetrics    = reportedTypes*8 + 8 + reportedTypes*4 + 4 + reportedTypes + 1 + 2*(reportedTypes+1) + 4
	routeMetrics  = 6 * 5
)

// reporting is the part of the month in which imports report metrics.
func (w Workload) reporting() float64 {
	if w.DaysAwake == 0 {
		return 1
	}
	return w.DaysAwake * w.HoursPerDay / hoursPerMonth
}

// ChunkSeconds is the duration of a chunk of 5,000 rows, and smallChunkSeconds the assumed one of a
// chunk of 100.
const (
	ChunkSeconds      = measuredSeconds / chunksPerMillion * lambdaFactor
	smallChunkSeconds = 0.1
)

// MillionRows returns the bill of one file of 1 million rows, without the database.
func MillionRows() Bill {
	return Bill{Name: "1 million rows", Lines: rowLines(1, 1, chunksPerMillion, ChunkSeconds)}
}

// SmallFiles returns the bill of 10,000 files of 100 rows, without the database.
func SmallFiles() Bill {
	const files = 10_000
	return Bill{Name: "10,000 files of 100 rows", Lines: rowLines(files, 1, files, smallChunkSeconds)}
}

func rowLines(files, millions, chunks, seconds float64) []Line {
	calls := chunks + files*25
	return []Line{
		{"process", fmt.Sprintf("%.0f chunks × %.2f s × 1 GiB", chunks, seconds), "Lambda, arm64", chunks * seconds},
		{"analyze, resolve, split", fmt.Sprintf("≈ %d s a million × 1 GiB", otherSeconds), "Lambda, arm64", otherSeconds*millions + 0.3*files},
		{"await, complete, api", "≈ 1.3 GB-s a file", "Lambda, arm64", 1.3 * files},
		{"Lambda requests", "a chunk, and 25 a file", "Lambda, requests", calls / 1e6},
		{"API", fmt.Sprintf("%d calls a file", callsPerFile), "API Gateway, HTTP API", callsPerFile * files / 1e6},
		{"Step Functions", fmt.Sprintf("%d a file", transitionsPerFile), "Step Functions, Standard", transitionsPerFile * files / 1000},
		{"SQS", "sent ten at a time, received, deleted", "SQS, standard", chunks * 2.1 / 1e6},
		{"S3, parts sent", "9 for 100 MB", "S3, PUT", (files + 8*millions) / 1000},
		{"S3, ranges read", "a chunk, and 3 a file", "S3, GET", (chunks + 3*files) / 1000},
		{"S3, kept 7 days", "100 MB a million", "S3, Standard", megabytesPerMillion / 1000 * millions * 7 / 30},
		{"DynamoDB", "6 a file, and raises", "DynamoDB, on demand, writes", (6*files + chunks/5) / 1e6},
		{"KMS", "a request an object or message, at most", "KMS, requests", (chunks*1.2 + 2*files) / 10_000},
		{"logs", fmt.Sprintf("≈ %g KB a call", traceKB), "CloudWatch, logs", calls * traceKB / 1e6},
	}
}

// Month returns the bill of the deployment with a workload: the idle costs and the work.
func (d Deployment) Month(w Workload) Bill {
	b := Bill{Name: w.Name, Lines: d.Idle().Lines}
	b.Lines = append(b.Lines, rowLines(w.Files, w.MillionRows, w.MillionRows*chunksPerMillion, ChunkSeconds)...)
	b.Lines = append(b.Lines,
		Line{"API, asked for progress", fmt.Sprintf("%g million", w.Polls), "API Gateway, HTTP API", w.Polls},
		Line{"metrics of imports", fmt.Sprintf("%d, of %d types", ownMetrics, reportedTypes), "CloudWatch, own metric", ownMetrics * w.reporting()},
		Line{"metrics of routes", fmt.Sprintf("%d, of 5 routes", routeMetrics), "CloudWatch, own metric", routeMetrics * w.reporting()},
	)
	return Bill{Name: b.Name, Lines: append(b.Lines, d.databaseWork(w)...)}
}

// databaseWork returns the database's costs for the work, without the idle costs.
func (d Deployment) databaseWork(w Workload) []Line {
	grown := Line{"rows that stay", "0.3 GB a million", d.StorageItem, rowGBPerMillion * w.MillionRows}
	if d.InstanceItem != "" {
		// Every other call comes from a Lambda in the zone of the database.
		return []Line{grown, {"between zones", "half of 100 MB a million, each way", "Between zones", megabytesPerMillion / 1000 * w.MillionRows}}
	}
	working := w.MillionRows * postgresSeconds / cpuPerACU / 3600
	awake := (w.Wakeups*d.IdleHours + w.DaysAwake*w.HoursPerDay) * minACU
	return []Line{
		grown,
		{"writing", fmt.Sprintf("%g s of a processor a million, %g of one an ACU", postgresSeconds, cpuPerACU), "Aurora Serverless v2", working},
		{"awake without load", fmt.Sprintf("%g × %g min + %g h, × %g ACU", w.Wakeups, d.IdleHours*60, w.DaysAwake*w.HoursPerDay, minACU), "Aurora Serverless v2", awake},
		{"I/O", fmt.Sprintf("%g MB of WAL a million, in writes of 4 KiB", walMBPerMillion), "Aurora I/O", walMBPerMillion * 1e6 / 4096 / 1e6 * w.MillionRows},
	}
}
