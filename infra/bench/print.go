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
÷copy       the rate beside that of psql's \copy of the same rows, as CSV, into an empty table with the same keys
÷two        the rate beside that of two \copy at once, half a file each, into one such table
pg … local  seconds of processor time: Postgres, the functions by role, and what stands in for AWS on this machine
own/M       seconds of all functions for a million rows
pg÷two      Postgres's processor time beside that of the two \copy
WAL/r       bytes of the write-ahead log a row; pages: pages looked at a row; calls: statements (where the server counts them)
set         the import's change set, compressed; "no set": without capturing any, for comparison
plan        until it waits to be approved, seen within 0.25 s; apply, undo: from the request until COMPLETED;
            rows/s are those of the file, also where an undo has only the changed ones
analyze … finish   where those seconds went, one after the other: to find the columns, to decide on them, to cut
            the file, until the first chunk was begun, until the last one was written, until the job was complete
decode, write, commit   where the chunks' own time went
cut/s       rows a second that were cut; cutting ends before writing begins, and is no bottleneck while it is
            several times rows/s; of an upsert, which keys repeat is found out in that time
`)
}

func rowsPerSecond(rows int, took time.Duration) float64 { return float64(rows) / took.Seconds() }
