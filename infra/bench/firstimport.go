package bench

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// firstRows is the number of rows in the first files of a new stack.
const firstRows = 10_000

// measureFirstImports measures the first import of a new stack, which has no running function
// processes and a database with empty caches, and two more imports of the same kind.
func (b *bench) measureFirstImports(ctx context.Context) error {
	b.peers = peers{}
	for i, which := range []string{"the first", "the second", "the third"} {
		if err := b.resetTable(ctx, userTable); err != nil {
			return err
		}
		err := b.runStep(ctx, userTable, firstRows, step{"csv", "insert", which, rawclient.Summary{Created: firstRows}})
		if err != nil {
			return err
		}
		if i == 1 {
			first, second := b.measurements[len(b.measurements)-2], b.measurements[len(b.measurements)-1]
			b.goals = append(b.goals, goal{
				What: fmt.Sprintf("%d rows: rate of the first import of a new stack, divided by that of the second", firstRows),
				Got:  second.took.Seconds() / first.took.Seconds(), Want: 1,
			})
		}
	}
	return nil
}
