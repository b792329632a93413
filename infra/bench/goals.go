package bench

import (
	"fmt"
	"time"
)

// goal is the target of an import relative to its peer.
type goal struct {
	What string  `json:"what"`
	Got  float64 `json:"got"`
	Want float64 `json:"want"`
	// AtMost marks costs, which have an upper limit; rates have a lower one.
	AtMost bool `json:"atMost"`
}

// isMet reports whether the goal is met.
func (g goal) isMet() bool {
	if g.AtMost {
		return g.Got <= g.Want
	}
	return g.Got >= g.Want
}

// evaluateGoals returns the goals for the first measurement of each kind of import.
func evaluateGoals(figures []measurement) (found []goal) {
	first := firstOfEachKind(figures)
	for _, f := range first {
		name := f.title()
		toTwo := goal{What: name + ": rate, divided by that of two \\copy", Got: f.peers.parallelCopy.took.Seconds() / f.took.Seconds()}
		switch f.What {
		case "CSV insert, new":
			toTwo.Want = 0.80
			found = append(found, toTwo,
				goal{What: name + ": Postgres's processor time, divided by that of two \\copy", Got: f.usage.Postgres.Seconds() / f.peers.parallelCopy.usage.Postgres.Seconds(), Want: 1, AtMost: true},
				goal{What: name + ": processor seconds of the functions per million rows", Got: secondsPerMillion(f.usage.functionsCPU(), f.Rows), Want: 4, AtMost: true})
		case "CSV insert, duplicates", "CSV upsert, unchanged":
			toTwo.Want = 1
			found = append(found, toTwo)
		case "CSV upsert, all changed":
			found = append(found, goal{What: name + ": rate, divided by that of a manual upsert", Got: f.peers.manualUpsert.took.Seconds() / f.took.Seconds(), Want: 0.80})
		case "XLSX insert, new":
			found = append(found, compareWorkbook(f, first)...)
		}
	}
	return append(found, growthGoal(first)...)
}

// title describes the rows and the operation of the measurement.
func (f measurement) title() string { return fmt.Sprintf("%d rows, %s, %s", f.Rows, f.Subject, f.What) }

// firstOfEachKind returns the first measurement of each kind of import.
func firstOfEachKind(figures []measurement) (first []measurement) {
	seen := make(map[string]bool)
	for _, f := range figures {
		if name := f.title(); !seen[name] && f.took > 0 {
			seen[name] = true
			first = append(first, f)
		}
	}
	return first
}

// compareWorkbook compares new rows of a workbook with the same rows as CSV.
func compareWorkbook(workbook measurement, figures []measurement) []goal {
	for _, f := range figures {
		if f.What == "CSV insert, new" && f.Rows == workbook.Rows && f.Subject == workbook.Subject {
			return []goal{{
				What: workbook.title() + ": rate, divided by that of the same rows as CSV",
				Got:  f.took.Seconds() / workbook.took.Seconds(), Want: 0.90,
			}}
		}
	}
	return nil
}

// growthGoal compares the cost of a new row in the largest and the smallest file, relative to
// the same growth for \copy.
func growthGoal(figures []measurement) []goal {
	var small, large measurement
	for _, f := range figures {
		if f.What != "CSV insert, new" || f.Subject != userTable.name {
			continue
		}
		if small.Rows == 0 || f.Rows < small.Rows {
			small = f
		}
		if f.Rows > large.Rows {
			large = f
		}
	}
	if small.Rows == large.Rows {
		return nil
	}
	dearer := func(took func(measurement) time.Duration) float64 {
		return secondsPerMillion(took(large), large.Rows) / secondsPerMillion(took(small), small.Rows)
	}
	own, copied := dearer(func(f measurement) time.Duration { return f.took }), dearer(func(f measurement) time.Duration { return f.peers.singleCopy.took })
	return []goal{{
		What: fmt.Sprintf("%d rows and %d: growth of the time per row, divided by that of \\copy (%.2f and %.2f)", large.Rows, small.Rows, own, copied),
		Got:  own / copied, Want: 1.1, AtMost: true,
	}}
}

// printGoals prints which goals are met.
func (b *bench) printGoals(goals []goal) {
	if len(goals) == 0 {
		return
	}
	fmt.Fprintln(b.out, "\ngoals")
	for _, g := range goals {
		verdict, relation := "met", "at least"
		if g.AtMost {
			relation = "at most"
		}
		if !g.isMet() {
			verdict = "MISSED"
		}
		fmt.Fprintf(b.out, "  %-6s %-88s %7.2f, %s %.2f\n", verdict, g.What, g.Got, relation, g.Want)
	}
}
