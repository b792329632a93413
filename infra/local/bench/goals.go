package bench

import "fmt"

// goal is what an import should reach beside its peer.
type goal struct {
	What string  `json:"what"`
	Got  float64 `json:"got"`
	Want float64 `json:"want"`
	// AtMost is for what costs; rates are to be at least what is wanted.
	AtMost bool `json:"atMost"`
}

// Met reports whether it is reached.
func (g goal) met() bool {
	if g.AtMost {
		return g.Got <= g.Want
	}
	return g.Got >= g.Want
}

// goals are those for the figures, of each kind of import the first one.
func goals(figures []figure) (found []goal) {
	seen := make(map[string]bool)
	for _, f := range figures {
		name := fmt.Sprintf("%d, %s", f.Rows, f.What)
		if seen[name] || f.took == 0 {
			continue
		}
		seen[name] = true
		toTwo := goal{What: name + ": rate beside two \\copy", Got: f.beside.two.took.Seconds() / f.took.Seconds()}
		switch f.What {
		case "CSV insert, new":
			toTwo.Want = 0.80
			found = append(found, toTwo,
				goal{What: name + ": Postgres's processor time beside two \\copy", Got: f.usage.Postgres.Seconds() / f.beside.two.usage.Postgres.Seconds(), Want: 1, AtMost: true},
				goal{What: name + ": functions' processor seconds for a million rows", Got: perMillion(f.usage.own(), f.Rows), Want: 4, AtMost: true})
		case "CSV insert, duplicates", "CSV upsert, unchanged":
			toTwo.Want = 1
			found = append(found, toTwo)
		case "CSV upsert, all changed":
			found = append(found, goal{What: name + ": rate beside the same by hand", Got: f.beside.hand.took.Seconds() / f.took.Seconds(), Want: 0.80})
		}
	}
	return found
}

// verdicts shows which goals are met.
func (b *bench) verdicts(goals []goal) {
	if len(goals) == 0 {
		return
	}
	fmt.Fprintln(b.out, "\ngoals")
	for _, g := range goals {
		verdict, relation := "met", "at least"
		if g.AtMost {
			relation = "at most"
		}
		if !g.met() {
			verdict = "MISSED"
		}
		fmt.Fprintf(b.out, "  %-6s %-75s %6.2f, %s %.2f\n", verdict, g.What, g.Got, relation, g.Want)
	}
}
