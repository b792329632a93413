package postgres

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// Traces collects what is known about a person: entities, the import rows that wrote them, and
// identifying values in lower case.
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

// HasValue reports whether the value as a whole identifies the person.
func (t *Traces) HasValue(value string) bool { return t.values[normaliseValue(value)] }

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
	value = normaliseValue(value)
	if value == "" || len(value) < minMatchLength && strings.Trim(value, "0123456789") == "" {
		return
	}
	t.values[value] = true
}

func normaliseValue(value string) string { return strings.ToLower(strings.TrimSpace(value)) }

// Size is the number of entities, rows and values.
func (t *Traces) Size() int { return len(t.entities) + len(t.rows) + len(t.values) }

// Entities is the number of entities.
func (t *Traces) Entities() int { return len(t.entities) }

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
