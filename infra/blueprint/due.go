package blueprint

import "slices"

// The functions that find unfinished work: ReconcileFunction queries the database, WakeFunction
// only reads the item that requests this.
const (
	ReconcileFunction = "reconcile"
	WakeFunction      = "wake"
)

// dueTableEnv is the variable with the name of that item's table.
const dueTableEnv = "DUE_TABLE"

// withDueTable lets every function that works for organisations raise the item before a commit.
// Functions that only read leave no work.
func withDueTable(functions []Function) []Function {
	for i := range functions {
		f := &functions[i]
		if f.Database != AppRole || f.Streams {
			continue
		}
		f.Env = append(f.Env, Env{Name: dueTableEnv, Ref: TableName})
		const update = Action("dynamodb:UpdateItem")
		onTable := slices.IndexFunc(f.Grants, func(g Grant) bool { return g.Resource == OnTable })
		switch {
		case onTable < 0:
			f.Grants = append(f.Grants, tableGrant("UpdateItem"))
		case !slices.Contains(f.Grants[onTable].Actions, update):
			f.Grants[onTable].Actions = append(f.Grants[onTable].Actions, update)
		}
	}
	return functions
}
