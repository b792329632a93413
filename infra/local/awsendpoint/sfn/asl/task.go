package asl

import (
	"regexp"
	"strings"
)

// invokeARN is the optimised integration of Lambda.
const invokeARN = "arn:aws:states:::lambda:invoke"

// functionARN matches the ARN of a Lambda function, with or without a version
// or an alias.
const functionARN = `^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]+(:[A-Za-z0-9_$-]+)?$`

// Resource is what a Task calls.
type Resource struct {
	// Function is the ARN of a function that is the resource itself; "" for
	// lambda:invoke, which finds the function in its parameters.
	Function string
	// WaitForToken makes the task wait for SendTaskSuccess or SendTaskFailure.
	WaitForToken bool
}

// Action is lambda:invoke's name in execution histories.
func (r Resource) Action() string {
	if r.WaitForToken {
		return "invoke.waitForTaskToken"
	}
	return "invoke"
}

func (o *object) task() *Task {
	o.require("Resource")
	t := &Task{
		Resource:       o.resource(),
		Parameters:     o.template("Parameters"),
		ResultSelector: o.template("ResultSelector"),
		Result:         o.placement(),
		Timeout:        o.seconds("TimeoutSeconds"),
		Heartbeat:      o.seconds("HeartbeatSeconds"),
		Retry:          o.retriers(),
		Catch:          o.catchers(),
	}
	if t.Timeout.Value > 0 && t.Heartbeat.Value >= t.Timeout.Value {
		o.failAt("HeartbeatSeconds", "Value must be smaller than TimeoutSeconds")
	}
	if t.Resource.Function == "" {
		o.checkInvoke()
	}
	return t
}

func (o *object) resource() Resource {
	arn := o.text("Resource")
	if base, waits := strings.CutSuffix(arn, ".waitForTaskToken"); base == invokeARN {
		return Resource{WaitForToken: waits}
	}
	if regexp.MustCompile(functionARN).MatchString(arn) {
		return Resource{Function: arn}
	}
	if o.has("Resource") {
		o.failAt("Resource", "The resource '%s' is not supported", arn)
	}
	return Resource{}
}

// checkInvoke finds parameters of lambda:invoke that would change what it does.
func (o *object) checkInvoke() {
	text, ok := o.fields["Parameters"]
	if !ok {
		return // FunctionName may come with the input
	}
	p := newObject(text, o.at+"/Parameters", o.faults)
	for _, name := range []string{"FunctionName", "FunctionName.$", "Payload", "Payload.$"} {
		p.take(name)
	}
	p.oneOf("FunctionName", "FunctionName.$")
	if kind := p.text("InvocationType"); p.has("InvocationType") && kind != "RequestResponse" {
		p.failAt("InvocationType", "The invocation type '%s' is not supported", kind)
	}
	p.done("lambda:invoke")
}

// seconds reads a duration that may stand in the definition or in the data.
func (o *object) seconds(name string) Seconds {
	o.atMostOne(name, name+"Path")
	return Seconds{Value: o.whole(name, 1, maxTimeoutSeconds, 0), Path: o.path(name + "Path")}
}
