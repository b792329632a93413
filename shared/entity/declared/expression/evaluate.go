package expression

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// expressions are those of a type. They implement entity.Expressions.
type expressions struct {
	declaration *entity.Declaration
	variables   map[string]int
	keeps       map[string]bool // names of fields of which empty cells leave stored values as they are
	rules       []condition
	computed    []*program
}

// condition is a rule.
type condition struct {
	*program
	message string
}

// Inputs implements entity.Expressions.
func (e *expressions) Inputs(k int) []int { return e.computed[k].inputs }

// Compute implements entity.Expressions. If the row may exist and an empty cell leaves its value as it
// is, the input is unknown, so the computed value stays as well.
func (e *expressions) Compute(k int, r entity.DecodedRow) (string, *rowwrite.Error) {
	p := e.computed[k]
	if r.Batch.Mode != rowwrite.Insert && slices.ContainsFunc(p.inputs, func(field int) bool {
		return e.keeps[e.declaration.Fields[field].Name] && e.value(r, field) == ref.Val(types.NullValue)
	}) {
		return "", nil
	}
	result, failed := e.evaluate(p, r)
	if failed != nil || result == nil {
		return "", failed
	}
	text, err := cellText(result, e.declaration.Computed[k].Kind)
	if err != nil {
		return "", p.failure(err)
	}
	return text, nil
}

// Violations implements entity.Expressions. A condition over a field for which the file has no column
// is not checked for rows that may exist: their values are unknown.
func (e *expressions) Violations(r entity.DecodedRow) (found []rowwrite.Error) {
	for i := range e.rules {
		rule := &e.rules[i]
		if r.Batch.Mode != rowwrite.Insert && slices.ContainsFunc(rule.inputs, func(field int) bool { return !r.Batch.Mapped[field] }) {
			continue
		}
		result, failed := e.evaluate(rule.program, r)
		switch {
		case failed != nil:
			found = append(found, *failed)
		case result == types.False:
			found = append(found, rowwrite.Error{Code: problem.RowRejected, Field: rule.field, Value: e.display(r, rule.field), Message: rule.message})
		}
	}
	return found
}

// display returns the row's value of a field for people.
func (e *expressions) display(r entity.DecodedRow, field string) string {
	at := e.declaration.FieldIndex(field)
	if at < 0 {
		return ""
	}
	column, ok := r.Column(at)
	if !ok {
		return ""
	}
	return column.Display(r.Index)
}

// errWork reports that an expression needs too much work.
var errWork = errors.New("it needs too much work for this row")

// evaluate returns the result of an expression, nil if it is null or depends on a missing value, as in
// SQL.
func (e *expressions) evaluate(p *program, r entity.DecodedRow) (result ref.Val, failed *rowwrite.Error) {
	values := &row{of: e, DecodedRow: r}
	defer func() {
		if recovered := recover(); recovered != nil {
			cancelled, ok := recovered.(interpreter.EvalCancelledError)
			if !ok || cancelled.Cause != interpreter.CostLimitExceeded {
				panic(recovered)
			}
			result, failed = nil, p.failure(errWork)
		}
	}()
	result = p.Eval(values)
	failure, isError := result.(*types.Err)
	switch {
	case !isError && result == ref.Val(types.NullValue), isError && values.sawNull && strings.HasPrefix(failure.Error(), noOverload):
		return nil, nil
	case isError:
		return nil, p.failure(failure)
	}
	return result, nil
}

// noOverload begins the errors of operations that do not exist for the types of their values. Types are
// checked when expressions are compiled, so one of the values is null.
const noOverload = "no such overload"

// failure is the error of a row for which an expression cannot be evaluated.
func (p *program) failure(err error) *rowwrite.Error {
	return &rowwrite.Error{
		Code: problem.RowRejected, Field: p.field,
		Message: fmt.Sprintf("An expression of the type cannot be evaluated: %s.", entity.Shorten(err.Error())),
	}
}

// row provides the values of a row as variables.
type row struct {
	entity.DecodedRow
	of      *expressions
	sawNull bool
}

// ResolveName implements interpreter.Activation.
func (r *row) ResolveName(name string) (any, bool) {
	field, ok := r.of.variables[name]
	if !ok {
		return nil, false
	}
	value := r.of.value(r.DecodedRow, field)
	r.sawNull = r.sawNull || value == ref.Val(types.NullValue)
	return value, true
}

// Parent implements interpreter.Activation.
func (*row) Parent() interpreter.Activation { return nil }

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// value returns the row's value of a field.
func (e *expressions) value(r entity.DecodedRow, field int) ref.Val {
	kind := e.declaration.Fields[field].Kind
	var bytes []byte
	column, ok := r.Column(field)
	if ok {
		bytes, ok = column.Bytes(r.Index)
	}
	switch {
	case kind == entity.TextList:
		return types.NewStringList(types.DefaultTypeAdapter, listOf(bytes))
	case !ok:
		return types.NullValue
	}
	switch kind {
	case entity.Integer:
		return types.Int(int64(binary.BigEndian.Uint64(bytes)))
	case entity.Boolean:
		return types.Bool(bytes[0] == 1)
	case entity.Date:
		return types.Timestamp{Time: epoch.AddDate(0, 0, int(int32(binary.BigEndian.Uint32(bytes))))}
	case entity.Timestamp:
		return types.Timestamp{Time: time.UnixMicro(epoch.UnixMicro() + int64(binary.BigEndian.Uint64(bytes))).UTC()}
	case entity.UUID:
		return types.String(uuid.UUID(bytes).String())
	case entity.Decimal:
		number, err := parseDecimal(string(bytes))
		if err != nil {
			return types.WrapErr(err)
		}
		return number
	}
	return types.String(bytes)
}

// listOf returns the elements of a list in the format of Postgres.
func listOf(array []byte) []string {
	var list pgtype.FlatArray[string]
	if len(array) == 0 || pgtype.NewMap().Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, array, &list) != nil {
		return nil
	}
	return list
}

// cellText returns a result as the text of a cell of the kind.
func cellText(v ref.Val, k entity.Kind) (string, error) {
	switch v := v.(type) {
	case types.String:
		return string(v), nil
	case types.Int:
		return strconv.FormatInt(int64(v), 10), nil
	case types.Bool:
		return strconv.FormatBool(bool(v)), nil
	case decimal:
		return v.text()
	case types.Timestamp:
		if k == entity.Date {
			return v.UTC().Format(time.DateOnly), nil
		}
		return v.UTC().Format(time.RFC3339Nano), nil
	}
	return "", fmt.Errorf("the result has the type %s", v.Type().TypeName())
}
