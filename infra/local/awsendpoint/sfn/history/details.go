package history

// Data reports whether the adjacent data was truncated. Here it never is.
type Data struct {
	Truncated bool `json:"truncated"`
}

// Input is input data, as JSON text.
type Input struct {
	Input        string `json:"input,omitempty"`
	InputDetails *Data  `json:"inputDetails,omitempty"`
}

// Output is output data, as JSON text.
type Output struct {
	Output        string `json:"output,omitempty"`
	OutputDetails *Data  `json:"outputDetails,omitempty"`
}

// Failure is an error; empty parts are omitted.
type Failure struct {
	Error string `json:"error,omitempty"`
	Cause string `json:"cause,omitempty"`
}

// Started describes ExecutionStarted.
type Started struct {
	Input
	RoleARN string `json:"roleArn"`
}

// StateEntered describes the entry of a state.
type StateEntered struct {
	Name string `json:"name"`
	Input
}

// StateExited describes the exit of a state.
type StateExited struct {
	Name string `json:"name"`
	Output
}

// Task names the integration: "lambda" and "invoke" or "invoke.waitForTaskToken".
type Task struct {
	ResourceType string `json:"resourceType"`
	Resource     string `json:"resource"`
}

// Scheduled describes TaskScheduled. 0 seconds are omitted.
type Scheduled struct {
	Task
	Region           string `json:"region"`
	Parameters       string `json:"parameters"`
	TimeoutInSeconds int64  `json:"timeoutInSeconds,omitempty"`
}

// TaskOutput describes TaskSubmitted and TaskSucceeded.
type TaskOutput struct {
	Task
	Output
}

// TaskFailure describes TaskFailed and TaskTimedOut.
type TaskFailure struct {
	Task
	Failure
}

// NewInput wraps input data.
func NewInput(data string) Input { return Input{Input: data, InputDetails: &Data{}} }

// NewOutput wraps output data.
func NewOutput(data string) Output { return Output{Output: data, OutputDetails: &Data{}} }

// WithoutData returns a copy of an event for includeExecutionData=false: without inputs, outputs
// and parameters.
func (e Event) WithoutData() Event {
	if d := e.ExecutionStarted; d != nil {
		e.ExecutionStarted = &Started{RoleARN: d.RoleARN}
	}
	if e.ExecutionSucceeded != nil {
		e.ExecutionSucceeded = &Output{}
	}
	if d := e.StateEntered; d != nil {
		e.StateEntered = &StateEntered{Name: d.Name}
	}
	if d := e.StateExited; d != nil {
		e.StateExited = &StateExited{Name: d.Name}
	}
	if d := e.TaskScheduled; d != nil {
		bare := *d
		bare.Parameters = ""
		e.TaskScheduled = &bare
	}
	if d := e.TaskSubmitted; d != nil {
		e.TaskSubmitted = &TaskOutput{Task: d.Task}
	}
	if d := e.TaskSucceeded; d != nil {
		e.TaskSucceeded = &TaskOutput{Task: d.Task}
	}
	return e
}
