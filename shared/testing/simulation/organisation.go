package simulation

import (
	"context"
	"fmt"
	"strings"
)

// createOrganisation creates the simulator's current organisation with statements for its initial data,
// in which $1 is the organisation. It renames the sequences of the simulator's last one, which nothing
// uses any more: creating the 14 sequences of each organisation takes longer than an import's
// transactions, and leaves a file for each.
func (s *Simulator) createOrganisation(ctx context.Context, statements []string) error {
	sql := append([]string{`
		DO $$
		DECLARE
			last name;
		BEGIN
			FOR last IN SELECT relname FROM pg_class WHERE relname LIKE 'ids_of_$0\_%' LOOP
				EXECUTE format('ALTER SEQUENCE loadbay.%I RENAME TO %I', last, 'ids_of_$1' || substr(last, length('ids_of_$0') + 1));
			END LOOP;
		END $$`,
		`INSERT INTO organisations (id, name) VALUES ($1, 'Simulation $1')`,
		`SELECT setval(c.oid, $1 * 100 + 1000) FROM pg_class AS c WHERE c.relname LIKE 'ids_of_$1\_%'`,
	}, statements...)
	text := strings.NewReplacer("$0", fmt.Sprint(s.organisation-1), "$1", fmt.Sprint(s.organisation)).Replace(strings.Join(sql, ";\n"))
	_, err := s.admin.Exec(ctx, text)
	return err
}
