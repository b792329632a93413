package stack_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// template contains the parts of a CloudFormation template that the tests read.
type template struct {
	Resources  map[string]resource
	Parameters map[string]struct{ Type, Default string }
	Outputs    map[string]struct {
		Value  any
		Export struct{ Name string }
	}
}

type resource struct {
	Type           string
	Properties     map[string]any
	DependsOn      []string
	DeletionPolicy string
	Metadata       map[string]any
	UpdatePolicy   map[string]any
}

// variables returns a function's environment variables.
func (r *resource) variables() map[string]any {
	environment, _ := r.Properties["Environment"].(map[string]any)
	variables, _ := environment["Variables"].(map[string]any)
	return variables
}

// stageTemplates combines both stacks of a stage, with references between them resolved.
type stageTemplates struct {
	stage     string
	folder    string // folder of the cloud assembly
	blueprint *blueprint.Blueprint
	settings  stack.Settings
	resources map[string]resource // by logical id
	exports   map[string]any
	outputs   map[string]any // by logical id
	// ssmParameters are the parameters of Systems Manager that a template reads, by logical id.
	ssmParameters map[string]string
	imports       []string       // names of the exports that a template imports
	context       map[string]any // the settings as given
	release       string         // the release whose templates these are; "" for the current ones
}

// template returns the file of a stack's template.
func (w *stageTemplates) template(part string) string {
	if w.release != "" {
		return storedPath(w.release, part)
	}
	return filepath.Join(w.folder, stack.StackName(w.stage, part)+".template.json")
}

func (w *stageTemplates) add(t template) error {
	for id, r := range t.Resources {
		if _, taken := w.resources[id]; taken {
			return fmt.Errorf("two stacks have a resource %s", id)
		}
		w.resources[id] = r
	}
	for id, p := range t.Parameters {
		if p.Type == "AWS::SSM::Parameter::Value<String>" {
			w.ssmParameters[id] = p.Default
		}
	}
	for id, o := range t.Outputs {
		w.outputs[id], w.exports[o.Export.Name] = o.Value, o.Value
	}
	return nil
}

// ofType returns the resources of a type, by logical id.
func (w *stageTemplates) ofType(kind string) map[string]resource {
	found := map[string]resource{}
	for id, r := range w.resources {
		if r.Type == kind {
			found[id] = r
		}
	}
	return found
}

// single returns the only resource of a type with that property value, given as text; "" returns
// the only resource of the type.
func (w *stageTemplates) single(t *testing.T, kind, property, value string) (id string, r resource) {
	t.Helper()
	var ids []string
	for candidate, r := range w.ofType(kind) {
		if property == "" || w.text(r.Properties[property]) == value {
			ids = append(ids, candidate)
		}
	}
	require.Lenf(t, ids, 1, "%s with %s = %s", kind, property, value)
	return ids[0], w.resources[ids[0]]
}

// output returns the value of an output.
func (w *stageTemplates) output(t *testing.T, id string) any {
	t.Helper()
	require.Contains(t, w.outputs, id)
	return w.outputs[id]
}

// function returns the function with that name in the blueprint.
func (w *stageTemplates) function(t *testing.T, name string) (id string, r resource) {
	t.Helper()
	return w.single(t, "AWS::Lambda::Function", "FunctionName", "loadbay-"+name+"-"+w.stage)
}

// deployment returns the stage's deployment, with CloudFormation's references in the syntax of
// text.
func (w *stageTemplates) deployment() blueprint.Deployment {
	return blueprint.Deployment{Partition: "${AWS::Partition}", Region: "${AWS::Region}", Account: "${AWS::AccountId}", Stage: w.stage}
}

// functionName returns the blueprint's name of the function with this ARN or name.
func (w *stageTemplates) functionName(arn string) string {
	for id, r := range w.ofType("AWS::Lambda::Function") {
		full := w.text(r.Properties["FunctionName"])
		if arn == "${"+id+".Arn}" || arn == "${"+id+"}" || strings.HasSuffix(arn, ":function:"+full) {
			return w.baseName(full)
		}
	}
	for id, alias := range w.ofType("AWS::Lambda::Alias") {
		if arn == "${"+id+"}" {
			return w.functionName(w.text(alias.Properties["FunctionName"]))
		}
	}
	return "unknown: " + arn
}

// baseName removes the stage's suffix from a physical name.
func (w *stageTemplates) baseName(name string) string {
	return strings.TrimPrefix(strings.TrimSuffix(name, "-"+w.stage), "loadbay-")
}

// queue returns the blueprint's name of the queue with this ARN or address.
func (w *stageTemplates) queue(reference any) string {
	text := w.text(reference)
	for id, r := range w.ofType("AWS::SQS::Queue") {
		if text == "${"+id+".Arn}" || text == "${"+id+"}" {
			return strings.TrimSuffix(w.text(r.Properties["QueueName"]), "-"+w.stage)
		}
	}
	return ""
}

// text converts a value of a template to a string, with ${Id} for a reference and ${Id.Attribute}
// for an attribute of a resource.
func (w *stageTemplates) text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any:
		for function, argument := range v {
			return w.intrinsic(function, argument)
		}
	}
	return fmt.Sprint(v)
}

// parameter returns the value of a Systems Manager parameter that a template creates.
func (w *stageTemplates) parameter(name string) string {
	for _, r := range w.ofType("AWS::SSM::Parameter") {
		if r.Properties["Name"] == name {
			return w.text(r.Properties["Value"])
		}
	}
	return "${" + name + " is made by none}"
}

func (w *stageTemplates) intrinsic(function string, argument any) string {
	switch function {
	case "Ref":
		if name, ok := w.ssmParameters[argument.(string)]; ok {
			return w.parameter(name)
		}
		return "${" + argument.(string) + "}"
	case "Fn::GetAtt":
		parts := argument.([]any)
		return "${" + parts[0].(string) + "." + parts[1].(string) + "}"
	case "Fn::ImportValue":
		return w.text(w.exports[argument.(string)])
	case "Fn::Join":
		parts := argument.([]any)
		return strings.Join(w.textList(parts[1]), parts[0].(string))
	case "Fn::Select", "Fn::Split":
		parts := argument.([]any)
		return fmt.Sprintf("${%s %s of %s}", strings.TrimPrefix(function, "Fn::"), w.text(parts[0]), w.text(parts[1]))
	default:
		return fmt.Sprintf("${%s}", function)
	}
}

// textList converts a list, or a single value, with text.
func (w *stageTemplates) textList(v any) []string {
	list, ok := v.([]any)
	if !ok {
		if v == nil {
			return nil
		}
		return []string{w.text(v)}
	}
	var texts []string
	for _, item := range list {
		texts = append(texts, w.text(item))
	}
	return texts
}

// nested returns a value inside nested objects and lists of a template, by key and index.
func nested(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := v.(map[string]any)
			require.Truef(t, ok, "%v: no object to find %q in: %v", path, step, v)
			v = object[step]
		case int:
			list, ok := v.([]any)
			require.Truef(t, ok && len(list) > step, "%v: no list with %d: %v", path, step, v)
			v = list[step]
		}
	}
	return v
}
