// Package expression compiles and evaluates the conditions and computed fields of declared types,
// which are written in CEL. Only programs that check declarations or write rows link it, because it
// makes them larger.
//
// It uses the parts of cel-go and not its package cel: that links text/template, which keeps the
// linker from leaving out methods that nobody calls.
package expression

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/checker"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/containers"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"
	"cel.dev/cel-go/parser"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
)

// maxCost limits the work of an expression for one row; a comparison costs about one.
const maxCost = 5_000

// Limits of an expression's source.
const (
	maxDepth = 50
	maxNodes = 500
)

// program is a compiled expression.
type program struct {
	interpreter.InterpretableV2
	field  string // Field.Name of its errors
	inputs []int  // fields that it uses
}

// environment compiles expressions over the fields of a type.
type environment struct {
	parser      *parser.Parser
	checker     *checker.Env
	interpreter interpreter.Interpreter
	variables   map[string]int // indexes of fields
	faults      []declared.TextFault
}

// Compile returns the expressions of a type, or nil if it has none. The error is a problem.Error that
// lists each mistake.
func Compile(t *declared.Type) (entity.Expressions, error) {
	d, source := t.Declaration(), t.Source()
	if len(source.Rules) == 0 && len(d.Computed) == 0 {
		return nil, nil //nolint:nilnil // documented
	}
	env, err := newEnvironment(d)
	if err != nil {
		return nil, err
	}
	compiled := &expressions{declaration: d, variables: env.variables, keeps: t.KeepsValues()}
	for i, rule := range source.Rules {
		p := env.compile(fmt.Sprintf("rules[%d].check", i), rule.Check, types.BoolType)
		p.field = rule.Field
		compiled.rules = append(compiled.rules, condition{p, rule.Message})
	}
	for i := range d.Computed {
		f := &d.Computed[i]
		at := slices.IndexFunc(source.Fields, func(declared declared.Field) bool { return declared.Name == f.Name })
		p := env.compile(fmt.Sprintf("fields[%d].computed", at), source.Fields[at].Computed, typeOf(f.Kind))
		p.field = f.Name
		compiled.computed = append(compiled.computed, p)
	}
	if len(env.faults) > 0 {
		return nil, declared.InTexts(d.Name, env.faults)
	}
	return compiled, nil
}

// newEnvironment declares a variable for each field: its name in lower case.
func newEnvironment(d *entity.Declaration) (*environment, error) {
	env := &environment{variables: make(map[string]int, len(d.Fields))}
	registry := types.NewEmptyRegistry()
	declarations, bindings, err := library()
	if err != nil {
		return nil, err
	}
	env.parser, err = parser.NewParser(parser.Macros(parser.AllMacros...), parser.MaxRecursionDepth(maxDepth), parser.MaxExpressionNodeCount(maxNodes))
	if err != nil {
		return nil, fmt.Errorf("create parser of expressions: %w", err)
	}
	if env.checker, err = checker.NewEnv(containers.DefaultContainer, registry); err != nil {
		return nil, fmt.Errorf("create checker of expressions: %w", err)
	}
	variables := make([]*decls.VariableDecl, len(d.Fields))
	for i := range d.Fields {
		name := strings.ToLower(d.Fields[i].Name)
		env.variables[name], variables[i] = i, decls.NewVariable(name, typeOf(d.Fields[i].Kind))
	}
	if err := errors.Join(env.checker.AddFunctions(declarations...), env.checker.AddIdents(variables...)); err != nil {
		return nil, fmt.Errorf("declare variables of expressions: %w", err)
	}
	dispatcher := interpreter.NewDispatcher()
	if err := dispatcher.Add(bindings...); err != nil {
		return nil, fmt.Errorf("declare functions of expressions: %w", err)
	}
	env.interpreter = interpreter.NewInterpreter(dispatcher, containers.DefaultContainer, registry, registry,
		interpreter.NewAttributeFactory(containers.DefaultContainer, registry, registry))
	return env, nil
}

