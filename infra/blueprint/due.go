package blueprint

import "slices"

// The functions that find what others have left: ReconcileFunction looks into the
// database, WakeFunction only at an item that says whether it should.
const (
	ReconcileFunction = "reconcile"
	WakeFunction      = "wake"
)

// dueTable is the variable with the table of that item.
const dueTable = "DUE_TABLE"

// raising lets every function that works for organisations raise the item before it
// commits something. One that only reads leaves no work.
func raising(functions []Function) []Function {
	for i := range functions {
		f := &functions[i]
		if f.Database != AppRole || f.Streams {
			continue
		}
		f.Env = append(f.Env, Env{Name: dueTable, Ref: TableName})
		const update = Action("dynamodb:UpdateItem")
		onTable := slices.IndexFunc(f.Uses, func(g Grant) bool { return g.Resource == OnTable })
		switch {
		case onTable < 0:
			f.Uses = append(f.Uses, table("UpdateItem"))
		case !slices.Contains(f.Uses[onTable].Actions, update):
			f.Uses[onTable].Actions = append(f.Uses[onTable].Actions, update)
		}
	}
	return functions
}
