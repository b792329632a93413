package erasure

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/loadbay/loadbay/shared/job"
)

// minMatchLength is the minimum length of a value that is searched within other texts: shorter
// ones, and numbers of few digits, occur in too many.
const minMatchLength = 4

// Traces collects what is known about a person: entities, the import rows that wrote them, and
// identifying values in the form of Normalise.
type Traces struct {
	entities map[[2]string]bool
	rows     map[[2]int64]bool
	values   map[string]bool
}

// identities is a pseudo table for identity keys: a person who was deleted, or is only planned,
// has another id than the same person has now.
const identities = "identities"

// HasIdentity reports whether the identity_key belongs to the person.
func (t *Traces) HasIdentity(key string) bool { return t.Has(identities, key) }

// AddIdentity adds a current or former identity key of the person.
func (t *Traces) AddIdentity(key string) { t.Add(identities, key) }

// keys is a pseudo table for values that identify the person in declared tables.
const keys = "keys"

// HasKey reports whether a value of a key column of a declared table is the person's.
func (t *Traces) HasKey(value string) bool { return t.Has(keys, Normalise(value)) }

// AddKey adds a value that identifies the person in declared tables.
func (t *Traces) AddKey(value string) {
	if value = Normalise(value); value != "" {
		t.Add(keys, value)
	}
}

// Keys returns the values of AddKey.
func (t *Traces) Keys() []string { return t.IDs(keys) }

// IDs returns the ids of the person's entities in a table.
func (t *Traces) IDs(table string) []string {
	ids := []string{}
	for at := range t.entities {
		if at[0] == table {
			ids = append(ids, at[1])
		}
	}
	slices.Sort(ids)
	return ids
}

// Identifies reports whether a text is a value of the person, or contains one.
func (t *Traces) Identifies(text string) bool {
	text = Normalise(text)
	if t.values[text] {
		return true
	}
	for v := range t.values {
		if len(v) >= minMatchLength && strings.Contains(text, v) {
			return true
		}
	}
	return false
}

// Has reports whether the entity belongs to the person.
func (t *Traces) Has(table, id string) bool { return t.entities[[2]string{table, id}] }

// Add adds an entity.
func (t *Traces) Add(table, id string) { t.entities[[2]string{table, id}] = true }

// AddRow adds a row of an import; row 0 is ignored.
func (t *Traces) AddRow(key job.Key, row int64) {
	if key != 0 && row != 0 {
		t.rows[[2]int64{int64(key), row}] = true
	}
}

// AddValue adds an identifying value. Empty values and numbers of few digits are ignored.
func (t *Traces) AddValue(value string) {
	value = Normalise(value)
	if value == "" || len(value) < minMatchLength && strings.Trim(value, "0123456789") == "" {
		return
	}
	t.values[value] = true
}

// Normalise returns the form in which texts are compared: the same name may be typed in another case,
// with a non-breaking space, or with accents as characters of their own. In SQL it is
// lower(normalize(text, NFKC)).
func Normalise(text string) string {
	return strings.ToLower(strings.TrimSpace(norm.NFKC.String(text)))
}

// Values returns the identifying values.
func (t *Traces) Values() []string { return slices.Sorted(maps.Keys(t.values)) }

// Patterns returns patterns for LIKE that match texts with an identifying value, also as part of
// JSON.
func (t *Traces) Patterns() []string {
	patterns := []string{}
	for _, v := range t.Values() {
		if len(v) < minMatchLength {
			continue
		}
		for _, form := range slices.Compact([]string{v, quoted(v, false), quoted(v, true)}) {
			patterns = append(patterns, "%"+likeEscaper.Replace(form)+"%")
		}
	}
	return patterns
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// quoted returns a value as it is within a JSON text: of Postgres, or of Go, which also escapes
// characters of HTML.
func quoted(value string, html bool) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(html)
	_ = e.Encode(value)                         // a string can be encoded
	return string(out.Bytes()[1 : out.Len()-2]) // without the quotation marks and the newline
}

// Rows returns the jobs and numbers of the person's rows.
func (t *Traces) Rows() (jobs, rows []int64) {
	jobs, rows = []int64{}, []int64{}
	for at := range t.rows {
		jobs, rows = append(jobs, at[0]), append(rows, at[1])
	}
	return jobs, rows
}

// Entities returns the tables and ids of the person's entities.
func (t *Traces) Entities() (tables, ids []string) {
	tables, ids = []string{}, []string{}
	for at := range t.entities {
		tables, ids = append(tables, at[0]), append(ids, at[1])
	}
	return tables, ids
}

// Size is the number of entities, rows and values.
func (t *Traces) Size() int { return len(t.entities) + len(t.rows) + len(t.values) }

// CountEntities is the number of entities.
func (t *Traces) CountEntities() int { return len(t.entities) }

// storedTraces is the JSON form of traces.
type storedTraces struct {
	Entities [][2]string `json:"entities"`
	Rows     [][2]int64  `json:"rows"`
	Values   []string    `json:"values"`
}

// MarshalJSON encodes the traces for storage.
func (t *Traces) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedTraces{mapKeys(t.entities), mapKeys(t.rows), mapKeys(t.values)})
}

func mapKeys[K comparable](of map[K]bool) []K { return slices.Collect(maps.Keys(of)) }

// UnmarshalJSON decodes the output of MarshalJSON.
func (t *Traces) UnmarshalJSON(text []byte) error {
	var s storedTraces
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	t.entities, t.rows, t.values = makeSet(s.Entities), makeSet(s.Rows), make(map[string]bool, len(s.Values))
	for _, v := range s.Values { // an earlier release stored them in another form
		t.AddValue(v)
	}
	return nil
}

func makeSet[K comparable](of []K) map[K]bool {
	in := make(map[K]bool, len(of))
	for _, k := range of {
		in[k] = true
	}
	return in
}
