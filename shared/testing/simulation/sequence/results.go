package sequence

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// riders is the number of participants, G0, G1 and so on. No participant has the registration number absent.
const (
	riders   = 8
	absent   = "G99"
	finished = "FINISHED"
)

// entry is the result of a participant in a category.
type entry struct {
	seq, time int // seconds; 0 for none
	status    string
	position  int // 0 for none
	points    string
}

// standings are the results of a category by registration number, and its points calculator.
type standings map[string]entry

func (s standings) at(seq int) string {
	for who, e := range s {
		if e.seq == seq {
			return who
		}
	}
	return ""
}

// bySequence returns the participants in the order of their sequences.
func (s standings) bySequence() []string {
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { return cmp.Compare(s[a].seq, s[b].seq) })
}

// results models the results of an event with two categories.
type results struct {
	drawer
	categories map[string]standings
}

var resultCategories = []string{"Elite", "Junior"} //nolint:gochecknoglobals // constant

func newResults(d drawer) *results {
	return &results{d, map[string]standings{"Elite": {}, "Junior": {}}}
}

// Save returns a copy of the results.
func (m *results) Save() any {
	saved := make(map[string]standings)
	for name, s := range m.categories {
		saved[name] = maps.Clone(s)
	}
	return saved
}

// Restore returns to saved results.
func (m *results) Restore(state any) {
	m.categories = state.(map[string]standings)
}

// SetupSQL creates the event and its participants.
func (m *results) SetupSQL() []string {
	setup := []string{`INSERT INTO events (id, organisation_id, name) VALUES ($1 * 100 + 1, $1, 'Race')`}
	for i, name := range resultCategories {
		setup = append(setup, fmt.Sprintf(`INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES ($1 * 100 + %d, $1, $1 * 100 + 1, '%s')`, i+1, name))
	}
	for n := range riders {
		setup = append(setup,
			fmt.Sprintf(`INSERT INTO persons (organisation_id, identity_key, first_name, last_name) VALUES ($1, 'id:%[1]d', 'Rider', '%[1]d')`, n),
			fmt.Sprintf(`INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id, registration_number)
				SELECT $1 * 100 + %d, $1, $1 * 100 + 1, id, $1 * 100 + 1, 'G%d' FROM persons WHERE organisation_id = $1 AND identity_key = 'id:%[2]d'`, n+1, n))
	}
	return setup
}

// Tables returns the results.
func (m *results) Tables() []checker.Table {
	want := []string{}
	for name, s := range m.categories {
		for who, e := range s {
			want = append(want, fmt.Sprintf("%s|%d|%s|%d|%d|%s|%s", name, e.seq, who, e.position, e.time, e.status, e.points))
		}
	}
	return []checker.Table{{Name: "results", Want: want, SQL: `
		SELECT concat_ws('|', c.name, r.sequence, e.registration_number, coalesce(r.position, 0), coalesce(r.time_ms, 0) / 1000, r.status, coalesce(r.points::text, ''))
		FROM results AS r JOIN event_categories AS c ON (c.organisation_id, c.id) = (r.organisation_id, r.category_id) JOIN event_participants AS e ON (e.organisation_id, e.id) = (r.organisation_id, r.participant_id) WHERE r.organisation_id = $1`}}
}

// listLine is a line of a result list.
type listLine struct {
	category, who, status string
	seq, time             int
	code                  string // its error
}

// list is a result list.
type list struct {
	lines              []listLine
	hasTime, hasStatus bool
	calculator         string // "" if it is not stated
	complete           bool
}

// Next draws a list: the first one, a corrected one, or some lines of it.
func (m *results) Next() (*File, *Expectation) {
	l := &list{hasTime: m.chance(80), hasStatus: m.chance(60), complete: m.chance(20)}
	if m.chance(75) {
		l.calculator = pick(m.drawer, "sa-school", "sa-school", "wpca-road-league", "none")
	}
	for _, name := range resultCategories {
		if m.chance(70) || name == "Junior" && len(l.lines) == 0 {
			l.lines = append(l.lines, m.drawLines(l, name, m.categories[name])...)
		}
	}
	return l.file(), m.apply(l)
}

