package asl

import "strings"

// invokeARN is the optimised integration of Lambda.
const invokeARN = "arn:aws:states:::lambda:invoke"

// Task invokes a Lambda function.
type Task struct {
	// WaitForToken makes the task wait for SendTaskSuccess or SendTaskFailure.
	WaitForToken bool
	// Function is the name or ARN in the parameters.
	Function       string
	Parameters     *Template
	ResultSelector *Template // nil: the unchanged result
	Result         Placement
	TimeoutSeconds int64 // 0 is no limit
	Retry          []Retrier
	Catch          []Catcher
}

// Type returns "Task".
func (*Task) Type() string { return "Task" }

// Resource returns the name of lambda:invoke in execution histories.
func (t *Task) Resource() string {
	if t.WaitForToken {
		return "invoke.waitForTaskToken"
	}
	return "invoke"
}

func (o *object) task() *Task {
	o.require("Resource", "Parameters")
	return &Task{
		WaitForToken:   o.resource(),
		Function:       o.function(),
		Parameters:     o.template("Parameters"),
		ResultSelector: o.template("ResultSelector"),
		Result:         o.placement(),
		TimeoutSeconds: o.integer("TimeoutSeconds", 1, maxTimeoutSeconds, 0),
		Retry:          o.retriers(),
		Catch:          o.catchers(),
	}
}

func (o *object) resource() (waits bool) {
	arn := o.text("Resource")
	base, waits := strings.CutSuffix(arn, ".waitForTaskToken")
	if o.has("Resource") && base != invokeARN {
		o.addErrorAt("Resource", "The resource '%s' is not supported", arn)
	}
	return waits
}

// function parses the parameters of lambda:invoke; those that would change its behaviour are
// rejected.
func (o *object) function() string {
	text, ok := o.fields["Parameters"]
	if !ok {
		return ""
	}
	p := newObject(text, o.where+"/Parameters", o.errs)
	p.require("FunctionName")
	p.field("Payload")
	p.field("Payload.$")
	name := p.text("FunctionName")
	p.rejectUnknown("lambda:invoke")
	return name
}
