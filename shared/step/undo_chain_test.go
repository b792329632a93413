package step_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
)

// chain is a user changed by three imports in sequence.
type chain struct {
	*engine
	values  [3]map[string]string // columns by import; the first one creates the user
	imports [3]job.Ref
	undos   [3]job.Ref // the latest undo of each import
	inForce [3]bool
}

// newChain runs the imports.
func newChain(t *testing.T, gives [3]map[string]string) *chain {
	t.Helper()
	c := &chain{engine: setup(t, 100), values: gives}
	user := map[string]string{"Role": "user"}
	for i, values := range gives {
		maps.Copy(user, values) // a file has every column; missing values are filled from earlier ones
		c.imports[i], c.inForce[i] = c.upsertUsers(t, fmt.Sprintf("Email,Full name,Role\na@x.org,%s,%s\n", user["Full name"], user["Role"])), true
	}
	return c
}

func (c *chain) undoImport(t *testing.T, i int) {
	t.Helper()
	c.undos[i], c.inForce[i] = c.undo(t, c.imports[i], rules.Safe), false
	c.requireUserInForce(t, fmt.Sprintf("import %d is undone", i+1))
}

func (c *chain) undoUndo(t *testing.T, i int) {
	t.Helper()
	c.undo(t, c.undos[i], rules.Safe)
	c.inForce[i] = true
	c.requireUserInForce(t, fmt.Sprintf("the undo of import %d is undone", i+1))
}

// requireUserInForce compares the user with the values of the imports in force, or of the first
// import if none in force set them. Without an import in force the user does not exist.
func (c *chain) requireUserInForce(t *testing.T, when string) {
	t.Helper()
	var want []string
	user := map[string]string{"Role": "user"}
	for i, values := range c.values {
		if i == 0 || c.inForce[i] {
			maps.Copy(user, values)
		}
	}
	if c.inForce != [3]bool{} {
		want = []string{strings.Join([]string{"a@x.org", user["Full name"], user["Role"]}, " ")}
	}
	require.Equal(t, want, c.names(t), when)
}

// chains are imports of a user that change the same field, another one, or restore the previous
// value.
var chains = map[string][3]map[string]string{
	"the same field":      {{"Full name": "Cem"}, {"Full name": "Cem B"}, {"Full name": "Cem C"}},
	"different fields":    {{"Full name": "Cem"}, {"Full name": "Cem B"}, {"Role": "admin"}},
	"what was before":     {{"Full name": "Cem"}, {"Full name": "Cem B"}, {"Full name": "Cem"}},
	"one field, then two": {{"Full name": "Cem"}, {"Role": "admin"}, {"Full name": "Cem C", "Role": "editor"}},
}

// The time of each change also prevents the reversal of the previous one.
func TestChainUndoneInAnyOrder(t *testing.T) {
	t.Parallel()
	for name, gives := range chains {
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			t.Run(fmt.Sprintf("%s, %d", name, order), func(t *testing.T) {
				t.Parallel()
				c := newChain(t, gives)
				for _, i := range order {
					c.undoImport(t, i)
				}
			})
		}
	}
}

// Two imports of a chain are undone, then the first of these undos is undone, and then all
// imports still in force.
func TestUndoneUndoKeepsChain(t *testing.T) {
	t.Parallel()
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			c := newChain(t, chains["the same field"])
			c.undoImport(t, order[0])
			c.undoImport(t, order[1])
			c.undoUndo(t, order[0])
			c.undoImport(t, order[2])
			c.undoImport(t, order[0])
		})
	}
}