// drawLines draws the lines of a category: all, with corrections, or a few.
func (m *results) drawLines(l *list, category string, s standings) []listLine {
	order := s.bySequence()
	full := m.chance(70) || len(order) == 0
	for _, n := range m.Perm(riders) {
		who := fmt.Sprintf("G%d", n)
		if !slices.Contains(order, who) && m.chance(30) {
			order = slices.Insert(order, m.IntN(len(order)+1), who)
		}
	}
	for range m.IntN(3) {
		if i := m.IntN(len(order) + 1); i+1 < len(order) {
			order[i], order[i+1] = order[i+1], order[i]
		}
	}
	var lines []listLine
	seq := 0
	for _, who := range order {
		if full && m.chance(6) || !full && m.chance(65) {
			if !full {
				seq++
			}
			continue // left out, with or without a gap
		}
		seq++
		lines = append(lines, m.drawLine(l, listLine{category: category, who: who, seq: seq}, s))
	}
	m.spoil(l, lines)
	return lines
}

// drawLine draws the time and status of a line, most of them as before.
func (m *results) drawLine(l *list, line listLine, s standings) listLine {
	line.status = cmp.Or(s[line.who].status, finished)
	switch {
	case line.status != finished && m.chance(40):
		line.status = finished // after all
	case m.chance(25):
		line.status = pick(m.drawer, finished, finished, "DNF", "DSQ", "DNS")
	}
	line.time = s[line.who].time
	if line.time == 0 || m.chance(20) {
		line.time = 3000 + 300*line.seq + m.IntN(200)
	}
	if line.status != finished && m.chance(70) {
		line.time = 0
	}
	switch {
	case !l.hasStatus:
		line.status = ""
		line.time = cmp.Or(line.time, 3000+300*line.seq)
	case line.time > 0 && l.hasTime && line.status == finished && m.chance(70), !l.hasTime && m.chance(20):
		line.status = ""
	}
	if !l.hasTime {
		line.time = 0
	}
	return line
}

// spoil makes a few lines of a category errors.
func (m *results) spoil(l *list, lines []listLine) {
	if len(lines) < 2 || !m.chance(15) {
		return
	}
	i := 1 + m.IntN(len(lines)-1)
	line, other := &lines[i], &lines[m.IntN(i)]
	switch m.IntN(4) {
	case 0:
		line.who, line.code = absent, "CELL_UNRESOLVED"
	case 1:
		line.who, line.code, other.code = other.who, "ROW_DUPLICATE", "ROW_DUPLICATE"
	case 2:
		line.seq, line.code = other.seq, "ROW_DUPLICATE"
	case 3:
		if l.hasTime {
			line.time, line.status, line.code = 0, "", "CELL_REQUIRED"
		}
	}
}

// file returns the list as a file.
func (l *list) file() *File {
	header := []string{"Category", "Seq", "REGID"}
	if l.hasTime {
		header = append(header, "Time")
	}
	if l.hasStatus {
		header = append(header, "Status")
	}
	var rows [][]string
	for _, line := range l.lines {
		row := []string{line.category, strconv.Itoa(line.seq), line.who}
		if l.hasTime && line.time > 0 {
			row = append(row, fmt.Sprintf("%d:%02d:%02d", line.time/3600, line.time/60%60, line.time%60))
		} else if l.hasTime {
			row = append(row, "")
		}
		if l.hasStatus {
			row = append(row, line.status)
		}
		rows = append(rows, row)
	}
	options := `{"delimiter":",","headerRow":1,"participantIdMode":"regid"`
	if l.calculator != "" {
		options += `,"pointsCalculator":"` + l.calculator + `"`
	}
	if l.complete {
		options += `,"complete":true`
	}
	return &File{Type: "RESULT", Filename: "list.csv", Content: csvFile(header, rows), Options: options + "}", InContext: true}
}

