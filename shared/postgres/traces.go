package postgres

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// Traces are what is known of a person: entities, the rows of imports that wrote them, and
// values that tell who it is, in lower case.
type Traces struct {
	entities map[[2]string]bool
	rows     map[[2]int64]bool
	values   map[string]bool
}

// identities stands for a table of what persons are recognised by: somebody who has been
// deleted, or is only planned, has another id than the same person has now.
const identities = "identities"

// HasIdentity reports whether persons with an identity_key are that person.
func (t *Traces) HasIdentity(key string) bool { return t.Has(identities, key) }

// AddIdentity adds what the person is, or was, recognised by.
func (t *Traces) AddIdentity(key string) { t.Add(identities, key) }

// HasValue reports whether a value tells who it is, as a whole.
func (t *Traces) HasValue(value string) bool { return t.values[normaliseValue(value)] }

// Has reports whether the entity is one of them.
func (t *Traces) Has(table, id string) bool { return t.entities[[2]string{table, id}] }

// Add adds an entity.
func (t *Traces) Add(table, id string) { t.entities[[2]string{table, id}] = true }

// AddRow adds a row of an import; 0 is none.
func (t *Traces) AddRow(key job.Key, row int64) {
	if key != 0 && row != 0 {
		t.rows[[2]int64{int64(key), row}] = true
	}
}

// AddValue adds a value; an empty one tells nothing, nor does a number of few digits.
func (t *Traces) AddValue(value string) {
	value = normaliseValue(value)
	if value == "" || len(value) < minMatchLength && strings.Trim(value, "0123456789") == "" {
		return
	}
	t.values[value] = true
}

func normaliseValue(value string) string { return strings.ToLower(strings.TrimSpace(value)) }

// Size is how much is known.
func (t *Traces) Size() int { return len(t.entities) + len(t.rows) + len(t.values) }

// Entities is how many entities are known.
func (t *Traces) Entities() int { return len(t.entities) }

// storedTraces are traces as they are kept.
type storedTraces struct {
	Entities [][2]string `json:"entities"`
	Rows     [][2]int64  `json:"rows"`
	Values   []string    `json:"values"`
}

// MarshalJSON writes traces to be kept.
func (t *Traces) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedTraces{mapKeys(t.entities), mapKeys(t.rows), mapKeys(t.values)})
}

func mapKeys[K comparable](of map[K]bool) []K { return slices.Collect(maps.Keys(of)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Traces) UnmarshalJSON(text []byte) error {
	var s storedTraces
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	t.entities, t.rows, t.values = makeSet(s.Entities), makeSet(s.Rows), makeSet(s.Values)
	return nil
}

func makeSet[K comparable](of []K) map[K]bool {
	in := make(map[K]bool, len(of))
	for _, k := range of {
		in[k] = true
	}
	return in
}
