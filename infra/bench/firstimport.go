package bench

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// firstRows is how many rows the first files of a new stack have.
const firstRows = 10_000

// firstImports measures the first import of a new stack, whose functions have no processes and
// whose database has nothing in memory, and two more like it.
func (b *bench) firstImports(ctx context.Context) error {
	b.peers = peers{}
	for i, which := range []string{"the first", "the second", "the third"} {
		if err := b.prepare(ctx, users); err != nil {
			return err
		}
		err := b.step(ctx, users, firstRows, step{"csv", "insert", which, rawclient.Summary{Created: firstRows}})
		if err != nil {
			return err
		}
		if i == 1 {
			first, second := b.figures[len(b.figures)-2], b.figures[len(b.figures)-1]
			b.goals = append(b.goals, goal{
				What: fmt.Sprintf("%d rows: the rate of a new stack's first import beside that of the second", firstRows),
				Got:  second.took.Seconds() / first.took.Seconds(), Want: 1,
			})
		}
	}
	return nil
}
