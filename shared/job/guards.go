package job

import (
	"cmp"
	"maps"
)

// Guards limit how much an import may change without approval: each is a number of rows,
// "100", or a share of all its rows, "2.5%"; "" is no limit. A deleted entity counts as created and
// as updated.
type Guards struct {
	Created ErrorLimit `json:"created,omitempty"`
	Updated ErrorLimit `json:"updated,omitempty"`
	// Fields limit the entities in which a field changes, by the type's field names.
	Fields map[string]ErrorLimit `json:"fields,omitempty"`
}

// GuardsRule describes the format of job.Guards.
const GuardsRule = `An object with created, updated and up to 50 named fields: each a number of rows, such as 100, or a percentage of all rows below 100, such as "2.5%".`

// maxGuardedFields is the maximum number of guarded fields.
const maxGuardedFields = 50

// Empty reports whether there are no limits.
func (g Guards) Empty() bool { return g.Created == "" && g.Updated == "" && len(g.Fields) == 0 }

// Valid reports whether all limits are valid.
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

// Merge returns these guards, with those of own for unset ones, so that no request can avoid
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

// Exceeded reports whether an import with this progress exceeds a guard. changed is the
// number of entities with another value, by field.
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