// apply applies a list to the model.
func (m *results) apply(l *list) *Expectation {
	e := &Expectation{Lines: []checker.Line{headerLine()}, Checked: []string{"RESULTS_KEPT", "RESULTS_REMOVED"}}
	wrong := slices.ContainsFunc(l.lines, func(line listLine) bool { return line.code != "" })
	outcomes := make([]checker.Line, len(l.lines))
	kept, removed := 0, 0
	for name, before := range m.categories {
		var own []int
		for i, line := range l.lines {
			if line.category == name {
				own = append(own, i)
			}
		}
		if !slices.ContainsFunc(own, func(i int) bool { return l.lines[i].code == "" }) {
			for _, i := range own {
				outcomes[i] = errored(l.lines[i].code)
			}
			if len(own) > 0 {
				e.Checked = nil // whether such a category counts is not specified
			}
			continue
		}
		k, r := m.applyCategory(l, name, before, own, wrong, outcomes)
		kept, removed = kept+k, removed+r
	}
	e.Lines = append(e.Lines, outcomes...)
	if e.Checked != nil && kept > 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("RESULTS_KEPT: %d results ", kept))
	}
	if e.Checked != nil && removed > 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("RESULTS_REMOVED: %d results ", removed))
	}
	return e
}

// applyCategory applies the lines of a category.
func (m *results) applyCategory(l *list, name string, before standings, own []int, wrong bool, outcomes []checker.Line) (kept, removed int) {
	after := make(standings)
	mentioned, valid := make(map[string]bool), make(map[string]int) // valid: index of the line
	last := 0
	for _, i := range own {
		line := l.lines[i]
		mentioned[line.who] = true
		last = max(last, line.seq)
		if line.code == "" {
			valid[line.who] = i
		}
	}
	taken := make(map[int]int) // lines by sequence
	for who, i := range valid {
		after[who] = l.merge(l.lines[i], before[who])
		taken[l.lines[i].seq] = i
	}
	var displaced []string
	for _, who := range before.bySequence() {
		_, listed := valid[who]
		_, occupied := taken[before[who].seq]
		switch {
		case listed:
			continue
		case l.complete && !wrong && !mentioned[who]:
			removed++
			continue
		case occupied:
			displaced = append(displaced, who)
		default:
			after[who] = before[who]
			last = max(last, before[who].seq)
		}
		if !mentioned[who] {
			kept++
		}
	}
	moved := make(map[int]bool) // old sequences
	for _, who := range displaced {
		last++
		moved[before[who].seq] = true
		e := before[who]
		e.seq = last
		after[who] = e
	}
	after.score(l.calculatorOf(before))
	m.categories[name] = after
	for _, i := range own {
		line := l.lines[i]
		if line.code != "" {
			outcomes[i] = errored(line.code)
			continue
		}
		out := checker.Line{Outcome: rowwrite.Created, Codes: []string{}}
		if holder := before.at(line.seq); holder == line.who && before[holder] == after[holder] {
			out.Outcome = rowwrite.Unchanged
		} else if holder != "" {
			out.Outcome = rowwrite.Updated
		}
		if moved[line.seq] {
			out.Codes = append(out.Codes, "RESULT_MOVED")
		}
		if s := after[line.who].status; !l.hasStatus && line.time > 0 && s != finished {
			out.Codes = append(out.Codes, "STATUS_KEPT")
		}
		outcomes[i] = out
	}
	return kept, removed
}

// merge returns the result of a line; earlier is the participant's own one.
func (l *list) merge(line listLine, earlier entry) entry {
	e := entry{seq: line.seq, time: cmp.Or(line.time, earlier.time), status: line.status}
	if e.status == "" && l.hasStatus && line.time > 0 {
		e.status = finished
	}
	e.status = cmp.Or(e.status, earlier.status, finished)
	return e
}

// calculatorOf returns the calculator of a category: the stated one, else that of its points.
func (l *list) calculatorOf(before standings) string {
	if l.calculator != "" {
		return l.calculator
	}
	for _, e := range before {
		switch {
		case e.points == "":
		case len(e.points) > 3: // two decimals
			return "sa-school"
		default:
			return "wpca-road-league"
		}
	}
	return "none"
}

// score computes the positions and points of a category.
func (s standings) score(calculator string) {
	league := []int{50, 40, 32, 26, 22, 18, 14, 10, 6, 3}
	winner, rank := 0, 0
	for _, who := range s.bySequence() {
		e := s[who]
		e.position, e.points = 0, ""
		if e.status == finished {
			if rank++; rank == 1 {
				winner = e.time
			}
			e.position = rank
			switch {
			case calculator == "wpca-road-league":
				e.points = strconv.Itoa(league[rank-1])
			case calculator == "sa-school" && winner > 0 && e.time > 0:
				hundredths := (2*10_000*winner + e.time) / (2 * e.time)
				e.points = fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
			}
		}
		s[who] = e
	}
}
