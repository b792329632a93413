package blueprint

import "slices"

// The functions that find what others have left: ReconcileFunction looks into the
// database, WakeFunction only at an item that says whether it should.
const (
	ReconcileFunction = "reconcile"
	WakeFunction      = "wake"
)

// dueTableEnv is the variable with the table of that item.
const dueTableEnv = "DUE_TABLE"

// withDueTable lets every function that works for organisations raise the item before it
// commits something. One that only reads leaves no work.
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
