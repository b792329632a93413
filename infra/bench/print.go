package bench

import (
	"fmt"
	"time"
)

// measurement is the measurement of one import, or of a peer, which has no stages.
type measurement struct {
	Rows    int
	Subject string
	What    string
	timedUsage
	stages  stages
	peers   peers
	Changes int64 // bytes of its change set
}

func (b *bench) printHeading() {
	fmt.Fprintf(b.out, "%8s  %-17s  %-27s %8s %9s %6s %6s │ %7s %6s %6s %7s %6s │ %6s %6s │ %6s %6s %8s │ %7s\n",
		"rows", "shape", "", "s", "rows/s", "÷copy", "÷two", "pg, s", "api", "steps", "process", "local", "own/M", "pg÷two", "WAL/r", "pages", "calls", "set, MB")
}

// printPeer prints a reference measurement.
func (b *bench) printPeer(subj benchTable, rows int, what string, m timedUsage) {
	b.print(measurement{Rows: rows, Subject: subj.name, What: what, timedUsage: m})
}

// print prints and records a measurement next to the peers of its rows.
func (b *bench) print(f measurement) {
	f.peers = b.peers
	b.measurements = append(b.measurements, f)
	u := f.usage
	fmt.Fprintf(b.out, "%8d  %-17s  %-27s %8.2f %9.0f %6.2f %6.2f │ %7.2f %6.2f %6.2f %7.2f %6.2f │ %6.2f %6.2f │ %6.0f %6.1f %8d │%s\n",
		f.Rows, f.Subject, f.What, f.took.Seconds(), rowsPerSecond(f.Rows, f.took), f.peers.singleCopy.took.Seconds()/f.took.Seconds(), f.peers.parallelCopy.took.Seconds()/f.took.Seconds(),
		u.Postgres.Seconds(), u.API.Seconds(), u.Steps.Seconds(), u.Process.Seconds(), u.Local.Seconds(),
		secondsPerMillion(u.functionsCPU(), f.Rows), u.Postgres.Seconds()/f.peers.parallelCopy.usage.Postgres.Seconds(),
		float64(u.WAL)/float64(f.Rows), float64(u.Buffers)/float64(f.Rows), u.Calls, formatMegabytes(f.Changes))
}

// secondsPerMillion converts a duration to seconds per million rows.
func secondsPerMillion(d time.Duration, rows int) float64 { return d.Seconds() * 1e6 / float64(rows) }

// formatMegabytes returns "" if there is no change set.
func formatMegabytes(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %7.1f", float64(n)/1e6)
}

// printStages prints the stages of the imports.
func (b *bench) printStages() {
	fmt.Fprintf(b.out, "\n%8s  %-17s  %-27s %8s %8s %8s %8s %8s %8s │ %6s %6s %6s │ %9s\n",
		"rows", "shape", "time by component", "analyze", "prepare", "split", "wait", "process", "finish", "decode", "write", "commit", "cut/s")
	for _, f := range b.measurements {
		s := f.stages
		all := s.decode + s.write + s.commit
		if all == 0 {
			continue
		}
		fmt.Fprintf(b.out, "%8d  %-17s  %-27s", f.Rows, f.Subject, f.What)
		for _, d := range []time.Duration{s.analyze, s.prepare, s.split, s.wait, s.process, s.finish} {
			fmt.Fprintf(b.out, " %8.3f", d.Seconds())
		}
		fmt.Fprint(b.out, " │")
		for _, d := range []time.Duration{s.decode, s.write, s.commit} {
			fmt.Fprintf(b.out, " %5.1f%%", 100*d.Seconds()/all.Seconds())
		}
		fmt.Fprintf(b.out, " │ %9.0f\n", rowsPerSecond(f.Rows, s.split))
	}
}

// printLegend explains the columns.
func (b *bench) printLegend() {
	fmt.Fprint(b.out, `
s, rows/s   from the end of the upload until the job is COMPLETED, with an outcome for every row
÷copy       rate, divided by that of psql's \copy of the same rows, as CSV, into an empty table with the same keys
÷two        rate, divided by that of two parallel \copy of half a file each into one such table
pg … local  processor seconds of Postgres, of the functions by role, and of the local AWS endpoint
own/M       processor seconds of all functions per million rows
pg÷two      Postgres's processor time, divided by that of the two \copy
WAL/r       bytes of write-ahead log per row; pages: pages accessed per row; calls: statements (with pg_stat_statements)
set         size of the import's change set, compressed; "no set": without a change set, for comparison
plan        until the plan waits for approval, polled every 0.25 s; apply, undo: from the request until COMPLETED;
            rows/s counts all rows of the file, also for an undo of fewer changed rows
analyze … finish   seconds of each stage in order: analysis, decisions, cutting, until the first chunk started,
            until the last chunk was written, until the job was complete
decode, write, commit   seconds within the chunks
cut/s       rows cut per second; writing starts after cutting, so cutting is no bottleneck while this is several
            times rows/s; for an upsert it includes the search for repeated keys
`)
}

func rowsPerSecond(rows int, took time.Duration) float64 { return float64(rows) / took.Seconds() }
