package bench

import (
	"fmt"
	"time"
)

// figure is what was measured of one import, or of a peer, which has no stages.
type figure struct {
	Rows    int
	Subject string
	What    string
	measured
	stages  stages
	beside  peers
	Changes int64 // bytes of its change set
}

func (b *bench) heading() {
	fmt.Fprintf(b.out, "%8s  %-17s  %-27s %8s %9s %6s %6s │ %7s %6s %6s %7s %6s │ %6s %6s │ %6s %6s %8s │ %7s\n",
		"rows", "shape", "", "s", "rows/s", "÷copy", "÷two", "pg, s", "api", "steps", "process", "local", "own/M", "pg÷two", "WAL/r", "pages", "calls", "set, MB")
}

// peer shows what imports are compared with.
func (b *bench) peer(subj subject, rows int, what string, m measured) {
	b.print(figure{Rows: rows, Subject: subj.name, What: what, measured: m})
}

// print shows a figure and notes it, beside the peers of its rows.
func (b *bench) print(f figure) {
	f.beside = b.peers
	b.figures = append(b.figures, f)
	u := f.usage
	fmt.Fprintf(b.out, "%8d  %-17s  %-27s %8.2f %9.0f %6.2f %6.2f │ %7.2f %6.2f %6.2f %7.2f %6.2f │ %6.2f %6.2f │ %6.0f %6.1f %8d │%s\n",
		f.Rows, f.Subject, f.What, f.took.Seconds(), rate(f.Rows, f.took), f.beside.one.took.Seconds()/f.took.Seconds(), f.beside.two.took.Seconds()/f.took.Seconds(),
		u.Postgres.Seconds(), u.API.Seconds(), u.Steps.Seconds(), u.Process.Seconds(), u.Local.Seconds(),
		perMillion(u.own(), f.Rows), u.Postgres.Seconds()/f.beside.two.usage.Postgres.Seconds(),
		float64(u.WAL)/float64(f.Rows), float64(u.Buffers)/float64(f.Rows), u.Calls, megabytes(f.Changes))
}

// perMillion is the seconds for a million rows.
func perMillion(d time.Duration, rows int) float64 { return d.Seconds() * 1e6 / float64(rows) }

// megabytes is nothing for what has no change set.
func megabytes(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %7.1f", float64(n)/1e6)
}

// whereTimeWent shows the stages of the imports.
func (b *bench) whereTimeWent() {
	fmt.Fprintf(b.out, "\n%8s  %-17s  %-27s %8s %8s %8s %8s %8s %8s │ %6s %6s %6s │ %9s\n",
		"rows", "shape", "where the seconds went", "analyze", "prepare", "split", "wait", "process", "finish", "decode", "write", "commit", "cut/s")
	for _, f := range b.figures {
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
		fmt.Fprintf(b.out, " │ %9.0f\n", rate(f.Rows, s.split))
	}
}

// legend says what the columns are.
func (b *bench) legend() {
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

func rate(rows int, took time.Duration) float64 { return float64(rows) / took.Seconds() }