// typeOf returns the type of a field's values. All can be null, except lists.
func typeOf(k entity.Kind) *types.Type {
	switch k {
	case entity.Integer:
		return types.NewNullableType(types.IntType)
	case entity.Boolean:
		return types.NewNullableType(types.BoolType)
	case entity.Decimal:
		return decimalType
	case entity.Date, entity.Timestamp:
		return types.TimestampType
	case entity.TextList:
		return types.NewListType(types.StringType)
	}
	return types.NewNullableType(types.StringType)
}

// compile compiles an expression with a result of the type; it collects the mistakes.
func (e *environment) compile(path, text string, result *types.Type) *program {
	source := common.NewTextSource(text)
	tree, found := e.parser.Parse(source)
	if len(found.GetErrors()) == 0 {
		tree, found = checker.Check(tree, source, e.checker)
	}
	for _, mistake := range found.GetErrors() {
		e.refuse(path, mistake.Location, mistake.Message)
	}
	if len(found.GetErrors()) > 0 || !e.isExact(path, tree) || !e.hasType(path, tree, result) {
		return &program{}
	}
	limited := func() (*cost.Tracker, error) {
		return cost.NewTracker(nil, cost.TrackerLimit(maxCost), cost.TrackerLimitExceededHandler(func() {
			panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "The expression is too costly."}) // becomes the result
		}))
	}
	evaluated, err := e.interpreter.NewInterpretable(tree, interpreter.Optimize(), interpreter.CompileRegexConstants(interpreter.MatchesRegexOptimization),
		interpreter.CostObserver(interpreter.CostTrackerFactory(limited)))
	if err != nil {
		e.refuse(path, common.NoLocation, err.Error())
		return &program{}
	}
	return &program{InterpretableV2: evaluated, inputs: e.inputsOf(tree)}
}

// isExact refuses floating-point numbers, which cannot hold amounts such as 0.1.
func (e *environment) isExact(path string, tree *ast.AST) bool {
	exact := true
	for id, t := range tree.TypeMap() {
		if exact && t.Kind() == types.DoubleKind {
			exact = false
			e.refuse(path, tree.SourceInfo().GetStartLocation(id), "Numbers with a point are not exact.")
		}
	}
	return exact
}

func (e *environment) hasType(path string, tree *ast.AST, want *types.Type) bool {
	is := tree.GetType(tree.Expr().ID())
	if want.IsAssignableType(is) || is.Kind() == types.NullTypeKind || is.IsDyn() {
		return true
	}
	if is.Kind() == want.Kind() && is.String() == want.String() {
		return true
	}
	e.refuse(path, common.NewLocation(1, 0), fmt.Sprintf("The result is %s, and it must be %s.", is, want))
	return false
}

// wrapperPattern matches the types of values that can be null, as cel-go writes them.
var wrapperPattern = regexp.MustCompile(`wrapper\((\w+)\)`)

// refuse collects a mistake. Locations of columns count from 0.
func (e *environment) refuse(path string, at common.Location, message string) {
	message, _, _ = strings.Cut(strings.ReplaceAll(message, " (in container '')", ""), " expecting ")
	message = wrapperPattern.ReplaceAllString(message, "$1")
	fault := declared.TextFault{Path: path, Line: 1, Column: 1, Message: strings.TrimSuffix(message, ".") + "."}
	if at.Line() > 0 {
		fault.Line, fault.Column = at.Line(), at.Column()+1
	}
	if strings.Contains(message, "decimal") || strings.Contains(message, "not exact") || strings.Contains(message, "double") {
		fault.Message += " Write numbers with a point as decimal('9.95'), after the field that they are compared with."
	}
	e.faults = append(e.faults, fault)
}

// inputsOf returns the fields that an expression uses.
func (e *environment) inputsOf(tree *ast.AST) (inputs []int) {
	for _, reference := range tree.ReferenceMap() {
		if field, ok := e.variables[reference.Name]; ok && !slices.Contains(inputs, field) {
			inputs = append(inputs, field)
		}
	}
	slices.Sort(inputs)
	return inputs
}
