package bench

import (
	"fmt"
	"time"
)

// figure is what was measured of one import, or of \copy, which has no stages.
type figure struct {
	rows         int
	subject      subject
	what         string
	took, copied time.Duration
	stages       stages
	changes      int64  // bytes of its change set
	job          string // the import
}

func (b *bench) heading() {
	fmt.Fprintf(b.out, "%8s  %-17s  %-26s %8s %9s %6s │ %8s %8s %8s %8s %8s %8s │ %6s %6s %6s │ %9s │ %8s\n",
		"rows", "shape", "", "s", "rows/s", "÷copy", "analyze", "prepare", "split", "wait", "process", "finish", "decode", "write", "commit", "cut/s", "set, MB")
}

func (b *bench) print(f figure) {
	fmt.Fprintf(b.out, "%8d  %-17s  %-26s %8.2f %9.0f %6.2f │", f.rows, f.subject.name, f.what, f.took.Seconds(), rate(f.rows, f.took), f.copied.Seconds()/f.took.Seconds())
	s := f.stages
	if s.process == 0 {
		fmt.Fprintf(b.out, "%55s│%22s│ %9s │%s\n", "", "", "", megabytes(f.changes))
		return
	}
	for _, d := range []time.Duration{s.analyze, s.prepare, s.split, s.wait, s.process, s.finish} {
		fmt.Fprintf(b.out, " %8.3f", d.Seconds())
	}
	all := s.decode + s.write + s.commit
	fmt.Fprint(b.out, " │")
	for _, d := range []time.Duration{s.decode, s.write, s.commit} {
		fmt.Fprintf(b.out, " %5.1f%%", 100*d.Seconds()/all.Seconds())
	}
	fmt.Fprintf(b.out, " │ %9.0f │%s\n", rate(f.rows, s.split), megabytes(f.changes))
}

// megabytes is nothing for what has no change set.
func megabytes(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %8.1f", float64(n)/1e6)
}

// legend says what the columns are.
func (b *bench) legend() {
	fmt.Fprint(b.out, `
s, rows/s   from the end of the upload until the job is COMPLETED, with an outcome for every row
÷copy       the rate beside that of psql's \copy of the same rows, as CSV, into an empty table with the same keys
analyze … finish   where those seconds went, one after the other: to find the columns, to decide on them, to cut
            the file, until the first chunk was begun, until the last one was written, until the job was complete
decode, write, commit   where the chunks' own time went
cut/s       rows a second that were cut; cutting ends before writing begins, and is no bottleneck while it is
            several times rows/s; of an upsert, which keys repeat is found out in that time
set         the import's change set, compressed; "no set": without capturing any, for comparison
plan        until it waits to be approved, seen within 0.25 s; apply, undo: from the request until COMPLETED;
            rows/s are those of the file, also where an undo has only the changed ones
`)
}

func rate(rows int, took time.Duration) float64 { return float64(rows) / took.Seconds() }
