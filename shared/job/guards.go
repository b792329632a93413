package job

import (
	"cmp"
	"maps"
)

// Guards are how much an import may change without somebody approving of it: each is a
// number of rows, "100", or a share of all its rows, "2.5%"; "" is no limit.
type Guards struct {
	Created ErrorLimit `json:"created,omitempty"`
	Updated ErrorLimit `json:"updated,omitempty"`
	// Fields are those of entities that have another value, by the type's own names.
	Fields map[string]ErrorLimit `json:"fields,omitempty"`
}

// maxGuardedFields is how many fields may be guarded.
const maxGuardedFields = 50

// Empty reports whether there are no limits.
func (g Guards) Empty() bool { return g.Created == "" && g.Updated == "" && len(g.Fields) == 0 }

// Valid reports whether all of them are limits.
func (g Guards) Valid() bool {
	if !g.Created.Valid() || !g.Updated.Valid() || len(g.Fields) > maxGuardedFields {
		return false
	}
	for field, limit := range g.Fields {
		if field == "" || len(field) > 63 || limit == "" || !limit.Valid() {
			return false
		}
	}
	return true
}

// Merge are these guards with own ones for what they have no limit for: nobody gets around
// the limits of an organisation.
func (g Guards) Merge(own Guards) Guards {
	joined := Guards{Created: cmp.Or(g.Created, own.Created), Updated: cmp.Or(g.Updated, own.Updated), Fields: maps.Clone(own.Fields)}
	for field, limit := range g.Fields {
		if joined.Fields == nil {
			joined.Fields = make(map[string]ErrorLimit)
		}
		joined.Fields[field] = limit
	}
	return joined
}

// Exceeded reports whether an import that has come so far goes beyond a guard. changed is
// how many entities have another value, by field.
func (g Guards) Exceeded(p Progress, changed map[string]int64) bool {
	if g.Created.Exceeded(p.Counts.Created, p.TotalRows) || g.Updated.Exceeded(p.Counts.Updated, p.TotalRows) {
		return true
	}
	for field, limit := range g.Fields {
		if limit.Exceeded(changed[field], p.TotalRows) {
			return true
		}
	}
	return false
}
