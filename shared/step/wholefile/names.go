package wholefile

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// refreshNames sets the names of entities that were matched by id: an entity may have been renamed
// while the import waited.
func (s *Step) refreshNames(ctx context.Context, tx pgx.Tx, j *job.Job, cells []job.MappedCell) error {
	if j.ContextID == nil {
		return nil
	}
	kind, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return err
	}
	d := kind.Declaration()
	names := make(map[int]map[string]string) // by field and id
	for i := range cells {
		c := &cells[i]
		field := d.FieldIndex(c.TargetField)
		if c.EntityID == "" || field < 0 || d.Fields[field].Lookup == nil || d.Fields[field].Kind != entity.Text {
			continue
		}
		if names[field] == nil {
			found, err := entity.Candidates(ctx, tx, d.Fields[field].Lookup, *j.ContextID)
			if err != nil {
				return err
			}
			names[field] = make(map[string]string, len(found))
			for _, f := range found {
				names[field][strconv.FormatInt(f.ID, 10)] = f.Name
			}
		}
		if name, exists := names[field][c.EntityID]; exists {
			c.TargetValue = name
		}
	}
	return nil
}
