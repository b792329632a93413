package expression

import (
	"fmt"
	"strings"
	"time"

	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/stdlib"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// overload is a function for one combination of types. Without a binding, the operand implements it.
type overload struct {
	function, id string
	member       bool
	args         []*types.Type
	result       *types.Type
	binding      decls.OverloadOpt
}

// extensions are the functions beyond the standard ones.
func extensions() []overload {
	var list []overload
	add := func(function, id string, result *types.Type, binding decls.OverloadOpt, args ...*types.Type) {
		list = append(list, overload{function: function, id: id, args: args, result: result, binding: binding})
	}
	for _, operator := range []struct {
		function, id string
		result       *types.Type
	}{
		{operators.Add, "add_decimal", decimalType},
		{operators.Subtract, "subtract_decimal", decimalType},
		{operators.Multiply, "multiply_decimal", decimalType},
		{operators.Divide, "divide_decimal", decimalType},
		{operators.Less, "less_decimal", types.BoolType},
		{operators.LessEquals, "less_equals_decimal", types.BoolType},
		{operators.Greater, "greater_decimal", types.BoolType},
		{operators.GreaterEquals, "greater_equals_decimal", types.BoolType},
	} {
		add(operator.function, operator.id, operator.result, nil, decimalType, decimalType)
		add(operator.function, operator.id+"_int64", operator.result, nil, decimalType, types.IntType)
	}
	add(operators.Negate, "negate_decimal", decimalType, nil, decimalType)
	add("decimal", "string_to_decimal", decimalType, unary(func(v types.String) ref.Val {
		number, err := parseDecimal(string(v))
		if err != nil {
			return types.WrapErr(err)
		}
		return number
	}), types.StringType)
	add("decimal", "int64_to_decimal", decimalType, unary(func(v types.Int) ref.Val {
		number, _ := decimalOf(v)
		return decimal{number}
	}), types.IntType)
	add(overloads.TypeConvertString, "decimal_to_string", types.StringType, unary(func(v decimal) ref.Val {
		text, err := v.text()
		if err != nil {
			return types.WrapErr(err)
		}
		return types.String(text)
	}), decimalType)
	add("round", "round_decimal", decimalType, decls.BinaryBinding(func(number, places ref.Val) ref.Val {
		return number.(decimal).round(int64(places.(types.Int)))
	}), decimalType, types.IntType)
	add("date", "string_to_date", types.TimestampType, unary(func(v types.String) ref.Val {
		day, err := time.Parse(time.DateOnly, string(v))
		if err != nil {
			return types.NewErr("a date is not written as 2026-01-31")
		}
		return types.Timestamp{Time: day}
	}), types.StringType)
	for name, convert := range map[string]func(string) string{"lowerAscii": strings.ToLower, "upperAscii": strings.ToUpper, "trim": strings.TrimSpace} {
		list = append(list, overload{
			function: name, id: "string_" + name, member: true, args: []*types.Type{types.StringType}, result: types.StringType,
			binding: unary(func(v types.String) ref.Val { return types.String(convert(string(v))) }),
		})
	}
	return list
}

// unary returns the binding of a function of one argument; the interpreter checks its type.
func unary[T ref.Val](f func(T) ref.Val) decls.OverloadOpt {
	return decls.UnaryBinding(func(v ref.Val) ref.Val { return f(v.(T)) })
}

// library returns the declarations and the implementations of all functions.
func library() ([]*decls.FunctionDecl, []*functions.Overload, error) {
	byName := make(map[string]int)
	all := append([]*decls.FunctionDecl{}, stdlib.Functions()...)
	for i, f := range all {
		byName[f.Name()] = i
	}
	for _, o := range extensions() {
		var options []decls.OverloadOpt
		if o.binding != nil {
			options = append(options, o.binding)
		}
		option := decls.Overload(o.id, o.args, o.result, options...)
		if o.member {
			option = decls.MemberOverload(o.id, o.args, o.result, options...)
		}
		f, err := decls.NewFunction(o.function, option)
		if err != nil {
			return nil, nil, fmt.Errorf("declare %s: %w", o.id, err)
		}
		at, known := byName[o.function]
		if !known {
			byName[o.function], all = len(all), append(all, f)
			continue
		}
		if all[at], err = all[at].Merge(f); err != nil {
			return nil, nil, fmt.Errorf("declare %s: %w", o.id, err)
		}
	}
	var bindings []*functions.Overload
	for _, f := range all {
		bound, err := f.Bindings()
		if err != nil {
			return nil, nil, fmt.Errorf("bind %s: %w", f.Name(), err)
		}
		bindings = append(bindings, bound...)
	}
	return all, bindings, nil
}
