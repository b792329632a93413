package cost

import "fmt"

// Work is what happens in a month.
type Work struct {
	Name      string
	Files     float64 // imports of rows
	Millions  float64 // of rows, in all
	Polls     float64 // calls of the API, in millions
	Wakeups   float64 // times that a database that sleeps is woken
	DaysAwake float64 // on which it does not sleep, for the hours below
	HoursADay float64
}

// Small is a customer who imports now and then: 20 files a month, on 20 days, of 20,000 rows.
func Small() Work {
	return Work{Name: "small: 20 files of 20,000 rows on 20 days", Files: 20, Millions: 0.4, Polls: 0.01, Wakeups: 40, DaysAwake: 20, HoursADay: 0.5}
}

// Busy is 1,000 files a day of 20,000 rows.
func Busy() Work {
	return Work{Name: "busy: 1,000 files of 20,000 rows a day", Files: 30_000, Millions: 600, Polls: 5}
}

// What 1 million rows take, of the type USER with 7 columns, in chunks of 5,000 rows.
//
// On the machine of docs/promises.md the chunks of such an import took 7.60 s on two
// processes, 15.2 s of processors' time, of which most is waiting for Postgres. A function
// of 1 GiB has 1,024/1,769 of a processor's time, and the database is on the other end of a
// network: both together are taken for the factor.
const (
	chunksAMillion = 200
	measured       = 15.2 // seconds
	factor         = 1769.0 / 1024 * 1.5
	others         = 35 // seconds of analyze, resolve and split, 1 GiB each
	transitions    = 10 // of a file
	callsAFile     = 20 // of the API
	megabytes      = 100.0
	walMB          = 505.0 // that 1 million users leave, of which Aurora counts 4 KiB a write
	traceKB        = 2.0   // of logs an invocation
	postgresCPU    = 15.0  // seconds of a processor, of which an ACU has about a quarter
	acuOfCPU       = 0.25
	rowGB          = 0.3 // that 1 million rows keep, with their indexes
)

// Million is one file of 1 million rows, beyond the database.
func Million() Bill { return Bill{Name: "1 million rows", Lines: rows(1, 1)} }

func rows(files, millions float64) []Line {
	chunks := millions * chunksAMillion
	calls := chunks + files*25
	return []Line{
		{"process", fmt.Sprintf("%.0f chunks × %.2f s × 1 GiB", chunks, measured/chunksAMillion*factor), "Lambda, arm64", millions * measured * factor},
		{"analyze, resolve, split", fmt.Sprintf("≈ %d s a million × 1 GiB", others), "Lambda, arm64", others*millions + 0.3*files},
		{"await, complete, api", "≈ 1.3 GB-s a file", "Lambda, arm64", 1.3 * files},
		{"Lambda requests", "a chunk, and 25 a file", "Lambda, requests", calls / 1e6},
		{"API", fmt.Sprintf("%d calls a file", callsAFile), "API Gateway, HTTP API", callsAFile * files / 1e6},
		{"Step Functions", fmt.Sprintf("%d a file", transitions), "Step Functions, Standard", transitions * files / 1000},
		{"SQS", "sent ten at a time, received, deleted", "SQS, standard", chunks * 2.1 / 1e6},
		{"S3, parts sent", "9 for 100 MB", "S3, PUT", (files + 8*millions) / 1000},
		{"S3, ranges read", "a chunk, and 3 a file", "S3, GET", (chunks + 3*files) / 1000},
		{"S3, kept 7 days", "100 MB a million", "S3, Standard", megabytes / 1000 * millions * 7 / 30},
		{"DynamoDB", "6 a file, and raises", "DynamoDB, on demand, writes", (6*files + chunks/5) / 1e6},
		{"KMS", "a request an object or message, at most", "KMS, requests", (chunks*1.2 + 2*files) / 10_000},
		{"logs", fmt.Sprintf("≈ %g KB a call", traceKB), "CloudWatch, logs", calls * traceKB / 1e6},
		{"traces", "one a call", "X-Ray", calls / 1e6},
	}
}

// Month is the deployment at that work: what it costs idle, and the work on top.
func (d Deployment) Month(w Work) Bill {
	b := Bill{Name: w.Name, Lines: d.Idle().Lines}
	b.Lines = append(b.Lines, rows(w.Files, w.Millions)...)
	b.Lines = append(b.Lines, Line{"API, asked for progress", fmt.Sprintf("%g million", w.Polls), "API Gateway, HTTP API", w.Polls})
	return Bill{Name: b.Name, Lines: append(b.Lines, d.atWork(w)...)}
}

// atWork is what the database takes beyond being there.
func (d Deployment) atWork(w Work) []Line {
	grown := Line{"rows that stay", "0.3 GB a million", d.Storage, rowGB * w.Millions}
	if d.Instance != "" {
		// Lambda's zone is the database's for every other call.
		return []Line{grown, {"between zones", "half of 100 MB a million, each way", "Between zones", megabytes / 1000 * w.Millions}}
	}
	working := w.Millions * postgresCPU / acuOfCPU / 3600
	awake := (w.Wakeups*d.AwakeAfter + w.DaysAwake*w.HoursADay) * smallestACU
	return []Line{
		grown,
		{"writing", fmt.Sprintf("%g s of a processor a million, %g of one an ACU", postgresCPU, acuOfCPU), "Aurora Serverless v2", working},
		{"awake without load", fmt.Sprintf("%g × %g min + %g h, × %g ACU", w.Wakeups, d.AwakeAfter*60, w.DaysAwake*w.HoursADay, smallestACU), "Aurora Serverless v2", awake},
		{"I/O", fmt.Sprintf("%g MB of WAL a million, in writes of 4 KiB", walMB), "Aurora I/O", walMB * 1e6 / 4096 / 1e6 * w.Millions},
	}
}
